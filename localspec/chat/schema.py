"""The tables of the history, as they came to be: a file of any version is brought to the newest."""

_CONVERSATIONS = (
    """CREATE TABLE conversation (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        model TEXT NOT NULL,
        updated_at REAL NOT NULL
    )""",
    """CREATE TABLE message (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation_id INTEGER NOT NULL REFERENCES conversation,
        role TEXT NOT NULL,
        content TEXT NOT NULL,
        stats TEXT
    )""",
    "CREATE INDEX message_of_conversation ON message (conversation_id, id)",
)

# A system prompt was a message between the others; it is a question's now. What was a list is a
# tree with one branch.
_VERSIONS = (
    "ALTER TABLE conversation ADD COLUMN title TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE conversation ADD COLUMN head_id INTEGER",
    "ALTER TABLE conversation ADD COLUMN deleted_at REAL",
    "CREATE INDEX conversation_by_time ON conversation (updated_at DESC, id DESC)",
    "ALTER TABLE message ADD COLUMN parent_id INTEGER REFERENCES message",
    "ALTER TABLE message ADD COLUMN system TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX message_of_parent ON message (parent_id)",
    """UPDATE message SET system = coalesce((
        SELECT content FROM message AS prompt
        WHERE prompt.conversation_id = message.conversation_id
            AND prompt.role = 'system' AND prompt.id < message.id
        ORDER BY prompt.id DESC LIMIT 1
    ), '') WHERE role = 'user'""",
    "DELETE FROM message WHERE role = 'system'",
    """UPDATE message SET parent_id = (
        SELECT max(id) FROM message AS earlier
        WHERE earlier.conversation_id = message.conversation_id AND earlier.id < message.id
    )""",
    """UPDATE conversation SET head_id = (
        SELECT max(id) FROM message WHERE conversation_id = conversation.id
    )""",
    # What the search index does not know yet. Plain tables and triggers: a build of SQLite
    # without the index can go on writing, and one with it catches up.
    "CREATE TABLE unindexed (message_id INTEGER PRIMARY KEY)",
    "INSERT INTO unindexed SELECT id FROM message",
    """CREATE TRIGGER message_written AFTER INSERT ON message BEGIN
        INSERT OR IGNORE INTO unindexed VALUES (new.id);
    END""",
    """CREATE TRIGGER message_changed AFTER UPDATE OF content ON message BEGIN
        INSERT OR IGNORE INTO unindexed VALUES (new.id);
    END""",
    """CREATE TRIGGER message_gone AFTER DELETE ON message BEGIN
        INSERT OR IGNORE INTO unindexed VALUES (old.id);
    END""",
)

MIGRATIONS = (_CONVERSATIONS, _VERSIONS)
