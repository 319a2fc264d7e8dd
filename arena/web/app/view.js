// One game on the page: its board, its seats and its events.

import { Board } from "./board.js";
import { Chart } from "./chart.js";
import { element, say } from "./elements.js";
import { ending, inWords, notable } from "./game.js";
import { Seats } from "./seats.js";
import { sprites } from "./sprites.js";

// frame is what a view fills: the title, the board, the seats and the events.
function frame() {
  const all = element("label", {}, element("input", { type: "checkbox" }), " all");
  const events = element("section", { className: "events", "aria-label": "Events" },
    element("div", { className: "events-head" }, element("h2", {}, "Events"), all), element("ol"));
  const side = element("div", { className: "side" }, element("ul", { className: "seats", "aria-label": "Seats" }), events);
  return element("article", { className: "game" }, element("h2"),
    element("div", { className: "stage" }, element("canvas", { role: "img" }), side));
}

export class View {
  // jump is called with the step of an event that was chosen.
  constructor(game, title, jump) {
    this.game = game;
    this.whole = frame();
    const find1 = selector => this.whole.querySelector(selector);
    say(find1("h2"), title);
    this.board = new Board(find1("canvas"), game);
    this.seats = new Seats(find1(".seats"), game);
    this.chart = new Chart(game, jump);
    find1(".seats").after(this.chart.whole);
    this.list = find1("ol");
    this.all = find1(".events input");
    this.all.onchange = () => this.listEvents();
    this.jump = jump;
    this.listEvents();
  }

  close() { this.board.close(); }

  listEvents() {
    this.entries = [];
    this.listed = 0;
    this.list.replaceChildren();
    this.addEvents();
    if (this.index !== undefined) this.markEvents(true);
  }

  // addEvents lists those that the game has got since.
  addEvents() {
    const added = this.game.events.slice(this.listed).filter(e => this.all.checked || notable.has(e.event)).map(event => {
      const step = this.game.positions[event.index].step;
      const button = element("button", { type: "button", onclick: () => this.jump(event.index) },
        element("span", { className: "step" }, String(step)), inWords(this.game, event));
      if (event.seat !== undefined) button.style.setProperty("--seat", sprites.seatColour(this.game, event.seat));
      return { index: event.index, item: element("li", {}, button) };
    });
    this.listed = this.game.events.length;
    this.entries.push(...added);
    this.list.append(...added.map(entry => entry.item));
  }

  // show shows the position of a number as a seat knows it, or the whole with what the seat
  // does not see dimmed.
  show(index, seat, reach, dim) {
    const { game } = this, viewer = Math.min(seat, game.head.teams.flat().length - 1), knower = dim ? -1 : viewer;
    this.index = Math.min(index, game.last);
    const position = game.at(this.index), seen = game.seen(position, knower), anew = knower !== game.viewer;
    this.board.show(seen, reach, cell => dim && !game.sees(position, viewer, cell));
    game.lookAs(knower);
    this.seats.show(seen, game.events.filter(event => event.index <= this.index));
    this.chart.show(this.index, knower);
    if (anew) this.listEvents();
    else this.markEvents(false);
  }

  // markEvents marks what has just happened and keeps it in sight.
  markEvents(anew) {
    const at = this.entries.findLastIndex(entry => entry.index <= this.index);
    if (at === this.marked && !anew) return;
    this.entries[this.marked]?.item.classList.remove("now");
    this.marked = at;
    const item = this.entries[at]?.item;
    if (!item) return;
    item.classList.add("now");
    // The page itself stays where it is. Layout is asked for once, not by each game in turn.
    requestAnimationFrame(() => { this.list.scrollTop = item.offsetTop - this.list.clientHeight / 2; });
  }

  happened(index) {
    const events = this.game.events.filter(e => e.index === index && e.event !== "not_laid");
    return events.map(event => inWords(this.game, event)).join("; ");
  }

  about() {
    const { head } = this.game, end = this.game.at(this.game.last);
    const parts = [head.env, `${end.step} steps`, ending(this.game, end.status)];
    if (head.seed) parts.push(`seed ${head.seed}`);
    if (head.note) parts.push(head.note);
    return parts.join(" · ");
  }
}
