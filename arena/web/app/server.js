// Requests to the server of this page.

import { readAddress } from "./address.js";

export const server = { ask, post, lines };

async function send(path, token, options) {
  const { key = "" } = readAddress(); // of a running environment, in no address that is sent
  const answer = await fetch(path, { ...options, headers: { Authorization: `Bearer ${token}`, "View-Key": key } });
  if (answer.ok) return answer;
  const text = answer.status === 401
    ? "The address lacks its token: open the address that pommego has printed."
    : (await answer.text()).trim() || `The server answers ${answer.status}.`;
  throw Object.assign(new Error(text), { status: answer.status });
}

// ask gets JSON.
async function ask(path, token, options) { return (await send(path, token, options)).json(); }

// post sends JSON, and gets nothing.
async function post(path, token, body) { await send(path, token, { method: "POST", keepalive: true, body: JSON.stringify(body) }); }

// lines calls take with each line of JSON that comes, until there are no more.
async function lines(path, token, take) {
  const reader = (await send(path, token)).body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const whole = (rest + value).split("\n");
    rest = whole.pop();
    whole.forEach(line => take(JSON.parse(line)));
  }
}
