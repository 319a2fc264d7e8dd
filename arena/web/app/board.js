// A board on a canvas, sharp at any size and density.

// @ts-ignore The server makes it of sprites.json.
import { drawing } from "./drawing.js";
import { sprites } from "./sprites.js";
import { drawThoughts } from "./thoughts.js";

const legends = { bomb: "bomb: steps left; ring in its owner's colour", base: "base: its energy", flame: "flame, fainter as it ends" };
export const still = matchMedia("(prefers-reduced-motion: reduce)");

// In milliseconds: how long a move to a neighbouring cell takes, the shortest time between steps
// for which moves are drawn (a frame less than at 15 steps a second), and how long a death is shown
// and fire flickers after a step.
const stride = 120, shortest = 50, mourning = 800, restless = 2000;

export class Board {
  // Nothing moves between the steps of a calm board.
  constructor(canvas, game, calm = false) {
    this.canvas = canvas;
    this.game = game;
    this.calm = calm;
    this.pen = canvas.getContext("2d");
    this.begun = -Infinity; // when the last step was shown
    this.events = [];
    canvas.style.aspectRatio = `${game.head.cols} / ${game.head.rows}`;
    this.ground = new OffscreenCanvas(0, 0); // the parts of the picture that do not move
    this.resizing = new ResizeObserver(([{ contentRect: { width } }]) => {
      this.width = width; // which drawing would have to wait for
      this.draw(true);
    });
    this.resizing.observe(canvas);
    this.leaving = new AbortController();
    sprites.darkness.addEventListener("change", () => this.draw(true), { signal: this.leaving.signal });
  }

  close() {
    this.resizing.disconnect();
    this.leaving.abort();
    cancelAnimationFrame(this.frame);
  }

  // show shows a position. Options add the cells that bombs reach, the numbers and letters of cells and figures in
  // texts, and dimmed cells. Things move there from the last position if that is one step away.
  show(position, { reach = false, named = false, dims = cell => cell < 0 } = {}) {
    const last = this.shown?.position, by = position.step - (last?.step ?? NaN);
    this.shown = { position, reach, named, dims };
    if (by === 0) this.resting = 0;
    else this.move(Math.abs(by) === 1 ? last : position, by === 1 ? position.events ?? [] : []);
    this.canvas.setAttribute("aria-label", inText(this.game, this.shown.position));
    this.draw(true);
  }

  // move begins to move from a position, unless there is no time or the user prefers no motion.
  move(before, events) {
    const now = performance.now(), pause = now - this.begun, moves = before !== this.shown.position && pause > shortest && !still.matches && !this.calm;
    this.begun = now;
    this.before = moves ? before : this.shown.position;
    this.arriving = moves ? now + Math.min(stride, pause) : now;
    this.resting = moves ? now + restless : now;
    this.events = moves ? [...this.events, ...events.filter(e => e.event === "died").map(e => ({ ...e, begun: now }))] : [];
  }

  drawGround({ position, reach }) {
    const { cols, rows } = this.game.head;
    this.cell = Math.max(4, Math.round((this.width || this.canvas.clientWidth) * devicePixelRatio / cols));
    for (const canvas of [this.canvas, this.ground]) {
      if (canvas.width === cols * this.cell && canvas.height === rows * this.cell) continue;
      canvas.width = cols * this.cell;
      canvas.height = rows * this.cell;
    }
    const pen = this.ground.getContext("2d");
    for (const mark of groundOf(this.game, position, reach)) sprites.stamp(pen, this.cell, mark);
  }

  // draw draws the board as it is now, and again in the next frame while something moves. The
  // ground is drawn if it may be new.
  draw(anew = false) {
    if (!this.shown) return;
    if (anew) this.drawGround(this.shown);
    this.pen.drawImage(this.ground, 0, 0);
    const now = performance.now(), { position } = this.shown, fraction = now < this.arriving ? (now - this.begun) / (this.arriving - this.begun) : 1;
    const time = now < this.resting ? now : 0;
    this.events = this.events.filter(e => now - e.begun < mourning);
    const deaths = this.events.map(e => ({ ...e, age: (now - e.begun) / mourning }));
    for (const mark of marksOf(this.game, this.before, position, fraction, { ...this.shown, time, deaths })) sprites.stamp(this.pen, this.cell, mark);
    drawThoughts(this.pen, this.cell, this.game, position);
    if (fraction < 1 || deaths.length || time && position.bombs.length + position.flames.length) {
      this.frame ||= requestAnimationFrame(() => {
        this.frame = 0;
        this.draw();
      });
    }
  }
}

// groundOf is the sprites of a position's ground and, as an option, of the cells that bombs reach.
function groundOf(game, { ground, bombs }, reach) {
  const { marks, put } = sheet(), at = place(game);
  [...ground].forEach((kind, cell) => put(groundSprite(game, kind, at(cell)), at(cell)));
  if (reach) for (const cell of new Set(bombs.flatMap(b => b.reach ?? []))) put("danger", at(cell));
  return marks;
}

