// Cards with what is known of each seat, beside the board.

import { form, thumbnail } from "./board.js";
import { element, say } from "./elements.js";
import { fate, isDeath } from "./game.js";
import { kind, signs, worded } from "./person.js";
import { sprites } from "./sprites.js";
import { Bars, Talk, short } from "./thoughts.js";

// columns are the four counts on a card: kills, bombs, wood and items if the game has them, else its first four.
function columns({ head: { counts = [] } }) {
  const sums = counts.filter(({ name }) => ["kills", "bombs", "wood", "items"].includes(name));
  return sums.length === 4 ? sums : counts.slice(0, 4);
}

export class Seats {
  // look is called with the seat of a card that the user chose.
  constructor(list, game, look = undefined) {
    this.game = game;
    this.look = look;
    this.columns = columns(game);
    this.cards = game.seats.map(seat => this.card(seat));
    list.replaceChildren(...this.cards.map(card => card.whole));
  }

  card(seat) {
    const { game } = this, colour = sprites.seatColour(game, seat);
    const card = {
      seat,
      name: element("strong", { title: game.head.names?.[seat] ?? "" }, game.name(seat)),
      state: element("span", { className: "state" }),
      did: element("span", { className: "did", role: "img" }),
      facts: element("p", { className: "facts", hidden: game.head.game === "suitebot" }), // all carry the same there
      said: element("p", { className: "said" }),
      counts: element("p", { className: "counts" }),
      bars: new Bars(game, seat),
      talk: new Talk(game, seat),
    };
    const team = game.inTeams ? element("span", { className: "team" }, `team ${game.team(seat)}`) : "";
    card.whole = element("li", { className: "seat", onclick: event => { if (!event.target.closest(".talk")) this.look?.(seat); } },
      thumbnail(pen => sprites.agent(pen, colour, String(seat), form(game, seat)), 34),
      element("div", {}, element("p", { className: "who" }, card.name, team, card.state, card.did), card.said, card.facts), card.counts, card.bars.whole, card.talk.whole);
    card.whole.style.setProperty("--seat", colour);
    return card;
  }

  // show shows a position with the events until then; viewer is the seat whose view is shown.
  show(position, events, viewer) {
    for (const card of this.cards) {
      const { seat } = card, inGame = position.status.in.includes(seat);
      const won = position.status.over && position.status.winners.includes(seat);
      card.whole.classList.toggle("out", !inGame);
      card.whole.classList.toggle("eyes", seat === viewer);
      say(card.state, won ? "won" : inGame ? "" : "out");
      say(card.said, position.said?.find(m => m.seat === seat && m.words.some(word => word))?.words.join(" ").replace(/^/, "says ") ?? "");
      this.fill(card, "facts", inGame ? this.facts(position, seat) : [{ text: this.end(events, seat) }]);
      this.fill(card, "counts", this.counts(position, seat));
      this.fill(card, "did", this.did(position, seat));
      card.did.ariaLabel = card.did.title = this.game.actionOf(position, seat);
      card.did.hidden = !card.did.title || !inGame;
      card.bars.show(position);
      card.talk.show(position);
    }
  }

  // fill fills a part of a card with icons and texts, if they have changed.
  fill(card, part, shown) {
    const key = JSON.stringify(shown);
    if (card[`${part} shown`] === key) return;
    card[`${part} shown`] = key;
    card[part].replaceChildren(...shown.map(({ image, number, text = "", words = "" }, i) => {
      if (image) card[`${part} ${i} ${image}`] ??= thumbnail(pen => sprites.paint(pen, image, sprites.seatColour(this.game, card.seat)), 20);
      const made = element("span", { title: words }, card[`${part} ${i} ${image}`] ?? "", number === undefined ? "" : element("b", {}, String(number)), text);
      if (words) made.append(element("span", { className: "unseen" }, ` ${words}`));
      return made;
    }));
  }

  facts(position, seat) {
    const { head } = this.game, facts = [], reward = position.rewards?.[seat];
    for (const a of position.agents.filter(agent => agent.seat === seat)) {
      if (a.name) facts.push({ text: `${a.name}:` });
      if (!a.alive) facts.push({ text: "dead" });
      else {
        if (a.ammo !== undefined) facts.push({ image: "bomb", text: String(a.ammo), words: "bombs ready" });
        if (a.blast && head.looks.some(look => look.sprite === "incr_range")) facts.push({ image: "incr_range", text: String(a.blast), words: "blast" });
        if (a.kicks) facts.push({ image: "kick", words: "kicks" });
        if (a.lives) facts.push({ text: `♥ ${a.lives}`, words: a.lives === 1 ? "life" : "lives" });
      }
    }
    if (reward) facts.push({ text: `${reward > 0 ? "+" : ""}${short(reward)}`, words: "reward" });
    return facts;
  }

  end(events, seat) {
    const died = events.findLast(e => isDeath(e) && e.seat === seat);
    return died ? `${fate(this.game, died)} at step ${this.game.positions[died.index].step}` : "";
  }

  // counts is what the game has counted of a seat, in its columns.
  counts(position, seat) {
    return !position.counts ? [] : this.columns.map(({ name }) => {
      const number = position.counts[name]?.[seat] ?? 0;
      return { number, text: number === 1 ? name.replace(/s$/, "") : name };
    });
  }

  did(position, seat) {
    return this.game.head.actions.flatMap((component, part) => {
      const choice = position.actions?.[seat]?.[part], what = choice !== undefined && component.names && kind(component, choice);
      return !what || worded(component) ? [] : what === "bomb" ? { image: "bomb" } : { text: signs[what] ?? what };
    });
  }
}
