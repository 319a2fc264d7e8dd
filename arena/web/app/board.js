// A board on a canvas, sharp at any size and density.

import { sprites } from "./sprites.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

// themed is the colours of the ground, as the system has its theme.
function themed() { return sprites.themes[dark.matches ? "dark" : "light"]; }

export class Board {
  constructor(canvas, game) {
    this.canvas = canvas;
    this.game = game;
    this.pen = canvas.getContext("2d");
    canvas.style.aspectRatio = `${game.head.cols} / ${game.head.rows}`;
    this.resizing = new ResizeObserver(() => this.draw());
    this.resizing.observe(canvas);
    this.leaving = new AbortController();
    dark.addEventListener("change", () => this.draw(), { signal: this.leaving.signal });
  }

  close() {
    this.resizing.disconnect();
    this.leaving.abort();
  }

  // show shows a position, with the cells that bombs reach if wanted, and dims cells.
  show(position, reach, dims) {
    this.shown = { position, reach, dims };
    this.canvas.setAttribute("aria-label", inText(this.game, this.shown.position));
    this.draw();
  }

  draw() {
    if (!this.shown) return;
    const { cols, rows } = this.game.head;
    this.cell = Math.max(4, Math.round(this.canvas.clientWidth * devicePixelRatio / cols));
    if (this.canvas.width !== cols * this.cell || this.canvas.height !== rows * this.cell) {
      this.canvas.width = cols * this.cell;
      this.canvas.height = rows * this.cell;
    }
    const { position, reach, dims } = this.shown;
    const onCells = (cells, sprite) => { for (const cell of cells) this.on(Math.floor(cell / cols), cell % cols, sprite); };
    this.drawGround(position);
    if (reach) onCells(new Set(position.bombs.flatMap(b => b.reach ?? [])), sprites.danger);
    this.drawThings(position);
    onCells([...position.ground].map((_, cell) => cell).filter(dims), sprites.dim);
  }

  on(row, col, draw) {
    const { pen, cell } = this;
    pen.setTransform(cell / 100, 0, 0, cell / 100, col * cell, row * cell);
    draw(pen);
  }

  drawGround(position) {
    const { head } = this.game, colours = themed(), points = head.game === "suitebot";
    for (let cell = 0; cell < position.ground.length; cell++) {
      const row = Math.floor(cell / head.cols), col = cell % head.cols;
      this.on(row, col, pen => sprites.ground(pen, colours, position.ground[cell], (row + col) % 2 === 0, points));
    }
  }

  drawThings(position) {
    const { game } = this, colour = seat => sprites.seatColour(game, seat);
    for (const b of position.bases ?? []) this.on(...b.at, pen => sprites.base(pen, colour(b.owners[0]), game.head.game === "suitebot" ? undefined : b.energy ?? 0));
    for (const i of position.items) if (!i.hidden || position.ground[i.at[0] * game.head.cols + i.at[1]] === "+") this.on(...i.at, pen => sprites.item(pen, i.kind, i.hidden));
    for (const f of position.flames) this.on(...f.at, pen => sprites.flame(pen, f.life));
    for (const a of position.agents) if (!a.alive) this.on(...a.at, pen => sprites.fallen(pen, colour(a.seat)));
    for (const b of position.bombs) this.on(...b.at, pen => sprites.bomb(pen, b.life, b.owners?.length ? colour(b.owners[0]) : undefined, b.moving));
    const standing = Map.groupBy(position.agents.filter(a => a.alive), a => a.at.join());
    for (const here of standing.values()) here.forEach((a, i) => this.on(...a.at, pen => {
      if (here.length > 1) pen.transform(0.62, 0, 0, 0.62, 38 * i / (here.length - 1), 38 * i / (here.length - 1));
      sprites.agent(pen, colour(a.seat), label(a), form(game, a.seat), game.actionOf(position, a.seat).split(" ")[0]);
    }));
  }
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
  const colours = themed(), all = [];
  const add = (words, draw) => all.push([words, draw]);
  game.head.teams.flat().toSorted((a, b) => a - b).forEach(seat => add(game.who(seat), pen => sprites.agent(pen, sprites.seatColour(game, seat), String(seat), form(game, seat))));
  add("bomb: steps left; ring in its owner's colour", pen => sprites.bomb(pen, 7, sprites.seatColour(game, 0)));
  add("flame", pen => sprites.flame(pen, 2));
  if (game.head.game === "suitebot") {
    add("field with a point", pen => sprites.ground(pen, colours, ".", true, true));
    add("field without", pen => sprites.ground(pen, colours, "-", true, true));
  } else {
    add("wall", pen => sprites.ground(pen, colours, "#"));
    add(game.head.game === "basewar" ? "box" : "wood", pen => sprites.ground(pen, colours, "+"));
  }
  if (game.head.game !== "pommerman") add(game.head.game === "basewar" ? "base: its energy" : "home base", pen => sprites.base(pen, sprites.seatColour(game, 0), game.head.game === "basewar" ? 5 : undefined));
  else {
    for (const [kind, words] of [["extra_bomb", "extra bomb"], ["incr_range", "longer range"], ["kick", "kick"], ["skull", "skull"]]) {
      if (kind !== "skull" || game.positions[0].items.some(i => i.kind === kind)) add(words, pen => sprites.item(pen, kind));
    }
    add("hidden item", pen => { sprites.ground(pen, colours, "+"); sprites.item(pen, "kick", true); });
  }
  if (game.positions[0].sight) add("out of sight", pen => sprites.ground(pen, colours, "?"));
  add("out of the game", pen => sprites.fallen(pen, sprites.seatColour(game, 0)));
  add("reach of a bomb", pen => { sprites.ground(pen, colours, ".", true); sprites.danger(pen); });
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
