// One game on the page: its board, its seats, its chart and its moments.

import { Board } from "./board.js";
import { Chart } from "./chart.js";
import { element } from "./elements.js";
import { ending, inWords } from "./game.js";
import { Moments } from "./moments.js";
import { Seats } from "./seats.js";

export class View {
  // jump is called with the number of the chosen position, look with the seat whose view is chosen.
  constructor(game, jump, look) {
    this.game = game;
    const canvas = element("canvas", { role: "img" }), seats = element("ul", { className: "seats", ariaLabel: "Seats" });
    this.board = new Board(canvas, game);
    this.seats = new Seats(seats, game, look);
    this.chart = new Chart(game, jump);
    this.moments = new Moments(game, jump);
    this.whole = element("article", { className: "stage" }, canvas, element("div", { className: "side" }, seats, this.chart.whole, this.moments.whole));
    canvas.onclick = ({ offsetX, offsetY }) => {
      const at = [offsetY * game.head.rows / canvas.clientHeight, offsetX * game.head.cols / canvas.clientWidth].map(Math.floor);
      const figure = this.board.shown.position.agents.find(a => a.alive && a.at.join() === at.join());
      if (figure) look(figure.seat);
    };
  }

  close() { this.board.close(); }

  // show shows a position, by number, as a seat knows it, or the whole position with the parts
  // that the seat does not see dimmed.
  show(index, seat, { reach, named, dim }) {
    const { game } = this, knower = dim ? -1 : seat, position = game.at(index), seen = game.seen(position, knower), anew = knower !== game.viewer;
    this.board.show(seen, { reach, named, dims: cell => dim && !game.sees(position, seat, cell) });
    game.lookAs(knower);
    this.seats.show(seen, game.events.filter(event => event.index <= index), seat);
    this.chart.show(index, knower);
    if (anew) this.moments.anew();
    this.moments.mark(index);
  }

  // happened lists the events of a step, moments first.
  happened(index) {
    const { moments, events } = this.game, now = events.filter(e => e.index === index && e.event !== "not_laid");
    return now.toSorted((a, b) => Number(moments.includes(b)) - Number(moments.includes(a))).map(event => inWords(this.game, event)).join("; ");
  }

  about() {
    const { head } = this.game, end = this.game.at(this.game.last);
    const parts = [head.env, `${end.step} steps`, ending(this.game, end.status)];
    if (head.seed) parts.push(`seed ${head.seed}`);
    if (head.note) parts.push(head.note);
    return parts.join(" · ");
  }
}
