// What agents thought: arrows on the board, bars beside it, and what language models read and answered.

import { element, say } from "./elements.js";
import { kind, worded } from "./person.js";
import { sprites } from "./sprites.js";

// choicesOf lists, for each choice of a thought's components, what the thought says of it and
// whether it was made.
function choicesOf(game, position, thought) {
  let first = 0;
  return game.head.actions.flatMap((component, part) => {
    const [visits, chances, values] = [thought.visits, thought.probabilities, thought.values].map(list => list?.slice(first, first + component.n));
    const weights = distinct(visits) ?? chances ?? scaled(values) ?? visits ?? [], all = weights.reduce((sum, n) => sum + n, 0);
    first += component.n;
    return !all && !values?.some(value => value !== null) ? [] : Array.from({ length: component.n }, (_, i) => ({
      component, number: i, visits: visits?.[i], value: values?.[i] ?? undefined, share: all ? weights[i] / all : 0,
      made: isOf(position, thought) && position.actions?.[thought.seat]?.[part] === i,
    })).filter((choice, _, choices) => !worded(component) || choice === telling(choices));
  });
}

// telling is the choice of a word to show: the one that was made, else the likeliest.
function telling(choices) { return choices.reduce((a, b) => b.made || !a.made && b.share > a.share ? b : a); }

// distinct is visits if choices have different ones; else nothing, and other numbers decide.
function distinct(visits) { return visits && new Set(visits.filter(n => n)).size > 1 ? visits : undefined; }

function scaled(values) {
  const known = values?.filter(value => value !== null) ?? [], least = Math.min(...known), most = Math.max(...known);
  return most > least ? values.map(value => value === null ? 0 : 0.02 + (value - least) / (most - least)) : undefined;
}

// isOf reports whether a thought belongs to the step that led to a position; running games keep older ones.
function isOf(position, thought) { return (thought.step ?? position.step) === position.step; }

// expected is the value of the game in a seat's thought, else the value of its choice.
export function expected(game, position, seat) {
  const thought = position.thoughts?.find(t => t.seat === seat && isOf(position, t));
  return thought && (thought.value ?? choicesOf(game, position, thought).find(choice => choice.made)?.value);
}

const arrow = new Path2D("M46-8H66V-25L95 0L66 25V8H46Z"), dot = new Path2D("M16 30a14 14 0 1 0 28 0a14 14 0 1 0-28 0Z");
const ring = new Path2D("M-45 0a45 45 0 1 0 90 0a45 45 0 1 0-90 0ZM-37 0a37 37 0 1 1 74 0a37 37 0 1 1-74 0Z");
const shapes = { right: [arrow, 0], down: [arrow, 1], left: [arrow, 2], up: [arrow, 3], stay: [ring, 0], bomb: [dot, 0] };

// drawThoughts draws arrows from where agents stood. The more the search tried a move, the wider
// its arrow. A ring means stay, a dot means bomb. The move that was made has a white edge.
export function drawThoughts(pen, cell, game, position) {
  const before = position.thoughts && game.positions.findLast(p => p.step === position.step - 1);
  for (const thought of before ? position.thoughts.filter(t => isOf(position, t)) : []) {
    const choices = choicesOf(game, position, thought).filter(c => (c.made || c.share >= 0.02) && !worded(c.component));
    for (const agent of before.agents.filter(a => a.seat === thought.seat && a.alive)) {
      const own = choices.filter(c => !agent.name || c.component.name.endsWith(`_${agent.name}`));
      for (const choice of own.sort((a, b) => Number(a.made) - Number(b.made))) draw(pen, cell, agent.at, choice, sprites.seatColour(game, agent.seat));
    }
  }
}

function draw(pen, cell, [row, col], { component, number, made, share }, colour) {
  const [shape, turn] = shapes[kind(component, number)] ?? [dot, 0];
  pen.save();
  pen.setTransform(cell / 100, 0, 0, cell / 100, (col + 0.5) * cell, (row + 0.5) * cell);
  pen.rotate(turn * Math.PI / 2);
  if (shape === arrow) pen.scale(1, 0.45 + 0.75 * share);
  pen.globalAlpha = made ? 1 : 0.75;
  for (const [style, width] of made ? [["#14171b", 14], ["#ffffff", 8]] : [["#14171b", 5]]) {
    pen.strokeStyle = style;
    pen.lineWidth = width;
    pen.stroke(shape);
  }
  pen.fillStyle = colour;
  pen.fill(shape);
  pen.restore();
}

