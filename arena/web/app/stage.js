// The game on the page. Its positions come from any feed, and go to the
// board and the timeline.

import { legend, thumbnail } from "./board.js";
import { element, encoded, entitle, find, say, turnTo } from "./elements.js";
import { Game } from "./game.js";
import { Player } from "./player.js";
import { View } from "./view.js";

const lead = 6; // how many steps before a moment its replay begins
const ways = { b: "reach", c: "named", d: "dim" }, looks = Object.values(ways); // the options for drawing the board, by key
const fresh = 20; // for how many steps of a running game a thought stays

/** @type {any} */
let mode = {};
/** @type {View | undefined} */
let view;
/** @type {Game | undefined} */
let coming; // the last game of the feed
let following = false; // whether the page follows new positions; else it stays where the user is
let at = -1; // the last place shown
let writing = 0, home = ""; // the timer that writes the address, and the address of what is open

export const player = new Player(show, toggle);

// shown is the position on the page and its game, once there is one.
export function shown() { return view && { game: view.game, ...view.board.shown, canvas: view.board.canvas }; }

// state is what the page shows, for tests.
export function state() {
  const { game } = view ?? {}, { step, rewards, thoughts, actions } = game?.at(player.index) ?? {};
  return { following, seed: game?.head.seed, positions: game?.positions.map(p => p.step), events: game?.events, step, rewards, thoughts, actions };
}

// open makes room for another game. A mode needs page and caption:
//
//   page: which parts of the shell are shown
//   caption(view, position, following): what entitle takes
//   view: the seat to look through at first
//   live: the games go on
//   seat(game): the seat to look through, if the user cannot choose it
//   address(): the address of the current view, if it has one
//   number: the game's number at the server, which can then draw pictures of it
//   hear(line, game): takes each line once the page shows it
export function open(wanted) {
  player.run(false);
  view?.close();
  find("share").open = false;
  [view, coming, mode, following, home] = [undefined, undefined, wanted, Boolean(wanted.live), location.hash];
}

// take shows the lines of a feed. While the user looks back at a game, a new game waits until they follow again,
// unless they play in it.
export function take(lines) {
  const had = view?.game.last;
  for (const line of lines) {
    if (line.head) coming = new Game({ ...line.head, number: line.game, steps: [] });
    if (line.step) coming.add(line.step, mode.live ? fresh : 0);
  }
  if (view && view.game.last !== had) {
    view.moments.add();
    player.grow(view.game);
  }
  if (coming?.positions.length && view?.game !== coming && (following || mode.seat || !view)) place(coming);
  if (following && view) player.set(player.last);
  for (const line of lines) mode.hear?.(line, coming);
}

function place(game) {
  const before = view?.game.head;
  find("share").open = false;
  view?.close();
  view = new View(game, jump, look);
  if (JSON.stringify([game.head.env, game.head.names]) !== JSON.stringify([before?.env, before?.names])) {
    offerViews(game, Number(before?.env === game.head.env ? find("view").value : mode.view ?? -1));
    find("legend").lastElementChild.replaceChildren(...legend(game).map(([words, draw]) => element("li", {}, thumbnail(draw), words)));
  }
  find("games").replaceChildren(view.whole);
  turnTo(mode.page);
  player.run(false);
  [at, following] = [-1, Boolean(mode.live)]; // a replay that just stopped was of the game before
  player.grow(game);
}

// jump goes to a position. In a match that a person has played and that is over, the steps play from there.
function jump(index) {
  if (!mode.seat) return player.go(index);
  if (!view.game.at(player.last).status.over) return;
  player.set(Math.max(0, index - lead));
  player.run(true);
}

// look shows the view of a seat, or the whole game again.
function look(seat) {
  if (mode.seat) return;
  find("view").value = find("view").value === String(seat) ? -1 : seat;
  player.set(player.index);
}

function offerViews(game, wanted) {
  find("view").replaceChildren(element("option", { value: -1 }, "everything"),
    ...game.seats.map(seat => element("option", { value: seat }, `what ${game.who(seat)} sees`)));
  find("view").value = game.seats.includes(wanted) ? wanted : -1;
}

function show(index, playing) {
  if (!view) return;
  if (playing || index < player.last) following = false;
  else if (mode.live && index > at) following = true;
  at = playing ? -1 : index;
  const { game } = view, seat = mode.seat ? mode.seat(game) : Number(find("view").value);
  view.show(index, seat, /** @type {any} */ (Object.fromEntries(looks.map(id => [id, find(id).checked]))));
  find("happened").setAttribute("aria-live", playing || following && !mode.seat ? "off" : "polite");
  say(find("happened"), view.happened(index));
  entitle(...mode.caption(view, game.at(index), following));
  mark();
  if (!playing) remember();
}

function mark() {
  const running = following || player.playing, words = !running ? "Play" : mode.live ? "Hold the picture" : "Pause";
  find("play").classList.toggle("playing", running);
  find("play").setAttribute("aria-label", words);
  find("play").title = `${words} (space)`;
  find("latest").hidden = !mode.live || following;
}

// number is the game's number at the server, if the server has it.
export function number() { return mode.number; }

// moment is the address of the current view, if it has one.
export function moment() {
  return mode.address && `#${encoded({ ...mode.address(), view: find("view").value === "-1" ? undefined : find("view").value })}`;
}

// remember updates the address, as often as browsers allow, unless the user goes elsewhere meanwhile.
function remember() {
  clearTimeout(writing);
  writing = setTimeout(() => {
    if (location.hash !== home || !view || !mode.address || location.protocol === "about:") return; // a page in a notebook has no address
    history.replaceState(null, "", moment());
    home = location.hash;
  }, 200);
}

function latest() {
  following = true;
  if (coming.positions.length && view.game !== coming) place(coming);
  player.set(player.last);
}

function toggle() {
  if (following) following = false;
  else if (mode.live && player.index === player.last) return latest();
  else player.run(!player.playing);
  mark();
}

find("latest").onclick = latest;
for (const id of ["view", ...looks]) find(id).onchange = () => player.set(player.index);

// After use a control loses the focus, so that keys act on the game again.
addEventListener("change", ({ target }) => { if (view && target.matches("select, [type=checkbox]")) target.blur(); });

// Keys act while a game is shown, except in controls that use them.
addEventListener("keydown", event => {
  if (!view || mode.seat || event.ctrlKey || event.metaKey || event.altKey) return;
  const { target } = event;
  if (target.matches("select, input:not([type=range]), textarea")) return;
  if (event.key === " " && target.matches("button, summary, a")) return;
  if (event.key === "v") {
    find("view").selectedIndex = (find("view").selectedIndex + 1) % find("view").length;
    player.set(player.index);
  } else if (event.key in ways) {
    find(ways[event.key]).click();
  } else if (!player.key(event)) {
    return;
  }
  event.preventDefault();
});
