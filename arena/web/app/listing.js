// The games of a file, a data set or a tournament: tables to find one in.

import { element } from "./elements.js";

const pageSize = 200; // rows at a time

const columns = [
  { key: "game", name: "Game", of: g => g.game, number: true },
  { key: "agents", name: "Agents by seat", of: g => (g.agents ?? []).join(", ") },
  { key: "winner", name: "Winner", of: g => winner(g) },
  { key: "steps", name: "Steps", of: g => g.steps, number: true },
  { key: "seed", name: "Seed", of: g => g.seed, number: true },
  { key: "note", name: "Note", of: g => g.note ?? "" },
];

function winner(game) {
  if (!game.winners?.length) return game.result ?? "";
  const names = game.winners.map(seat => game.agents?.[seat] ?? `seat ${seat}`);
  return `${[...new Set(names)].join(", ")} (${game.winners.join(", ")})`;
}

const won = (game, agent) => (game.winners ?? []).some(seat => game.agents?.[seat] === agent);

// outcomes are what can be asked of an agent's games.
const outcomes = {
  won: (game, agent) => won(game, agent),
  lost: (game, agent) => game.result === "Win" && !won(game, agent),
  tied: game => game.result === "Tie",
};

export class Listing {
  constructor(data, link) {
    Object.assign(this, data);
    this.link = link;
    this.agents = [...new Set(this.games.flatMap(game => game.agents ?? []))].sort();
    this.columns = columns.filter(({ of }) => this.games.some(game => (of(game) ?? "") !== ""));
  }

  about() {
    const n = this.games.length;
    return [this.env, `${n} game${n === 1 ? "" : "s"}`, ...(this.notes ?? [])].filter(text => text).join(" · ");
  }

  show(where, place) {
    where.replaceChildren();
    if (this.ratings?.length) where.append(this.ratingTable());
    if (this.pairs?.length) where.append(this.pairMatrix());
    where.append(this.gameTable(place));
    if (place.agent) where.lastElementChild.scrollIntoView();
  }

