"""The connection to a server: messages over a WebSocket or through shared memory."""
