"""What compare.py consists of."""
