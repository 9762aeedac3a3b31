"""Published data sets as streams, and their layouts: what the families casino and multiwoz read."""
