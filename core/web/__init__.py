"""The viewer: a local web app in which runs are looked through and conversations are read."""
