// Running environments, looked at while they are stepped.

import { element, find, say } from "./elements.js";
import { Game } from "./game.js";
import * as server from "./server.js";
import { wireTheme } from "./themes.js";
import { View } from "./view.js";

const place = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const pause = 100; // milliseconds from one look to the next
const listEvery = 2000;

let view = null, listed = 0, looks = 0;

// state is what the page shows, for tests.
export function state() {
  const position = view?.game.at(view.game.last);
  return { looks, step: position?.step, seed: view?.game.head.seed, rewards: position?.rewards, thoughts: position?.thoughts, env: view?.game.head.env };
}

const rest = milliseconds => new Promise(done => setTimeout(done, milliseconds));

function complain(text) {
  say(find("message"), text);
  find("message").hidden = !text;
}

// list offers the environments that there are.
async function list() {
  const all = await server.ask("api/live", place.token);
  listed = performance.now();
  const key = JSON.stringify(all);
  if (key !== find("env").dataset.known) {
    const before = find("env").value || place.env;
    find("env").dataset.known = key;
    find("env").replaceChildren(...all.map(e => element("option", { value: e.id },
      `${e.id}: ${e.env}, ${e.games} game${e.games === 1 ? "" : "s"}, ${e.learners} learner${e.learners === 1 ? "" : "s"} each${e.running ? "" : ", not reset yet"}`)));
    if (all.some(e => String(e.id) === before)) find("env").value = before;
    const chosen = all.find(e => String(e.id) === find("env").value);
    find("number").max = chosen ? chosen.games - 1 : 0;
  }
  find("none").hidden = all.length > 0;
  return all.length > 0;
}

// look shows the chosen game as it stands.
async function look() {
  const number = Math.min(Math.max(0, Number(find("number").value) || 0), Number(find("number").max));
  const at = await server.ask(`api/live/${find("env").value}/${number}`, place.token);
  if (!view || JSON.stringify(at.head) !== view.head) open(at);
  view.game.positions = [];
  view.game.add(at.step);
  view.show(0, Number(find("view").value), find("reach").checked);
  say(find("about"), `${at.head.env} · game ${at.game} · step ${at.step.step} of ${at.head.max_steps} · seed ${at.head.seed}`);
  looks++;
}

// open begins to show another game or episode.
function open(at) {
  const same = view?.game.head.env === at.head.env, seen = same ? find("view").value : place.view ?? "-1";
  view?.close();
  view = new View(new Game({ ...at.head, steps: [at.step] }), "", () => {});
  view.head = JSON.stringify(at.head);
  view.whole.querySelector(".events").hidden = true; // a look has none
  find("games").replaceChildren(view.whole);
  const seats = at.head.teams.flat().toSorted((a, b) => a - b);
  find("view").replaceChildren(element("option", { value: -1 }, "everything"),
    ...seats.map(seat => element("option", { value: seat }, `what ${view.game.who(seat)} sees`)));
  find("view").value = seen;
  if (find("view").selectedIndex < 0) find("view").value = "-1";
}

// remember keeps the address current.
function remember() {
  const wanted = { token: place.token, env: find("env").value, game: find("number").value, view: find("view").value };
  history.replaceState(null, "", `#${new URLSearchParams(wanted)}`);
}

async function watch() {
  for (;;) {
    const begun = performance.now();
    try {
      if (!document.hidden && find("hold").ariaPressed === "false") {
        const any = begun - listed > listEvery || !listed ? await list() : find("env").length > 0;
        if (any) await look();
        complain("");
      }
    } catch (error) {
      complain(error.message ?? String(error));
      listed = 0;
      await rest(1000);
    }
    await rest(Math.max(20, pause - (performance.now() - begun)));
  }
}

find("hold").onclick = () => {
  const on = find("hold").ariaPressed === "false";
  find("hold").ariaPressed = String(on);
};
for (const id of ["env", "number", "view"]) find(id).addEventListener("change", remember);
find("env").addEventListener("change", () => { find("env").dataset.known = ""; listed = 0; });
find("number").value = place.game ?? 0;
wireTheme(() => view?.board.draw());
watch();
