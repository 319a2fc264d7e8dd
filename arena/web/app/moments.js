// The moments of a game: a list of links below the game's result, and marks on the timeline.

import { form, thumbnail } from "./board.js";
import { element, say } from "./elements.js";
import { ending, inWords } from "./game.js";
import { sprites } from "./sprites.js";

const signs = { died: "kill", hurt: "flame", trapped: "bomb", escaped: "kick" };

// sign is a picture of a moment, in the colour of its seat, or of the side that leads or has won.
export function sign(game, { event, seat, by = [] }, size) {
  const of = seat ?? by[0], colour = of === undefined ? "#868e96" : sprites.seatColour(game, of);
  const sprite = signs[event] ?? (of === undefined ? "wall" : form(game, of));
  return thumbnail(pen => sprites.paint(pen, sprite, colour), size);
}

// decision is the moment that decided a game, once that is over. No death decides a game of SuiteBot, whose dead come back.
function decision(game) {
  const { moments } = game, end = moments.findLast(m => m.event === "ended"), at = m => game.positions[m.index].step;
  return end && (moments.findLast(m => m.event === "died" && at(m) === end.since && game.head.game !== "suitebot") ?? moments.findLast(m => m.event === "leads" && m.since === end.since) ?? end);
}

export class Moments {
  // jump is called with the number of a position.
  constructor(game, jump) {
    this.game = game;
    this.jump = jump;
    this.title = element("h2");
    this.how = element("p");
    this.show = element("button", { type: "button", onclick: () => jump(decision(game).index) }, "Show it");
    this.list = element("ol", { tabIndex: 0, ariaLabel: "Moments" });
    this.whole = element("section", { className: "moments", ariaLabel: "Moments" },
      element("div", { className: "end" }, element("div", {}, this.title, this.how), this.show), this.list);
    this.anew();
  }

  // anew lists the moments again, for another viewer.
  anew() {
    this.entries = [];
    this.list.replaceChildren();
    this.add();
  }

  // add lists new moments of the game, and says how it ended.
  add() {
    const { game } = this, added = game.moments.slice(this.entries.length).map(moment => {
      const button = element("button", { type: "button", onclick: () => this.jump(moment.index) },
        element("span", { className: "step" }, String(game.positions[moment.index].step)), sign(game, moment, 20), inWords(game, moment));
      return { index: moment.index, item: element("li", { className: moment.event }, button) };
    });
    this.entries.push(...added);
    this.list.append(...added.map(entry => entry.item));
    const decided = decision(game), { status } = game.at(game.last) ?? {};
    this.whole.classList.toggle("over", Boolean(decided));
    say(this.title, decided ? ending(game, status).replace(/^./, letter => letter.toUpperCase()) : "Moments");
    say(this.how, !decided ? this.entries.length ? "" : "Kills, traps and leads come here"
      : decided.event === "ended" ? `after ${game.at(game.last).step} steps` : `${inWords(game, decided)}, step ${game.positions[decided.index].step}`);
    this.show.hidden = !decided;
  }

  // mark highlights the last moment and scrolls to it.
  mark(index) {
    const at = this.entries.findLastIndex(entry => entry.index <= index), item = this.entries[at]?.item;
    if (item === this.marked) return;
    this.marked?.classList.remove("now");
    this.marked = item;
    item?.classList.add("now");
    // The page itself does not scroll. All games share one layout.
    if (item) requestAnimationFrame(() => { this.list.scrollTop = item.offsetTop - this.list.clientHeight / 2; });
  }
}
