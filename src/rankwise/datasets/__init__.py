"""Room of rankwise."""