  // table is a table in a box that scrolls by itself where it is too wide.
  table(caption, head, rows) {
    return element("div", { className: "scrolls", tabIndex: 0, role: "region", ariaLabel: caption },
      element("table", {}, element("caption", {}, caption), element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)));
  }

  ratingTable() {
    const all = this.ratings.flatMap(r => [r.rating.low, r.rating.high]);
    const least = Math.min(...all), span = Math.max(...all) - least || 1;
    const percent = x => `${(100 * x).toFixed(1)} %`;
    const rows = this.ratings.toSorted((a, b) => b.rating.value - a.rating.value).map(r => {
      const bar = element("span", { className: "interval", ariaHidden: "true" }, element("span", {}), element("b", {}));
      bar.style.setProperty("--low", (r.rating.low - least) / span);
      bar.style.setProperty("--high", (r.rating.high - least) / span);
      bar.style.setProperty("--at", (r.rating.value - least) / span);
      const count = (n, outcome) => element("td", { className: "number" }, n ? element("a", { href: this.link({ agent: r.agent, outcome }) }, String(n)) : "0");
      return element("tr", {},
        element("th", { scope: "row" }, element("a", { href: this.link({ agent: r.agent }) }, r.agent)),
        element("td", { className: "number" }, r.rating.value.toFixed(0)),
        element("td", { className: "number" }, `${r.rating.low.toFixed(0)} to ${r.rating.high.toFixed(0)}`),
        element("td", {}, bar),
        count(r.games), count(r.wins, "won"), count(r.ties, "tied"), count(r.losses, "lost"),
        element("td", { className: "number" }, `${percent(r.win_rate.value)} (${percent(r.win_rate.low)} to ${percent(r.win_rate.high)})`));
    });
    const head = ["Agent", "Rating", "95 % interval", "", "Games", "Won", "Tied", "Lost", "Win rate"].map((name, i) =>
      element(name ? "th" : "td", { className: i && name ? "number" : "" }, name));
    return this.table("Ratings", head, rows);
  }

  // pairMatrix has, for each two agents, the share of the decided games that the
  // row's agent won, and their number.
  pairMatrix() {
    const names = [...new Set(this.pairs.flatMap(p => [p.row, p.col]))];
    const rows = names.map(row => element("tr", {}, element("th", { scope: "row" }, row), ...names.map(col => {
      const pair = this.pairs.find(p => p.row === row && p.col === col || p.row === col && p.col === row);
      if (!pair || row === col) return element("td", { className: "none" }, "·");
      const [mine, theirs] = pair.row === row ? [pair.row_only, pair.col_only] : [pair.col_only, pair.row_only];
      const n = mine + theirs, share = n ? mine / n : 0.5;
      const cell = element("td", { className: "share" },
        element("a", { href: this.link(this.met(row, col)) }, n ? `${(100 * share).toFixed(0)} %` : "–",
          element("small", {}, ` n=${n}${n && pair.p_value < 0.05 ? ", p<0.05" : ""}`)));
      cell.style.setProperty("--share", share);
      return cell;
    })));
    return this.table("Share of decided games that the row's agent won", [element("td", {}), ...names.map(name => element("th", { scope: "col" }, name))], rows);
  }

  // met is a filter for the games by which two agents are compared: those in which
  // they met, or where they never do, those of either.
  met(row, col) {
    const meet = this.games.some(g => g.agents?.includes(row) && g.agents.includes(col));
    return meet ? { agent: row, against: col } : { agent: row, or: col };
  }

  gameTable(place) {
    const filter = { ...place };
    const body = element("div", {});
    const update = () => { this.limit = pageSize; this.fill(body, filter); };
    const choose = (name, label, options) => {
      const select = element("select", { onchange: event => { filter[name] = event.target.value || undefined; update(); } },
        element("option", { value: "" }, "any"), ...options.map(value => element("option", { value }, value)));
      select.value = filter[name] ?? "";
      return element("label", {}, `${label} `, select);
    };
    const search = element("input", { type: "search", value: filter.find ?? "", oninput: event => { filter.find = event.target.value; update(); } });
    update();
    return element("section", { className: "finder" },
      element("h2", {}, "Games"),
      element("form", { role: "search", onsubmit: event => event.preventDefault() },
        choose("agent", "Agent", this.agents), choose("outcome", "that", Object.keys(outcomes)), choose("against", "against", this.agents),
        element("label", {}, "Find ", search)),
      body);
  }

  matches(filter) {
    const words = (filter.find ?? "").toLowerCase().split(/\s+/).filter(word => word);
    const plays = (game, agent) => game.agents?.includes(agent);
    return this.games.filter(game => {
      const text = words.length ? columns.map(({ of }) => of(game) ?? "").join(" ").toLowerCase() : "";
      return words.every(word => text.includes(word))
        && (!filter.agent || plays(game, filter.agent) || filter.or && plays(game, filter.or))
        && (!filter.against || plays(game, filter.against) && (filter.against !== filter.agent || game.agents.filter(a => a === filter.agent).length > 1))
        && (!filter.outcome || outcomes[filter.outcome]?.(game, filter.agent ?? game.agents?.[game.winners?.[0]]));
    });
  }

  fill(body, filter) {
    const found = this.matches(filter), { of, number } = this.columns.find(c => c.key === this.sorted) ?? this.columns[0];
    found.sort((a, b) => (number ? of(a) - of(b) : String(of(a)).localeCompare(String(of(b)))) * (this.down ? -1 : 1));
    const head = this.columns.map(column => {
      const own = column.key === (this.sorted ?? this.columns[0].key);
      const sort = () => {
        this.down = own && !this.down;
        this.sorted = column.key;
        this.fill(body, filter);
        body.querySelectorAll("thead button")[this.columns.indexOf(column)].focus();
      };
      return element("th", { scope: "col", className: column.number ? "number" : "", ariaSort: own ? (this.down ? "descending" : "ascending") : "none" },
        element("button", { type: "button", onclick: sort }, column.name, own ? (this.down ? " ↓" : " ↑") : ""));
    });
    const rows = found.slice(0, this.limit).map(game => element("tr", {}, ...this.columns.map((column, i) => {
      const value = String(column.of(game) ?? "");
      return element("td", { className: column.number ? "number" : "" }, i ? value : element("a", { href: this.link({ game: game.game }) }, value));
    })));
    body.replaceChildren(
      element("p", { className: "found", role: "status" }, `${found.length} of ${this.games.length} games`),
      this.table("Games", head, rows));
    if (found.length > this.limit) {
      body.append(element("button", { type: "button", className: "button", onclick: () => { this.limit += pageSize; this.fill(body, filter); } }, `Show ${Math.min(pageSize, found.length - this.limit)} more`));
    }
  }
}
