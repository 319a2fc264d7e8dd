"""What the public modules are made of."""
