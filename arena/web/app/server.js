// Requests to the server of this page.

import { readAddress } from "./address.js";
import { complain } from "./elements.js";

export const server = { ask, blob, post, lines };

const noAnswer = "The server does not answer: pommego has ended, or the connection is lost. The page goes on by itself once it is back.";
const gone = 502; // the status of a server behind this one that does not answer
let lost = ""; // what the page says while there is no answer

export function rest(milliseconds) { return new Promise(done => setTimeout(done, milliseconds)); }

// miss says what there is no answer from, "" once there is one.
function miss(words) {
  if (words || lost) complain(words);
  lost = words;
}

// send asks until there is an answer, of whatever kind, and reads it if it is good.
async function send(path, token, read, options = {}) {
  const { key = "" } = readAddress(); // of a running environment, in no address that is sent
  const headers = { Authorization: `Bearer ${token}`, "View-Key": key };
  for (let wait = 250; ; wait = Math.min(2 * wait, 4000)) {
    const { ok, status, body } = await fetch(path, { ...options, headers })
      .then(async answer => ({ ok: answer.ok, status: answer.status, body: await (answer.ok ? read(answer) : answer.text()) }))
      .catch(() => ({ ok: false, status: gone, body: noAnswer }));
    miss(status === gone ? body : "");
    if (ok) return body;
    if (status === 401) throw new Error("The address lacks its token: open the address that pommego has printed.");
    if (status !== gone) throw Object.assign(new Error(body.trim() || `The server answers ${status}.`), { status });
    await rest(wait);
  }
}

function ask(path, token) { return send(path, token, answer => answer.json()); }

function blob(path, token) { return send(path, token, answer => answer.blob()); }

function post(path, token, body) { return send(path, token, () => null, { method: "POST", keepalive: true, body: JSON.stringify(body) }); }

// lines calls take with each line of JSON that comes, until the connection ends. A page that is
// left ends it, though the browser may keep the page for somebody who comes back.
async function lines(path, token, take) {
  const reader = await send(path, token, answer => answer.body.pipeThrough(new TextDecoderStream()).getReader());
  let begun = "", back = null;
  addEventListener("pagehide", () => {
    back = new Promise(done => addEventListener("pageshow", done, { once: true }));
    reader.cancel();
  }, { once: true });
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ value: "", done: true }));
    if (done) return back;
    const whole = (begun + value).split("\n");
    begun = whole.pop();
    whole.forEach(line => take(JSON.parse(line)));
  }
}
