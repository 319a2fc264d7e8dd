// Requests to the server of this page.

import { readAddress } from "./address.js";
import { complain } from "./elements.js";

export const server = { ask, post, lines };

const noAnswer = "The server does not answer: pommego has ended, or the connection is lost. The page goes on by itself once it is back.";
let lost = ""; // what the page says while there is no answer

export function rest(milliseconds) { return new Promise(done => setTimeout(done, milliseconds)); }

// answers says whether the server does; words are what it lacks.
function answers(words) {
  if (words !== lost) complain(words);
  lost = words;
}

// send asks until there is an answer, of whatever kind.
async function send(path, token, options = {}) {
  const { key = "" } = readAddress(); // of a running environment, in no address that is sent
  const headers = { Authorization: `Bearer ${token}`, "View-Key": key };
  for (let wait = 250; ; wait = Math.min(2 * wait, 4000)) {
    const answer = await fetch(path, { ...options, headers }).catch(() => null);
    if (answer && answer.status !== 502) { // which says that a server behind this one is gone
      answers("");
      if (answer.ok) return answer;
      const text = answer.status === 401
        ? "The address lacks its token: open the address that pommego has printed."
        : (await answer.text()).trim() || `The server answers ${answer.status}.`;
      throw Object.assign(new Error(text), { status: answer.status });
    }
    answers(answer ? await answer.text() : noAnswer);
    await rest(wait);
  }
}

// ask gets JSON.
async function ask(path, token) { return (await send(path, token)).json(); }

// post sends JSON, and gets nothing.
async function post(path, token, body) { await send(path, token, { method: "POST", keepalive: true, body: JSON.stringify(body) }); }

// lines calls take with each line of JSON that comes, until the connection ends. A page that is
// left ends it, though the browser may keep the page for somebody who comes back.
async function lines(path, token, take) {
  const reader = (await send(path, token)).body.pipeThrough(new TextDecoderStream()).getReader();
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
