"""A stored run in the layouts that other people's tools read: one file a format."""
