// The source of games and lists: the server of this page or, in a page of one file, the page itself.

import { complain, readAddress } from "./elements.js";

export const server = { ask, blob, post, lines, seen, listing, game };

export const held = document.getElementById("held").textContent || undefined;

const noAnswer = "The server does not answer: pommego has ended, or the connection is lost. The page goes on by itself once it is back.";
const gone = 502; // the status of a server behind this one that does not answer
let lost = ""; // the page's message while there is no answer

export function rest(milliseconds) { return new Promise(done => setTimeout(done, milliseconds)); }

// miss says which server does not answer; "" once it answers.
function miss(words) {
  if (words || lost) complain(words);
  lost = words;
}

// send repeats a request until there is an answer, and reads it if it is no error. It throws when options.signal aborts.
async function send(path, token, read, options = {}) {
  const { key = "" } = readAddress(); // a running environment's key, which no request's address has
  const headers = { Authorization: `Bearer ${token}`, "View-Key": key };
  for (let wait = 250; ; wait = Math.min(2 * wait, 4000)) {
    const { ok, status, body } = await fetch(path, { ...options, headers })
      .then(async answer => ({ ok: answer.ok, status: answer.status, body: await (answer.ok ? read(answer) : answer.text()) }))
      .catch(() => ({ ok: false, status: gone, body: noAnswer }));
    options.signal?.throwIfAborted();
    miss(status === gone ? body : "");
    if (ok) return body;
    if (status !== gone) throw new Error(body.trim() || `The server answers ${status}.`);
    await rest(wait);
  }
}

// parse reads JSON. Seeds that numbers do not hold exactly become texts.
function parse(text) {
  return JSON.parse(text, /** @type {any} */ ((key, value, { source = value } = {}) => key === "seed" && typeof value === "number" && value > Number.MAX_SAFE_INTEGER ? source : value));
}

function ask(path, token, signal = undefined) { return send(path, token, async answer => parse(await answer.text()), { signal }); }

function blob(path, token) { return send(path, token, answer => answer.blob()); }

function post(path, token, body) { return send(path, token, () => null, { method: "POST", keepalive: true, body: JSON.stringify(body) }); }

// lines calls take with new lines of JSON until the connection ends. It throws when signal aborts.
async function lines(path, token, signal, take) {
  const reader = await send(path, token, answer => answer.body.pipeThrough(new TextDecoderStream()).getReader(), { signal });
  for (let begun = ""; ;) {
    const { value, done } = await reader.read().catch(() => ({ value: "", done: true }));
    signal.throwIfAborted();
    if (done) return;
    const whole = (begun + value).split("\n");
    begun = whole.pop();
    if (whole.length) take(whole.map(parse));
  }
}

// seen is lines while the page is visible: a hidden page costs nothing.
async function seen(path, token, signal, take) {
  if (document.hidden) return rest(1000);
  const hidden = new AbortController();
  document.addEventListener("visibilitychange", () => hidden.abort(), { signal: hidden.signal });
  return lines(path, token, AbortSignal.any([signal, hidden.signal]), take).catch(error => { if (!hidden.signal.aborted || signal.aborted) throw error; })
    .finally(() => hidden.abort());
}

// unpack decompresses the game in a page of one file.
async function unpack() {
  const bytes = Uint8Array.from(atob(held.trim()), char => char.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return parse(await new Response(plain).text());
}

// listing is the list of games, in the form of web.Listing.
async function listing(token, signal) {
  if (held === undefined) return ask("api/listing", token, signal);
  const { title, view } = await unpack();
  return { kind: "games", title, view, games: [{ game: 1 }] };
}

// game is a recorded game, as lines of a feed.
async function game(number, token, signal = undefined) {
  const { steps, ...head } = held === undefined ? await ask(`api/game/${encodeURIComponent(number)}`, token, signal) : (await unpack()).game;
  return [{ head }, ...steps.map(step => ({ step }))];
}
