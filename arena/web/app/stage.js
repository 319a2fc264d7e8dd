// The games on the page. Their positions come from feeds, wherever these have them from, and go onto the
// board and the timeline.

import { encoded } from "./address.js";
import { legend, thumbnail } from "./board.js";
import { element, find, say, turnTo } from "./elements.js";
import { Game } from "./game.js";
import { Player } from "./player.js";
import { View } from "./view.js";

const lead = 6; // steps before a moment at which it is shown from
const fresh = 20; // steps of a game that goes on for which it is shown what a seat has chosen by

/** @type {any} */
let mode = {};
let views = [], coming = []; // the games that are shown, and those that have come last
let following = false; // what comes, rather than standing where somebody has gone
let at = -1; // the place that was shown last
let writing = 0;

export const player = new Player(show, toggle);

// shown is the positions on the page, and the games they are of.
export function shown() { return views.map(view => ({ game: view.game, ...view.board.shown, view })); }

// state is what the page shows, for tests.
export function state() {
  const [game] = views.map(view => view.game), { step, rewards, thoughts, actions } = game?.at(player.index) ?? {};
  return { following, seed: game?.head.seed, positions: game?.positions.map(p => p.step), events: game?.events, step, rewards, thoughts, actions };
}

// open makes room for other games. A mode needs page and caption:
//
//   page: which parts of the shell are shown
//   caption(views, position, following): the title, what stands below it, and the name of the tab
//   view: the seat to look through at first
//   live: the games go on
//   seat(game): the seat to look through, where nobody chooses it
//   address(): what the address says, where it says what is shown
//   videos: the kinds that there are, where the address is for others, too
//   title(number): the name of one of two games
//   hear(line, game): takes each line once the page shows it
export function open(wanted) {
  player.run(false);
  for (const view of views) view.close();
  [views, coming, mode, following] = [[], [], wanted, Boolean(wanted.live)];
}

// take shows the lines of a feed. Another game takes the place of one that somebody looks back at once they follow.
export function take(lines, number = 0) {
  for (const line of lines) {
    if (line.head) coming[number] = new Game({ ...line.head, steps: [] });
    if (line.step) coming[number].add(line.step, mode.live ? fresh : 0);
  }
  const game = coming[number];
  if (game && views[number]?.game === game) {
    views[number].moments.add();
    player.grow(views.map(view => view.game));
  } else if (game?.positions.length && (following || !views[number])) {
    place(number);
  }
  if (following && views.length) player.set(player.last);
  for (const line of lines) mode.hear?.(line, game);
}

function place(number) {
  const [game] = coming, before = views[0]?.game.head;
  views[number]?.close();
  views[number] = new View(coming[number], mode.title?.(number) ?? "", jump, look);
  if (JSON.stringify([game.head.env, game.head.names]) !== JSON.stringify([before?.env, before?.names])) {
    offerViews(game, Number(before?.env === game.head.env ? find("view").value : mode.view ?? -1));
    find("legend").lastElementChild.replaceChildren(...legend(game).map(([words, draw]) => element("li", {}, thumbnail(draw), words)));
  }
  find("games").classList.toggle("two", views.length > 1);
  find("games").replaceChildren(...views.map(view => view.whole));
  turnTo(mode.page);
  at = -1;
  player.run(false);
  player.grow(views.map(view => view.game));
}

// jump goes to a position; in a match that somebody has played, once it is over, its last steps play from there.
function jump(index) {
  if (!mode.seat) return player.go(index);
  if (!views[0].game.at(player.last).status.over) return;
  player.set(Math.max(0, index - lead));
  player.run(true);
}

// look looks through the eyes of a seat, or of everybody again.
function look(seat) {
  if (mode.seat) return;
  find("view").value = find("view").value === String(seat) ? -1 : seat;
  player.set(player.index);
}

function offerViews(game, wanted) {
  const seats = game.head.teams.flat().toSorted((a, b) => a - b);
  find("view").replaceChildren(element("option", { value: -1 }, "everything"),
    ...seats.map(seat => element("option", { value: seat }, `what ${game.who(seat)} sees`)));
  find("view").value = seats.includes(wanted) ? wanted : -1;
}

function show(index, playing) {
  if (!views.length) return;
  if (playing || index < player.last) following = false;
  else if (mode.live && index > at) following = true;
  at = playing ? -1 : index;
  const [{ game }] = views, seat = mode.seat ? mode.seat(game) : Number(find("view").value);
  for (const view of views) view.show(index, seat, find("reach").checked, find("dim").checked);
  find("happened").setAttribute("aria-live", playing || following && !mode.seat ? "off" : "polite");
  say(find("happened"), views.map(view => view.happened(index)).filter(text => text).join(" | "));
  const [title, about, name] = mode.caption(views, game.at(index), following);
  say(find("title"), title);
  say(find("about"), about);
  document.title = `${name ?? title} · pommego`;
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

// videos are the kinds that there are of what is shown; none where its address is not for others.
export function videos() { return mode.videos; }

// offerVideos says that there are videos now.
export function offerVideos(kinds) { mode.videos = kinds; }

// linked reports whether the address says what is shown, so that others can open it.
export function linked() { return Boolean(mode.address); }

// moment is the address of what is shown.
export function moment() { return `#${encoded({ ...mode.address(), view: find("view").value === "-1" ? undefined : find("view").value })}`; }

// remember keeps the address current, at a pace that browsers allow.
function remember() {
  clearTimeout(writing);
  writing = setTimeout(() => {
    if (!views.length || !mode.address || location.protocol === "about:") return; // a page in a notebook has no address
    history.replaceState(null, "", moment());
  }, 200);
}

function latest() {
  following = true;
  if (views[0].game !== coming[0]) place(0);
  player.set(player.last);
}

function toggle() {
  if (following) following = false;
  else if (mode.live && player.index === player.last) return latest();
  else player.run(!player.playing);
  mark();
}

find("latest").onclick = latest;
find("view").onchange = find("reach").onchange = find("dim").onchange = () => player.set(player.index);

// A control that was used leaves the keys to the game again.
addEventListener("change", ({ target }) => { if (views.length && target.matches("select, [type=checkbox]")) target.blur(); });

// Keys act while there is something to see, except where they mean something else.
addEventListener("keydown", event => {
  if (!views.length || mode.seat || event.ctrlKey || event.metaKey || event.altKey) return;
  const { target } = event;
  if (target.matches("select, input:not([type=range]), textarea")) return;
  if (event.key === " " && target.matches("button, summary, a")) return;
  if (event.key === "v") {
    find("view").selectedIndex = (find("view").selectedIndex + 1) % find("view").length;
    player.set(player.index);
  } else if (event.key === "b" || event.key === "d") {
    find(event.key === "b" ? "reach" : "dim").click();
  } else if (!player.key(event)) {
    return;
  }
  event.preventDefault();
});
