// A wall of games side by side, with the results of their episodes. It keeps the last episodes.

import { Board } from "./board.js";
import { counted, element, entitle, find, say, turnTo } from "./elements.js";
import { Game, isDeath } from "./game.js";

const kept = 12; // episodes
const recent = 40; // how many episodes rates are computed from
const mostPoints = 240; // the most points of a curve
const causes = { collapse: "the collapse", move: "collisions", base: "an enemy's base" };
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8f98"];

let panes = new Map(), episodes = [], coming = [], number = 0, link = query => String(query);
let points, pace, total; // of the environment, since the page was opened

function learns(game, seat) { return game.head.names[seat] === "learner"; }

function won(game, winners) { return winners.some(seat => learns(game, seat)); }

// deathsOf counts the causes of learners' deaths.
function deathsOf(game, events) {
  return events.filter(event => isDeath(event) && learns(game, event.seat)).map(({ seat, by = [], what }) => {
    if (!by.length) return causes[what] ?? "others";
    return by.includes(seat) ? "their own bombs" : by.some(other => game.team(other) === game.team(seat)) ? "teammates" : "enemies";
  });
}

// Pane is a small board.
class Pane {
  constructor(game) {
    this.canvas = element("canvas", { role: "img" });
    this.words = element("span");
    this.whole = element("li", {}, element("a", { href: link({ game }), title: `Look at game ${game}` }, this.canvas, this.words));
    find("panes").append(this.whole);
  }

  take(line) {
    if (line.head) {
      const game = new Game({ ...line.head, steps: [] });
      if (this.board) this.board.game = game;
      else this.board = new Board(this.canvas, game, true);
    }
    if (!line.step) return;
    const { game } = this.board;
    game.add(line.step);
    const { step, status: { winners }, events = [] } = game.at(game.last);
    for (const cause of deathsOf(game, events)) total.deaths[cause] = (total.deaths[cause] ?? 0) + 1;
    if (!events.some(({ event }) => event === "ended")) return; // it goes on, or was over when the wall was opened
    total.episodes++;
    total.steps += step;
    total.won += won(game, winners) ? 1 : 0;
  }

  draw(line) {
    const { game } = this.board, position = game.at(game.last);
    if (!position) return;
    this.board.show(position);
    this.whole.classList.toggle("out", !position.status.in.some(seat => learns(game, seat)));
    say(this.words, `game ${line.game} · ${position.step}`);
  }
}

// keep adds the lines of an episode that is over, one by one. Each time the wall is opened, the last one comes again.
function keep({ head, step }) {
  if (head) coming = [];
  coming.push(head ? { head } : { step });
  if (!step?.status?.over || JSON.stringify(coming) === JSON.stringify(episodes[0]?.lines)) return;
  const game = new Game({ ...coming[0].head, steps: coming.slice(1).map(line => line.step) }), { winners, in: left } = step.status;
  const [died] = deathsOf(game, game.events.filter(({ seat }) => !left.includes(seat)));
  const how = won(game, winners) ? "won" : died ? `died by ${died}` : "not won";
  episodes = [{ number: ++number, lines: coming }, ...episodes].slice(0, kept);
  find("episodes").prepend(element("li", {}, element("a", { href: link({ episode: number }) }, `${counted(step.step, "step")}: ${how}`)));
  find("episodes").children[kept]?.remove();
}

// episodeOf is the lines of a kept episode.
export function episodeOf(wanted) { return episodes.find(one => String(one.number) === wanted)?.lines; }

export function leave() {
  for (const { board } of panes.values()) board?.close();
  panes.clear();
}

// enter prepares the wall for the games of the environment to which links lead. Without env it shows the wall as it was left.
export function enter(to, env = undefined) {
  if (to({}) !== link({})) { // another environment
    [points, pace, episodes, total] = [[], 1000, [], { moves: 0, episodes: 0, steps: 0, won: 0, deaths: {} }];
    find("episodes").replaceChildren();
  }
  link = to;
  if (!env && !episodes.length) return;
  turnTo("wall");
  if (!env) return;
  leave();
  find("panes").replaceChildren();
  entitle(env.env, `${counted(env.games, "game")}, ${counted(env.learners, "learner")} each`);
  find("any").href = link({ game: "any" });
}

// tell takes lines. It returns why they are the last ones, if they are.
export function tell(lines) {
  const news = new Map();
  for (const line of lines.filter(line => line.replay)) keep(line);
  for (const line of lines.filter(line => !line.end && !line.replay)) {
    if (!panes.has(line.game)) panes.set(line.game, new Pane(line.game));
    panes.get(line.game).take(line);
    news.set(line.game, line);
    total.moves = line.moves;
  }
  for (const [game, line] of news) panes.get(game).draw(line);
  count(performance.now());
  return lines.find(line => line.end)?.end;
}

// count adds a point to the curves. If there are too many, it removes every other one.
function count(time) {
  if (points.length && time - points.at(-1).time < pace) return;
  points.push({ ...structuredClone(total), time });
  if (points.length > mostPoints) {
    points = points.filter((_, i) => i % 2);
    pace *= 2;
  }
  const last = points.length - 1, names = Object.keys(total.deaths);
  const rate = (of, per, before) => points.map((p, i) => { const b = before(i); return per(p) > per(b) ? (of(p) - of(b)) / (per(p) - per(b)) : undefined; });
  const since = i => points.findLast(p => points[i].episodes - p.episodes >= recent) ?? points[0];
  const ended = of => rate(of, p => p.episodes, since), died = p => Object.values(p.deaths).reduce((sum, n) => sum + n, 0);
  const moves = rate(p => 1000 * p.moves, p => p.time, i => points[Math.max(0, i - 1)]), won = ended(p => p.won), steps = ended(p => p.steps);
  const deaths = names.map(name => rate(p => p.deaths[name] ?? 0, died, since));
  curve("moves", [moves], n => Math.round(n).toLocaleString("en"));
  curve("won", [won], share, 1);
  curve("length", [steps], n => counted(Math.round(n), "step"));
  curve("deaths", deaths, () => "", 1);
  find("causes").replaceChildren(...names.map((name, i) => {
    const entry = element("li", {}, `${name} ${deaths[i][last] === undefined ? "" : share(deaths[i][last])}`);
    entry.style.setProperty("--seat", colours[i % colours.length]);
    return entry;
  }));
}

function share(n) { return `${Math.round(100 * n)} %`; }

// curve draws lines over time, with a label at their ends.
function curve(id, lines, worded, most = 1.1 * Math.max(1e-9, ...lines.flat().filter(y => y))) {
  const canvas = find(`${id}-curve`), pen = canvas.getContext("2d"), { clientWidth: width, clientHeight: height } = canvas, end = lines[0]?.at(-1);
  say(find(`${id}-now`), end === undefined ? "…" : worded(end));
  [canvas.width, canvas.height] = [width * devicePixelRatio, height * devicePixelRatio];
  pen.scale(devicePixelRatio, devicePixelRatio);
  pen.lineWidth = 2;
  lines.forEach((line, n) => {
    pen.strokeStyle = colours[n % colours.length];
    pen.beginPath();
    line.forEach((y, i) => { if (y !== undefined) pen.lineTo(1 + (width - 2) * i / Math.max(1, line.length - 1), height - 1 - (height - 2) * y / most); });
    pen.stroke();
  });
}
