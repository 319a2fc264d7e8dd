// Running environments, looked at while they are stepped.

import { encoded, readAddress } from "./address.js";
import { complain, element, find, say, turnTo } from "./elements.js";
import { Game } from "./game.js";
import { fillLegend, offerViews, wireLooks } from "./looks.js";
import { Player } from "./player.js";
import { rest, server } from "./server.js";
import { offerSharing } from "./share.js";
import { View } from "./view.js";

const place = readAddress();
const pause = 100; // milliseconds from one look to the next
const tellEvery = 2000;
const fresh = 20; // steps for which it is shown what a seat has chosen by

let about = null, told = 0, looks = 0; // the environment, and when the server said what it is
let view = null, player = null;
let since = 0; // the number of the last look
let following = true; // what happens, rather than standing where somebody has gone
let missed = false; // another episode has begun meanwhile
let at = -1; // the place that was shown last
let paused = false, byMe = false;

// state is what the page shows, for tests.
export function state() {
  const position = view?.game.at(player.index), { env, seed } = view?.game.head ?? {};
  return {
    looks, paused, following, env, seed, positions: view?.game.positions.map(p => p.step), events: view?.game.events,
    step: position?.step, rewards: position?.rewards, thoughts: position?.thoughts, actions: position?.actions,
  };
}

// tell asks what the key in the address opens: an environment, or the list of all.
async function tell() {
  const opened = await server.ask("api/live", place.token);
  told = performance.now();
  if (Array.isArray(opened)) return list(opened);
  about = opened;
  mark();
}

function list(all) {
  turnTo("list");
  say(find("title"), "Running environments");
  find("none").hidden = all.length > 0;
  find("list").replaceChildren(...all.map(e => element("li", {},
    `${e.env}: ${e.games} game${e.games === 1 ? "" : "s"}, ${e.learners} learner${e.learners === 1 ? "" : "s"} each, of ${e.client}${e.running ? "" : ", not reset yet"}${e.paused ? ", paused" : ""}`)));
}

function mark() {
  const running = following || player.playing;
  find("play").classList.toggle("playing", running);
  find("play").setAttribute("aria-label", running ? "Hold the picture" : "Play");
  find("play").title = running ? "Hold the picture (space)" : "Play (space)";
  find("latest").hidden = following || !view;
  find("pause").hidden = find("one").hidden = !about?.pausable;
  say(find("pause"), paused ? "Go on" : "Pause the training");
  find("one").disabled = !paused;
  find("number").max = (about?.games ?? 1) - 1;
}

async function look() {
  const asked = where(), got = await server.ask(`api/live/${asked}?since=${since}`, place.token);
  if (asked !== where()) return;
  ({ paused } = got);
  since = got.number;
  looks++;
  if (got.steps) take(got, asked);
  mark();
}

function where() {
  return Math.min(Math.max(0, Number(find("number").value) || 0), Number(find("number").max));
}

// take shows new positions, those of another episode only to those who follow.
function take(got, asked) {
  const key = `${asked} ${got.episode} ${got.head.seed}`;
  if (view?.key === key) {
    add(view.game, got.steps);
    view.addEvents();
    player.grow([view.game]);
  } else if (following || view?.where !== asked) {
    open(got, asked, key);
  } else {
    missed = true;
  }
  if (following) player.set(player.last);
}

function open(got, asked, key) {
  const { head } = got, offered = JSON.stringify([head.env, head.names]);
  const game = new Game({ ...head, steps: [] });
  add(game, got.steps);
  if (view?.offered !== offered) {
    offerViews(game, Number(view?.game.head.env === head.env ? find("view").value : place.view ?? -1));
    fillLegend(game);
  }
  view?.close();
  view = Object.assign(new View(game, "", index => player.go(index)), { where: asked, key, offered });
  find("games").replaceChildren(view.whole);
  turnTo("live");
  following = true;
  missed = false;
  at = -1;
  player.load([game]);
}

// add adds positions. What seats have chosen by is known of some steps, and stays for
// a few.
function add(game, steps) {
  for (const step of steps) {
    const before = game.positions.at(-1)?.thoughts ?? [];
    game.add(step);
    const now = game.positions.at(-1), own = (now.thoughts ?? []).map(thought => ({ ...thought, step: step.step }));
    now.thoughts = [...own, ...before.filter(b => step.step - b.step < fresh && !own.some(t => t.seat === b.seat))];
  }
}

function show(index, playing) {
  if (playing || index < player.last) following = false;
  else if (index > at) following = true;
  at = playing ? -1 : index;
  if (!view) return;
  view.show(index, Number(find("view").value), find("reach").checked, find("dim").checked);
  const { head } = view.game, position = view.game.at(index);
  say(find("title"), `${head.env}, game ${view.where}`);
  say(find("about"), `step ${position.step} of ${head.max_steps} · seed ${head.seed}${paused ? " · paused" : following ? "" : " · held"}`);
  find("happened").setAttribute("aria-live", paused || !following ? "polite" : "off");
  say(find("happened"), view.happened(index));
  mark();
}

function latest() {
  following = true;
  if (missed) [since, view.key] = [0, ""];
  player.set(player.last);
}

function toggle() {
  if (following) following = false;
  else if (player.index === player.last) return latest();
  else player.run(!player.playing);
  mark();
}

async function order(what) {
  try {
    await server.post(`api/live/${what}`, place.token);
    paused = byMe = what !== "go";
    mark();
  } catch (error) {
    complain(error);
  }
}

function remember() {
  const wanted = { token: place.token, key: place.key, game: find("number").value, view: find("view").value };
  history.replaceState(null, "", `#${encoded(wanted)}`);
}

async function lookOn() {
  for (;;) {
    const begun = performance.now();
    try {
      if (!document.hidden || paused) {
        if (begun - told > tellEvery || !told) await tell();
        if (about) await look();
        complain();
      }
    } catch (error) {
      complain(error);
      told = 0;
      await rest(1000);
    }
    await rest(Math.max(20, pause - (performance.now() - begun)));
  }
}

function wire() {
  find("latest").onclick = latest;
  find("pause").onclick = () => order(paused ? "go" : "pause");
  find("one").onclick = () => { latest(); order("step"); };
  find("number").addEventListener("change", () => {
    since = 0;
    following = true;
    mark();
  });
  for (const id of ["number", "view"]) find(id).addEventListener("change", remember);
  addEventListener("pagehide", () => { if (byMe) order("go"); });
  find("number").value = place.game ?? 0;
}

export function watch() {
  document.title = "Live · pommego";
  player = new Player(show);
  player.toggle = toggle;
  wireLooks(player, () => view);
  offerSharing(find("looks"), { views: () => view ? [view] : [] });
  wire();
  lookOn();
}
