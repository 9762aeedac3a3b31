"""Built-in trainers: how credit is assigned to turns and turned into advantages."""
