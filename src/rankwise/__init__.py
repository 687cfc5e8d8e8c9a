"""rankwise learns to rank a fixed set of labels from features."""
