class Inventory:
    """Items by name, with their price and count."""

    def __init__(self):
        self.items = {}

    def add(self, name, price, count):
        if count < 0:
            raise ValueError("A count can't be negative.")
        self.items[name] = (price, count)

    def remove(self, name):
        if name not in self.items:
            raise KeyError(name)
        del self.items[name]

    def total_value(self):
        return sum(price * count for price, count in self.items.values())

    def report(self):
        for name, (price, count) in sorted(self.items.items()):
            print(f"{name}: {count} at {price:.2f}")
        print(f"total: {self.total_value():.2f}")
