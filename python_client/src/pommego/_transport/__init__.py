"""The connection to a server: messages, the WebSocket and shared memory that carry them."""