// marksOf is the sprites above the ground, each drawn over those before, at a fraction of the step
// from the last position. With a time fire flickers. Package arena/picture has the same
// sprites at the end of a step.
function marksOf(game, before, position, fraction, { time, reach, named, dims, deaths }) {
  const { marks, put } = sheet(), at = place(game), { ground } = position;
  if (fraction < 1) [...before.ground].forEach((kind, cell) => { if (kind !== ground[cell]) put(groundSprite(game, kind, at(cell)), at(cell), "", "", 1, 1 - fraction); });
  const moment = { game, before, position, fraction, flicker: ([row, col]) => time && Math.sin(time / 60 + 5 * row + 3 * col), put };
  addThings(moment);
  addAgents(moment, reach, named);
  addDeaths(moment, deaths);
  [...ground].forEach((_, cell) => {
    const [row, col] = at(cell);
    if (dims(cell)) put("dim", [row, col]);
    if (named && !col) put("row", [row, col], "", row);
    if (named && !row) put("column", [row, col], "", col);
  });
  return marks;
}

function sheet() {
  const marks = [];
  const put = (sprite, [row, col], colour, text, size = 1, opacity = 1) => marks.push({ sprite, row, col, size, opacity, colour, text: String(text ?? "") });
  return { marks, put };
}

/** @returns {(cell: number) => [number, number]} */
function place({ head }) { return cell => [Math.floor(cell / head.cols), cell % head.cols]; }

function groundSprite(game, kind, [row, col]) {
  const { sprite } = game.head.looks.find(look => look.chars.includes(kind)), odd = `${sprite}2`;
  return (row + col) % 2 && odd in drawing.sprites ? odd : sprite;
}

// way is the way from one place to another; on boards whose edges meet it may cross them.
function way({ torus, rows, cols }, from, to) {
  return [rows, cols].map((size, i) => torus && Math.abs(to[i] - from[i]) === size - 1 ? Math.sign(from[i] - to[i]) : to[i] - from[i]);
}

/** @param {number[]} way */
function far([down, right]) { return Math.abs(down) + Math.abs(right); }

// between is where somebody is on a way. A way longer than one cell is skipped to its end.
function between({ game, fraction }, from, to) {
  const by = way(game.head, from ?? to, to);
  return far(by) === 1 ? to.map((n, i) => n - by[i] * (1 - fraction)) : to;
}

// placeOf is where a bomb is on its way. Its owners and its time identify it in the last position.
function placeOf(moment, bomb) {
  const distance = b => far(way(moment.game.head, b.at, bomb.at));
  const same = moment.before.bombs.filter(b => b.life - bomb.life === moment.position.step - moment.before.step && String(b.owners) === String(bomb.owners) && distance(b) < 2);
  return between(moment, same.sort((a, b) => distance(a) - distance(b))[0]?.at, bomb.at);
}

// about is the place of a mark of another size in a cell, so that one point of it stays in place.
function about([row, col], size, [down, right] = [0.5, 0.5]) { return [row + down * (1 - size), col + right * (1 - size)]; }

function addThings(moment) {
  const { game, before, position, fraction, flicker, put } = moment, { head } = game, bases = position.bases ?? [], energy = bases.some(b => b.energy);
  for (const b of bases) put(energy ? "base" : "home", b.at, ownersColour(game, b.owners), energy ? b.energy ?? 0 : "");
  for (const { at: [row, col], kind, hidden } of position.items) {
    if (hidden && position.ground[row * head.cols + col] !== "+") continue;
    for (const sprite of ["card", kind]) put(sprite, hidden ? [row + 0.25, col + 0.25] : [row, col], undefined, "", hidden ? 0.5 : 1);
  }
  const flame = life => ["flame", "ember", "flame 2"][head.flame_life > 1 ? life : 0] ?? "flame";
  const burning = new Set(position.flames.map(f => String(f.at))), burnt = new Set(before.flames.map(f => String(f.at)));
  if (fraction < 1) for (const f of before.flames) if (!burning.has(String(f.at))) put(flame(f.life), f.at, "", "", 1, 1 - fraction);
  for (const f of position.flames) {
    const size = (burnt.has(String(f.at)) ? 1 : 0.4 + 0.6 * fraction) + 0.07 * flicker(f.at);
    put(flame(f.life), about(f.at, size), "", "", size);
  }
  for (const b of position.bombs) {
    const place = placeOf(moment, b), spark = 1 + 0.3 * flicker(b.at);
    put("bomb", place, ownersColour(game, b.owners), b.life);
    put("spark", about(place, spark, [0.15, 0.84]), "", "", spark);
    if (b.moving) put(b.moving, place);
  }
}

