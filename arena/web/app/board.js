// A board on a canvas, sharp at any size and density.

import { drawing } from "./drawing.js";
import { sprites } from "./sprites.js";
import { drawThoughts } from "./thoughts.js";

export class Board {
  constructor(canvas, game) {
    this.canvas = canvas;
    this.game = game;
    this.pen = canvas.getContext("2d");
    canvas.style.aspectRatio = `${game.head.cols} / ${game.head.rows}`;
    this.resizing = new ResizeObserver(([{ contentRect: { width } }]) => {
      this.width = width; // which draw would have to wait for
      this.draw();
    });
    this.resizing.observe(canvas);
    this.leaving = new AbortController();
    sprites.darkness.addEventListener("change", () => this.draw(), { signal: this.leaving.signal });
  }

  close() {
    this.resizing.disconnect();
    this.leaving.abort();
  }

  // show shows a position, with the cells that bombs reach if wanted, and dims cells.
  show(position, reach, dims = () => false) {
    this.shown = { position, reach, dims };
    this.canvas.setAttribute("aria-label", inText(this.game, this.shown.position));
    this.draw();
  }

  draw() {
    if (!this.shown) return;
    const { cols, rows } = this.game.head;
    this.cell = Math.max(4, Math.round((this.width || this.canvas.clientWidth) * devicePixelRatio / cols));
    if (this.canvas.width !== cols * this.cell || this.canvas.height !== rows * this.cell) {
      this.canvas.width = cols * this.cell;
      this.canvas.height = rows * this.cell;
    }
    const { position, reach, dims } = this.shown;
    for (const mark of marksOf(this.game, position, reach, dims)) sprites.stamp(this.pen, this.cell, mark);
    drawThoughts(this.pen, this.cell, this.game, position);
  }
}

const grounds = { ".": ["floor", "floor2"], "-": ["spent", "spent2"], "#": ["wall", "wall"], "+": ["wood", "wood"], "?": ["fog", "fog"] };

// marksOf is the sprites of a position, each drawn over those before. Package arena/picture
// has the same ones.
function marksOf(game, position, reach, dims) {
  const { head } = game, marks = [], at = cell => [Math.floor(cell / head.cols), cell % head.cols];
  const put = (sprite, [row, col], colour, text, size = 1) => marks.push({ sprite, row, col, size, colour, text: String(text ?? "") });
  const ring = ([row, col]) => Math.min(row, col, head.rows - 1 - row, head.cols - 1 - col), fallen = fallenRings(head, position.ground, ring, at);
  [...position.ground].forEach((kind, cell) => {
    const place = at(cell);
    const known = kind === "#" && ring(place) < fallen ? ["fallen", "fallen"] : kind === "." && head.game === "suitebot" ? ["point", "point2"] : grounds[kind];
    put(known[(place[0] + place[1]) % 2], place);
  });
  if (reach) for (const cell of new Set(position.bombs.flatMap(b => b.reach ?? []))) put("danger", at(cell));
  addThings(game, position, put);
  addAgents(game, position, put);
  [...position.ground].forEach((_, cell) => { if (dims(cell)) put("dim", at(cell)); });
  return marks;
}

// fallenRings is how many rings of the board have collapsed: in which all that is seen is
// walls, and of which enough is seen.
function fallenRings(head, ground, ring, at) {
  for (let depth = 0; depth < Math.floor(head.rows / 2); depth++) {
    const kinds = [...ground].filter((_, cell) => ring(at(cell)) === depth), walls = kinds.filter(kind => kind === "#").length;
    if (walls < head.rows - 2 - 2 * depth || kinds.some(kind => kind !== "#" && kind !== "?")) return depth;
  }
  return Math.floor(head.rows / 2);
}

function addThings(game, position, put) {
  const { head } = game, bases = position.bases ?? [], energy = bases.some(b => b.energy);
  for (const b of bases) put(energy ? "base" : "home", b.at, ownersColour(game, b.owners), energy ? b.energy ?? 0 : "");
  for (const { at: [row, col], kind, hidden } of position.items) {
    if (hidden && position.ground[row * head.cols + col] !== "+") continue;
    for (const sprite of ["card", kind]) put(sprite, hidden ? [row + 0.25, col + 0.25] : [row, col], undefined, "", hidden ? 0.5 : 1);
  }
  for (const f of position.flames) put(f.life === 1 && head.game === "pommerman" ? "ember" : "flame", f.at);
  for (const b of position.bombs) {
    put("bomb", b.at, ownersColour(game, b.owners), b.life);
    put("spark", b.at);
    if (b.moving) put(b.moving, b.at);
  }
}

