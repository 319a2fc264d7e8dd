"""The adapters to other frameworks. Each is public under its own name, as `pommego.sb3`."""
