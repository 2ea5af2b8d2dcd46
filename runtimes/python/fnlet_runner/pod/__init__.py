"""A Runner in a Pod: it connects to its owner itself, and outlives it."""
