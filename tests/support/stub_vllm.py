"""A server that speaks as much of vLLM's protocol as rollouts use: completions of token ids with ids and log-probs, and
LoRA adapters that come and go. Behind it is a tiny model, so that its log-probs are true.

server = StubVllm(model_folder).start(); server.url; server.names; server.bodies; server.stop()
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

from peft import PeftModel

from adidem.core.policy.contracts import Ask
from adidem.core.policy.draw import Draw
from adidem.core.policy.loading import load_model
from adidem.core.policy.lockstep import Lockstep
from adidem.core.policy.trunk import Trunk


class StubVllm:
    """`fail` may give a status for a body, in place of an answer; `change` may change an answer."""

    def __init__(self, model: Path, base: str = "base") -> None:
        self.model, self.base = model, base
        self.trunks = {base: Trunk(load_model(model).eval())}
        self.names: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.fail: Any = lambda _body: None
        self.change: Any = lambda answer: answer
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def start(self) -> StubVllm:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        with self._lock:
            failed = self.fail(body)
            if failed is not None:
                return failed, {"error": "as told"}
            if path.endswith("/load_lora_adapter"):
                if body["lora_name"] in self.names:
                    return 400, {"error": f"{body['lora_name']} was loaded before"}
                self.names.append(body["lora_name"])
                self.trunks[body["lora_name"]] = self._adapted(Path(body["lora_path"]))
                return 200, "Success"
            if path.endswith("/unload_lora_adapter"):
                return (200, "Success") if self.trunks.pop(body["lora_name"], None) else (404, "none")
            self.bodies.append(body)
            if body["model"] not in self.trunks:
                return 404, {"error": f"no model {body['model']}"}
            return 200, self.change(self._completed(body))

    def _adapted(self, folder: Path) -> Trunk:
        return Trunk(PeftModel.from_pretrained(load_model(self.model), folder).eval())

    def _completed(self, body: dict[str, Any]) -> dict[str, Any]:
        ask = Ask((), frozenset(body["stop_token_ids"]), body["max_tokens"], Random(body["seed"]))
        *prompt, last = body["prompt"]
        made = Lockstep(self.trunks[body["model"]], [prompt])
        ask = Ask([last], ask.ends, ask.most, ask.stream)
        drawn = made.sample({0: ask}, Draw(body["temperature"], body["top_p"]))[0]
        return {
            "choices": [
                {
                    "token_ids": drawn.ids,
                    "logprobs": {"token_logprobs": drawn.logps},
                    "finish_reason": "stop" if drawn.ids[-1] in ask.ends else "length",
                }
            ]
        }


def _handler(stub: StubVllm) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, said = stub.answer(self.path, body)
            data = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
