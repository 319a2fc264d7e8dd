// The games of a file, a data set or a tournament: tables to find one in.

import { counted, element } from "./elements.js";

const columns = {
  game: { name: "Game", of: g => g.game, number: true },
  agents: { name: "Agents by seat", of: g => (g.agents ?? []).join(", ") },
  winner: { name: "Winner", of: winner },
  steps: { name: "Steps", of: g => g.steps, number: true },
  seed: { name: "Seed", of: g => g.seed ?? "", number: true },
  env: { name: "Environment", of: g => g.env ?? "" },
  note: { name: "Note", of: g => g.note ?? "" },
};

// parts are the parts of an address that choose and sort the games of a table.
const parts = ["agent", "or", "against", "result", "find", "sort", "down"];

export function picked(place) { return Object.fromEntries(parts.map(name => [name, place[name]])); }

const atOnce = 200; // rows
const results = ["won", "lost", "tied"];

// winner is the agents that won, each once, and their seats. If nobody won, it says how the game ended.
function winner({ agents = [], result = [] }) {
  const seats = result.flatMap((how, seat) => how === "won" ? seat : []);
  if (seats.length) return `${[...new Set(seats.map(seat => agents[seat] ?? `seat ${seat}`))].join(", ")} (${seats.join(", ")})`;
  return !result.length ? "" : result.includes("tied") ? "tie" : result.includes("undecided") ? "not decided" : "nobody";
}

export class Listing {
  // data is a listing, as the server gives it.
  constructor(data, link) {
    Object.assign(this, data);
    this.link = link;
    this.agents = [...new Set(this.games.flatMap(game => game.agents ?? []))].sort();
    this.columns = Object.keys(columns).filter(key => ["game", "steps"].includes(key) || this.games.some(game => columns[key].of(game)));
  }

  // found is the games that a place asks for, sorted by a column: games of one agent, of one of two (or), or of two
  // against each other; with a result for the agent; with all words of find.
  found(place) {
    const { agent, or, against, result, find = "", sort = "game", down } = place, words = find.toLowerCase().split(" "), { of, number } = columns[sort] ?? columns.game, way = down ? -1 : 1;
    const rank = number ? game => BigInt(of(game) || 0) : of; // seeds can be more than numbers hold
    return this.games.filter(game => {
      const { agents = [] } = game;
      if (agent && !agents.includes(agent) && !agents.includes(or)) return false;
      if (against && agents.lastIndexOf(against) === (against === agent ? agents.indexOf(agent) : -1)) return false;
      if (result && !game.result?.some((how, seat) => how === result && (!agent || agents[seat] === agent))) return false;
      const text = find && this.columns.map(key => columns[key].of(game)).join(" ").toLowerCase();
      return words.every(word => text.includes(word));
    }).sort((a, b) => rank(a) < rank(b) ? -way : rank(a) > rank(b) ? way : 0);
  }

  about() {
    return [this.env, counted(this.games.length, "game"), ...(this.notes ?? [])].filter(text => text).join(" · ");
  }

  // isShown reports whether the page still shows the games of a place, with those loaded since.
  isShown(place) { return JSON.stringify(this.filter) === JSON.stringify(picked(place)); }

  show(where, place) {
    where.replaceChildren();
    if (this.ratings?.length) where.append(this.ratingTable());
    if (this.pairs?.length) where.append(this.pairMatrix());
    where.append(this.gameTable(place));
    if (parts.some(name => place[name])) where.lastElementChild.scrollIntoView();
  }

  // table is a table in a box of its own, which scrolls if it is too wide.
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
      const count = (n, result) => element("td", { className: "number" }, n ? element("a", { href: this.link({ agent: r.agent, result }) }, String(n)) : "0");
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

