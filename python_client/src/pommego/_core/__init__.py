"""The internals of the public modules."""