// addAgents adds agents, those who are out below the others, and the time of bombs that they
// stand on.
function addAgents(game, position, put) {
  for (const a of position.agents) if (!a.alive) put("out", a.at, sprites.seatColour(game, a.seat));
  const alive = position.agents.filter(a => a.alive);
  for (const a of alive) {
    const here = alive.filter(b => b.at.join() === a.at.join()), aside = here.length > 1 ? 0.38 * here.indexOf(a) / (here.length - 1) : 0;
    const place = [a.at[0] + aside, a.at[1] + aside], size = here.length > 1 ? 0.62 : 1, colour = sprites.seatColour(game, a.seat);
    put(form(game, a.seat), place, colour, label(a), size);
    put(facing(game, position, a), place, colour, "", size);
  }
  for (const b of position.bombs) if (alive.some(a => a.at.join() === b.at.join())) put("ticks", b.at, ownersColour(game, b.owners), b.life);
}

// ownersColour is that of owners: of the first, if all of them are of one team.
function ownersColour(game, owners = []) {
  if (owners.some(seat => game.team(seat) !== game.team(owners[0]))) return "#f7f7f2";
  return owners.length ? sprites.seatColour(game, owners[0]) : "#50565e";
}

// facing is the sprite of the way an agent looks: where its action wanted to go.
function facing(game, position, agent) {
  const own = Math.max(0, game.head.actions.findIndex(c => agent.name && c.name.endsWith(`_${agent.name}`)));
  const sprite = `facing ${game.head.actions[own].names?.[position.actions?.[agent.seat]?.[own]]}`;
  return sprite in drawing.sprites ? sprite : "facing";
}

// label is what an agent carries to be told apart.
export function label(agent) { return agent.name ? `${agent.seat}${agent.name}` : String(agent.seat); }

export function form(game, seat) { return game.head.teams.length === 2 && game.team(seat) === 1 ? "square" : "round"; }

// inText says in words where everybody is.
export function inText(game, position) {
  const parts = [`Step ${position.step}`];
  for (const a of position.agents) {
    const who = `${game.who(a.seat)}${a.name ? `, bomber ${a.name},` : ""}`;
    parts.push(a.alive ? `${who} at row ${a.at[0]}, column ${a.at[1]}` : `${who} is out`);
  }
  if (position.bombs.length) parts.push(`bombs at ${position.bombs.map(b => `row ${b.at[0]}, column ${b.at[1]}, ${b.life} left`).join("; ")}`);
  if (position.flames.length) parts.push(`${position.flames.length} cells in flames`);
  return `${parts.join(". ")}.`;
}

// legend lists what is drawn, each with a drawing.
export function legend(game) {
  const all = [], mine = sprites.seatColour(game, 0), { head } = game;
  const add = (words, ...marks) => all.push([words, pen => marks.forEach(([sprite, colour, text]) => sprites.paint(pen, sprite, colour, text))]);
  head.teams.flat().toSorted((a, b) => a - b).forEach(seat => {
    const colour = sprites.seatColour(game, seat);
    add(game.who(seat), [form(game, seat), colour, String(seat)], ["facing", colour]);
  });
  add("bomb: steps left; ring in its owner's colour", ["bomb", mine, "7"], ["spark"]);
  add("flame", ["flame"]);
  if (head.game === "suitebot") {
    add("field with a point", ["point"]);
    add("field without", ["spent"]);
    add("home base", ["home", mine]);
  } else {
    add("wall", ["wall"]);
    add(head.game === "basewar" ? "box" : "wood", ["wood"]);
  }
  if (head.game === "basewar") add("base: its energy", ["base", mine, "5"]);
  if (head.game === "pommerman") {
    for (const [kind, words] of [["extra_bomb", "extra bomb"], ["incr_range", "longer range"], ["kick", "kick"], ["skull", "skull"]]) {
      if (kind !== "skull" || game.positions[0].items.some(i => i.kind === kind)) add(words, ["card"], [kind]);
    }
  }
  if (game.positions[0].sight) add("out of sight", ["fog"]);
  add("out of the game", ["out", mine]);
  add("reach of a bomb", ["floor"], ["danger"]);
  return all;
}

// thumbnail is a small drawing.
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
