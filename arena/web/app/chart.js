// A chart of the game beside its board: which side leads, and what seats expected, got and did. A click goes to a step.

import { element, say } from "./elements.js";
import { sprites } from "./sprites.js";
import { expected, short } from "./thoughts.js";

function vector(tag, attributes) {
  const made = document.createElementNS(document.querySelector("svg").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

export class Chart {
  constructor(game, jump) {
    this.game = game;
    this.seats = game.seats;
    this.pick = element("select", { ariaLabel: "Chart of", onchange: () => { this.wanted = this.pick.value; this.draw(); } });
    this.now = element("span", { className: "now" });
    this.most = element("span", { className: "most" });
    this.least = element("span", { className: "least" });
    this.lines = vector("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
    const plot = element("div", { className: "plot", title: "Go to a step" }, this.lines, this.now, this.most, this.least);
    plot.onpointerdown = plot.onpointermove = event => {
      const { left, width } = plot.getBoundingClientRect();
      if (event.buttons) jump(Math.round((event.clientX - left) / width * game.last));
    };
    this.keys = this.seats.map(() => element("li"));
    this.keys.forEach((key, i) => key.style.setProperty("--seat", sprites.seatColour(game, this.seats[i])));
    this.whole = element("section", { className: "chart", ariaLabel: "Chart" }, this.pick, plot, element("ul", {}, ...this.keys));
  }

  show(index, viewer) {
    this.index = index;
    if (viewer !== this.viewer) {
      this.series = { advantage: this.seats.map(() => []), "value expected": this.seats.map(() => []) };
      this.length = 0;
      this.viewer = viewer;
    }
    if (this.length < this.game.positions.length) this.take();
    this.mark();
  }

  mark() {
    this.now.style.setProperty("--at", this.index / Math.max(1, this.game.last));
    const shares = this.pick.value === "advantage"; // of sides
    this.keys.forEach((key, i) => {
      const seats = shares ? this.seats.filter(seat => this.game.team(seat) === this.game.team(this.seats[i])) : [this.seats[i]];
      key.hidden = seats[0] !== this.seats[i];
      say(key, `${seats.join(" and ")}: ${short(this.series[this.pick.value]?.[i][this.index]) ?? "–"}${shares ? " %" : ""}`);
    });
  }

  // take adds the viewer's knowledge of new positions, for each kind of number and seat.
  take() {
    const { game, series } = this, none = { ground: "", items: [], flames: [], bombs: [], agents: [], said: [], events: [] };
    const put = (kind, i, value) => { if (value !== undefined) (series[kind] ??= this.seats.map(() => []))[i][this.length] = value; };
    for (; this.length < game.positions.length; this.length++) {
      const known = game.seen({ ...game.positions[this.length], ...none }, this.viewer);
      this.seats.forEach((seat, i) => {
        put("advantage", i, known.advantage?.[game.team(seat)]);
        put("value expected", i, expected(game, known, seat));
        for (const { name } of game.head.counts ?? []) put(name.replaceAll("_", " "), i, known.counts?.[name]?.[seat]);
        put("rewards in sum", i, (series["rewards in sum"]?.[i][this.length - 1] ?? 0) + (known.rewards?.[seat] ?? 0));
      });
    }
    const kinds = Object.keys(series).filter(kind => series[kind].flat().some(value => value));
    if (String(kinds) !== String(this.kinds)) this.pick.replaceChildren(...kinds.map(kind => element("option", { selected: kind === this.wanted }, kind)));
    this.kinds = kinds;
    this.draw();
  }

  draw() {
    const lines = this.series[this.pick.value] ?? [], shares = this.pick.value === "advantage";
    const values = lines.flat(), least = shares ? 0 : Math.min(0, ...values), most = shares ? 100 : Math.max(least + 1e-9, ...values);
    say(this.most, shares ? "" : short(most));
    say(this.least, shares ? "" : short(least));
    this.lines.setAttribute("viewBox", `0 0 ${Math.max(1, this.game.last)} 100`);
    this.lines.replaceChildren(...shares ? this.areas(lines) : lines.map((line, i) => {
      const points = line.map((value, x) => `${x} ${(100 - 100 * (value - least) / (most - least)).toFixed(1)}`).filter(point => point);
      return vector("path", { d: points.length ? `M${points.join("L")}h0` : "", stroke: sprites.seatColour(this.game, this.seats[i]) });
    }));
    this.mark();
  }

  // areas draws the sides' shares, one above the other.
  areas(lines) {
    const { teams } = this.game.head, below = Array.from({ length: this.length }, () => 100);
    return teams.map(([seat], i) => {
      const line = lines[this.seats.indexOf(seat)], bottom = below.map((y, x) => `${x} ${y}`).toReversed();
      below.forEach((y, x) => { below[x] = i + 1 < teams.length ? Math.max(0, y - (line[x] ?? 100 / teams.length)) : 0; });
      return vector("path", { class: "area", d: `M${below.map((y, x) => `${x} ${y}`).concat(bottom).join("L")}Z`, fill: sprites.seatColour(this.game, seat) });
    });
  }
}