// Bars show the numbers behind a seat's choice, one bar per choice.
export class Bars {
  constructor(game, seat) {
    this.game = game;
    this.seat = seat;
    this.head = ["about", "number", "number"].map(className => element("span", { className }));
    this.list = element("ul", { ariaLabel: `What ${game.who(seat)} thought` });
    this.whole = element("div", { className: "bars", hidden: true }, element("p", {}, ...this.head), this.list);
  }

  // show shows a position's thought. A seat with any thought in the game keeps its place.
  show(position) {
    const own = position.thoughts?.find(t => t.seat === this.seat), { viewer, thinkers } = this.game, thought = own ?? thinkers.get(this.seat);
    this.whole.hidden = !thought || thought.read !== undefined || viewer >= 0 && viewer !== this.seat || this.game.played;
    this.whole.classList.toggle("none", !own);
    if (this.whole.hidden) return;
    const about = [thought.value !== undefined && `value of the position ${short(thought.value)}`, !isOf(position, thought) && `at step ${thought.step}`];
    const units = [about.filter(words => words).join(", "), thought.visits ? "visits" : thought.probabilities ? "chance" : "", thought.values ? "value" : ""];
    units.forEach((unit, i) => say(this.head[i], unit));
    const choices = choicesOf(this.game, own ? position : {}, thought), most = Math.max(...choices.map(choice => choice.share)) || 1;
    if (this.list.childElementCount !== choices.length) this.list.replaceChildren(...choices.map(row));
    choices.forEach(({ visits, value, share, made }, i) => {
      const item = this.list.children[i], [name, bar, weight, worth] = item.children;
      say(name, label(choices[i]));
      item.ariaCurrent = String(made);
      bar.firstChild.style.setProperty("--share", share / most);
      say(weight, visits === undefined ? thought.probabilities ? `${(100 * share).toFixed(0)} %` : "" : String(visits));
      say(worth, value === undefined ? "" : short(value));
    });
  }
}

const longest = 8192; // characters of a text
const marks = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069]/g; // invisible characters, and those that change the direction of text

// plain is the form in which a model's text is shown: the end of a long one, with marks as numbers.
function plain(text) {
  return text.slice(-longest).replace(marks, mark => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// Talk shows the last view that the model in a seat read, and its answer.
export class Talk {
  constructor(game, seat) {
    this.game = game;
    this.seat = seat;
    this.decided = element("p");
    this.said = element("pre", { tabIndex: 0, ariaLabel: `What ${game.who(seat)} answered` });
    this.read = element("pre", { tabIndex: 0, ariaLabel: `What ${game.who(seat)} read` });
    this.whole = element("div", { className: "talk", hidden: true }, this.decided, this.said, element("details", {}, element("summary", {}, "what it read"), this.read));
  }

  show(position) {
    const { game, seat } = this, known = game.viewer < 0 || game.viewer === seat;
    const own = p => p?.thoughts?.find(t => t.seat === seat && t.read !== undefined);
    const thought = known && own(game.positions.findLast(p => p.step <= position.step && own(p)));
    this.whole.hidden = !known || game.thinkers.get(seat)?.read === undefined;
    if (thought === this.shown) return;
    this.shown = thought;
    const said = !thought ? "" : thought.said ? plain(thought.said) : "(no answer)";
    say(this.decided, said.trim().split("\n").at(-1));
    say(this.said, said);
    say(this.read, plain(thought?.read ?? ""));
  }
}

function label({ component, number }) {
  const words = component.names?.[number].replaceAll("_", " ") ?? String(number), bomber = component.name.split("_")[1];
  return bomber ? `${bomber}: ${words}` : worded(component) || !component.names ? `${component.name.replace(/\d+$/, n => ` ${Number(n) + 1}`)}: ${words}` : words;
}

function row() {
  const [name, bar, weight, worth] = ["choice", "bar", "number", "number"].map(className => element("span", { className }));
  bar.append(element("span"));
  return element("li", {}, name, bar, weight, worth);
}

// short is a number with few digits, if there is one.
export function short(number) { return number === undefined ? undefined : String(Math.abs(number) >= 100 ? Math.round(number) : Number(number.toPrecision(3))); }
