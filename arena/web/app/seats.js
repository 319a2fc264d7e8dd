// What is known of each seat, beside the board.

import { form, thumbnail } from "./board.js";
import { element, say } from "./elements.js";
import { sprites } from "./sprites.js";

// countWords say more than the names of counts that stand beside others.
const countWords = { bombs: "bombs laid", items: "items taken", wood: "wood burnt", fields: "fields taken" };

export class Seats {
  constructor(list, game) {
    this.game = game;
    this.cards = game.head.teams.flat().toSorted((a, b) => a - b).map(seat => this.card(seat));
    list.replaceChildren(...this.cards.map(card => card.whole));
  }

  card(seat) {
    const { game } = this, colour = sprites.seatColour(game, seat);
    const card = {
      seat,
      name: element("strong", { title: game.head.names?.[seat] ?? "" }, game.name(seat)),
      state: element("span", { className: "state" }),
      facts: element("p", { className: "facts" }),
      counts: element("p", { className: "counts" }),
      did: element("p", { className: "did" }),
      thought: element("div", { className: "thought", hidden: true }),
    };
    const team = game.inTeams ? element("span", { className: "team" }, `team ${game.team(seat)}`) : "";
    card.whole = element("li", { className: "seat" },
      thumbnail(pen => sprites.agent(pen, colour, String(seat), form(game, seat)), 34),
      element("div", {}, element("p", { className: "who" }, card.name, team, card.state), card.facts, card.counts, card.did, card.thought));
    card.whole.style.setProperty("--seat", colour);
    return card;
  }

  // show shows a position as a seat knows it.
  show(position) {
    for (const card of this.cards) {
      const inGame = position.status.in.includes(card.seat);
      const won = position.status.over && position.status.winners.includes(card.seat);
      card.whole.classList.toggle("out", !inGame);
      say(card.state, won ? "won" : inGame ? "" : "out");
      say(card.facts, this.facts(position, card.seat));
      say(card.counts, this.counts(position, card.seat));
      say(card.did, this.did(position, card.seat));
      this.think(card, position.thoughts?.find(t => t.seat === card.seat), position.step);
    }
  }

  // facts is what the agents of a seat have.
  facts(position, seat) {
    const { head } = this.game;
    return position.agents.filter(a => a.seat === seat).map(a => {
      const facts = [];
      if (!a.alive) facts.push("dead");
      else {
        if (a.ammo !== undefined && head.game !== "suitebot") facts.push(`${a.ammo} bomb${a.ammo === 1 ? "" : "s"} ready`);
        if (a.blast && head.game === "pommerman") facts.push(`blast ${a.blast}`);
        if (a.kicks) facts.push("kicks");
        if (a.lives) facts.push(`${a.lives} ${a.lives === 1 ? "life" : "lives"}`);
      }
      return `${a.name ? `${a.name}: ` : ""}${facts.join(", ")}`;
    }).concat(position.said?.find(m => m.seat === seat && m.words.some(word => word))?.words.join(" ").replace(/^/, "says ") ?? "")
      .filter(text => text).join(" · ");
  }

  // counts is what the game has counted of a seat, without zeros.
  counts(position, seat) {
    return Object.entries(position.counts ?? {}).filter(([name, by]) => by[seat] && name !== "lives")
      .map(([name, by]) => `${countWords[name] ?? name.replaceAll("_", " ")} ${by[seat]}`).join(", ");
  }

  did(position, seat) {
    const parts = [], action = this.game.actionOf(position, seat);
    if (action) parts.push(action);
    const reward = position.rewards?.[seat];
    if (reward) parts.push(`reward ${reward > 0 ? "+" : ""}${reward}`);
    return parts.join(" · ");
  }

  // think shows what the seat chose by: a bar a choice.
  think(card, thought, step) {
    card.thought.hidden = !thought;
    if (!thought) return card.thought.replaceChildren();
    const choices = this.game.head.actions.flatMap(a => Array.from({ length: a.n }, (_, i) => a.names?.[i] ?? `${a.name} ${i}`));
    const weights = thought.probabilities ?? thought.visits ?? thought.values?.map(v => v ?? 0) ?? [];
    const most = Math.max(...weights.map(Math.abs), Number.MIN_VALUE);
    const rows = choices.map((name, i) => {
      const words = [
        thought.probabilities && `${(100 * thought.probabilities[i]).toFixed(0)} %`,
        thought.visits && `${thought.visits[i]} visits`,
        thought.values && thought.values[i] !== null && `value ${short(thought.values[i])}`,
      ].filter(word => word).join(", ");
      const bar = element("span", { className: "bar" }, element("span", {}));
      bar.firstChild.style.setProperty("--share", Math.abs(weights[i] ?? 0) / most);
      return element("li", {}, element("span", { className: "choice" }, name), bar, element("span", { className: "number" }, words));
    });
    const about = [
      thought.value !== undefined && `value of the position ${short(thought.value)}`,
      (thought.step ?? step) !== step && `at step ${thought.step}`,
    ].filter(words => words).join(", ");
    const value = about ? [element("p", { className: "did" }, about)] : [];
    card.thought.replaceChildren(...value, element("ul", { className: "bars", ariaLabel: `What ${this.game.who(card.seat)} thought` }, ...rows));
  }
}

function short(number) { return String(Number(number.toPrecision(3))); }
