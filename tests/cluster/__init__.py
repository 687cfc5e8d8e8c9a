"""Tests on a real cluster, which they share."""
