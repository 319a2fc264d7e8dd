"""A language model behind an OpenAI-compatible server, which also streams."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler


class Stub(BaseHTTPRequestHandler):
    """A model that always hunts; one called broken is refused."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        if asked["model"] == "broken":
            self.send_error(400)
            return
        said = {"role": "assistant", "content": "hunt for 20"}
        body = {"id": "1", "created": 0, "model": asked["model"], "object": "chat.completion"}
        body["usage"] = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choice = {"index": 0, "finish_reason": "stop"}
        if asked.get("stream"):
            body |= {"object": "chat.completion.chunk", "choices": [choice | {"delta": said}]}
            kind, text = "text/event-stream", f"data: {json.dumps(body)}\n\ndata: [DONE]\n\n"
        else:
            body["choices"] = [choice | {"message": said}]
            kind, text = "application/json", json.dumps(body)
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass
