"""Which draft fits a target: candidates on the disk and in the catalog, ranked, and attached."""
