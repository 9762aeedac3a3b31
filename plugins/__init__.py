"""Every built-in component, loaded like anybody else's plugin."""