  // pairMatrix has, for each two agents, the share of the games that one of them won, which the
  // row's agent won, and their number.
  pairMatrix() {
    const names = [...new Set(this.pairs.flatMap(p => [p.row, p.col]))];
    const rows = names.map(row => element("tr", {}, element("th", { scope: "row" }, row), ...names.map(col => {
      const pair = this.pairs.find(p => p.row === row && p.col === col || p.row === col && p.col === row);
      if (!pair || row === col) return element("td", { className: "none" }, "·");
      const [mine, theirs] = pair.row === row ? [pair.row_only, pair.col_only] : [pair.col_only, pair.row_only];
      const n = mine + theirs, share = n ? mine / n : 0.5;
      const cell = element("td", { className: "share" },
        element("a", { href: this.link(this.meeting(row, col)) }, n ? `${(100 * share).toFixed(0)} %` : "–",
          element("small", {}, ` n=${n}${n && pair.p_value < 0.05 ? ", p<0.05" : ""}`)));
      cell.style.setProperty("--share", share);
      return cell;
    })));
    return this.table("Games won by the row, without ties", [element("td", {}), ...names.map(name => element("th", { scope: "col" }, name))], rows);
  }

  // neighbours makes links to the games before and after a place's game in its table.
  neighbours(place) {
    const found = this.found(picked(place)), at = found.findIndex(({ game }) => String(game) === place.game);
    const to = (other, title, sign) => at < 0 || !found[other] ? ""
      : element("a", { className: "button", title, ariaLabel: title, href: this.link({ ...picked(place), view: place.view, game: found[other].game }) }, sign);
    return [to(at - 1, "Previous game", "‹"), to(at + 1, "Next game", "›")];
  }

  // meeting is a filter for the games that compare two agents: games in which they met or,
  // where both play against a third, the games of either.
  meeting(row, col) { return this.apart ? { agent: row, or: col } : { agent: row, against: col }; }

  gameTable(place) {
    const filter = this.filter = picked(place), body = element("div", {});
    const choose = (name, label, options) => {
      const select = element("select", { onchange: event => this.pick(body, filter, { [name]: event.target.value || undefined }) },
        element("option", { value: "" }, "any"), ...options.map(value => element("option", { value }, value)));
      select.value = filter[name] ?? "";
      return element("label", {}, `${label} `, select);
    };
    const search = element("input", { type: "search", value: filter.find ?? "" });
    search.oninput = () => this.pick(body, filter, { find: search.value || undefined });
    this.fill(body, filter);
    return element("section", { className: "finder" },
      element("h2", {}, "Games"),
      element("form", { role: "search", onsubmit: event => event.preventDefault() },
        choose("agent", "Agent", this.agents), choose("result", "that", results), choose("against", "against", this.agents),
        element("label", {}, "Find ", search)),
      body);
  }

  // pick changes the choice of games, also in the address.
  pick(body, filter, changes) {
    history.replaceState(null, "", this.link(Object.assign(filter, changes)));
    this.fill(body, filter);
  }

  // fill shows the first of the games, and more on request.
  fill(body, filter) {
    const focused = [...body.querySelectorAll("thead button")].indexOf(document.activeElement);
    const found = this.found(filter), table = this.table("Games", this.heads(body, filter), []), rows = table.querySelector("tbody");
    const add = () => {
      rows.append(...this.rows(found.slice(rows.childElementCount, rows.childElementCount + atOnce), filter));
      const left = found.length - rows.childElementCount;
      more.hidden = !left;
      more.replaceChildren(`Show ${Math.min(atOnce, left)} more`);
    };
    const more = element("button", { type: "button", className: "button", onclick: add });
    add();
    body.replaceChildren(element("p", { className: "found", role: "status" }, `${found.length} of ${counted(this.games.length, "game")}`), table, more);
    if (focused >= 0) body.querySelectorAll("thead button")[focused].focus();
  }

  heads(body, filter) {
    return this.columns.map(key => {
      const { name, number } = columns[key], own = key === (filter.sort ?? "game"), { down } = filter;
      const sort = () => this.pick(body, filter, { sort: key, down: own && !down ? "1" : undefined });
      return element("th", { scope: "col", className: number ? "number" : "", ariaSort: own ? (down ? "descending" : "ascending") : "none" },
        element("button", { type: "button", onclick: sort }, name, own ? (down ? " ↓" : " ↑") : ""));
    });
  }

  rows(games, filter) {
    return games.map(game => element("tr", {}, ...this.columns.map((key, i) => {
      const { of, number } = columns[key], value = String(of(game));
      return element("td", { className: number ? "number" : "" }, i ? value : element("a", { href: this.link({ ...filter, game: game.game }) }, value));
    })));
  }
}
