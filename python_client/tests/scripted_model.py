"""A language model behind an OpenAI-compatible server, with answers that a test writes."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle


@contextmanager
def scripted_model(answers: Sequence[str]) -> Iterator[str]:
    """Serve answers, one after the other and again, and yield the agent's name; "401" is a refusal."""
    texts = cycle(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            usage = {"prompt_tokens": 100, "completion_tokens": 10}
            text = next(texts)
            body = json.dumps({"choices": [{"message": {"content": text}}], "usage": usage}).encode()
            self.send_response(401 if text == "401" else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"llm:http://127.0.0.1:{server.server_port}/v1,model=scripted"
        finally:
            server.shutdown()
            thread.join()