// addAgents adds agents, first those that are out. It adds the time of bombs on which they
// stand and, as an option, how far the bombs reach.
function addAgents(moment, reach, named) {
  const { game, before, position, put } = moment, alive = position.agents.filter(a => a.alive);
  for (const a of position.agents) if (!a.alive) put("out", a.at, sprites.seatColour(game, a.seat));
  for (const a of alive) {
    const here = alive.filter(b => b.at.join() === a.at.join()), aside = here.length > 1 ? 0.38 * here.indexOf(a) / (here.length - 1) : 0;
    const [row, col] = between(moment, before.agents.find(b => b.alive && label(b) === label(a))?.at, a.at);
    addAgent(moment, a, [row + aside, col + aside], here.length > 1 ? 0.62 : 1);
    if (named) put("letter", [row + aside, col + aside], sprites.seatColour(game, a.seat), letter(game, a), here.length > 1 ? 0.62 : 1);
  }
  for (const b of position.bombs) {
    if (alive.some(a => a.at.join() === b.at.join())) put("ticks", b.at, ownersColour(game, b.owners), b.life);
    if (reach && b.blast) put("strength", placeOf(moment, b), "", b.blast);
  }
}

function addAgent({ game, position, put }, agent, place, size, opacity) {
  const colour = sprites.seatColour(game, agent.seat);
  put(form(game, agent.seat), place, colour, label(agent), size, opacity);
  put(facing(game, position, agent), place, colour, "", size, opacity);
}

// addDeaths lets agents that have just died rise and fade, and gives their killers a skull in
// their colour.
function addDeaths(moment, deaths) {
  const { game, position, put } = moment;
  for (const { seat, at, by = [], age } of deaths) {
    for (const a of position.agents) {
      if (!a.alive && a.seat === seat && String(a.at) === String(at)) addAgent(moment, a, [at[0] - age, at[1]], 1, 1 - age);
      if (a.alive && a.seat !== seat && by.includes(a.seat)) put("kill", [a.at[0] - 0.4 - 0.3 * age, a.at[1] + 0.5], sprites.seatColour(game, seat), "", 0.7, 1 - age * age);
    }
  }
}

// ownersColour is the colour of owners: the first owner's, if all are in one team.
function ownersColour(game, owners = []) {
  if (owners.some(seat => game.team(seat) !== game.team(owners[0]))) return "#f7f7f2";
  return owners.length ? sprites.seatColour(game, owners[0]) : "#50565e";
}

// facing is the sprite for the direction of an agent's last move.
function facing(game, position, agent) {
  const own = Math.max(0, game.head.actions.findIndex(c => agent.name && c.name.endsWith(`_${agent.name}`)));
  const sprite = `facing ${game.head.actions[own].names?.[position.actions?.[agent.seat]?.[own]]}`;
  return sprite in drawing.sprites ? sprite : "facing";
}

// letter is a figure's name in texts for language models.
function letter({ seats }, { seat, name = "a" }) {
  return String.fromCharCode(65 + seat + seats.length * (name.charCodeAt(0) - 97));
}

function label(agent) { return agent.name ? `${agent.seat}${agent.name}` : String(agent.seat); }

export function form(game, seat) { return game.head.teams.length === 2 && game.team(seat) === 1 ? "square" : "round"; }

function inText(game, position) {
  const parts = [`Step ${position.step}`];
  for (const a of position.agents) {
    const who = `${game.who(a.seat)}${a.name ? `, bomber ${a.name},` : ""}`;
    parts.push(a.alive ? `${who} at row ${a.at[0]}, column ${a.at[1]}` : `${who} is out`);
  }
  if (position.bombs.length) parts.push(`bombs at ${position.bombs.map(b => `row ${b.at[0]}, column ${b.at[1]}, ${b.life} left`).join("; ")}`);
  if (position.flames.length) parts.push(`${position.flames.length} cells in flames`);
  return `${parts.join(". ")}.`;
}

// legend lists what can be on a board: words, and a function that draws it.
export function legend(game) {
  const mine = sprites.seatColour(game, 0);
  const all = [
    ...game.seats.map(seat => [game.who(seat), form(game, seat), sprites.seatColour(game, seat), String(seat)]),
    ...game.head.looks.filter(({ sprite }) => sprite).map(({ sprite, meaning }) => [legends[sprite] ?? meaning.replace("tick", "step"), sprite, mine, "5"]),
    ["out of the game", "out", mine],
    ["how far a bomb reaches", "strength", mine, "2"],
  ];
  return all.map(([words, ...mark]) => [words, pen => sprites.paint(pen, ...mark)]);
}

export function thumbnail(draw, size = 28) {
  const canvas = document.createElement("canvas"), pixels = Math.round(size * devicePixelRatio);
  canvas.width = canvas.height = pixels;
  canvas.style.width = canvas.style.height = `${size}px`;
  canvas.setAttribute("aria-hidden", "true");
  const pen = canvas.getContext("2d");
  pen.scale(pixels / 100, pixels / 100);
  draw(pen);
  return canvas;
}
