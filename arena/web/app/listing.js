// The games of a file, a data set or a tournament: tables to find one in. The server
// filters and sorts them, so that there can be any number.

import { counted, element } from "./elements.js";

const columns = {
  game: { name: "Game", of: g => g.game, number: true },
  agents: { name: "Agents by seat", of: g => (g.agents ?? []).join(", ") },
  winner: { name: "Winner", of: g => g.winner ?? "" },
  steps: { name: "Steps", of: g => g.steps, number: true },
  seed: { name: "Seed", of: g => g.seed ?? "", number: true },
  env: { name: "Environment", of: g => g.env ?? "" },
  note: { name: "Note", of: g => g.note ?? "" },
};

// parts are what an address says of which games a table shows, and in which order.
const parts = ["agent", "or", "against", "result", "find", "sort", "down"];

export function picked(place) { return Object.fromEntries(parts.map(name => [name, place[name]])); }

const typingPause = 250; // milliseconds
const results = ["won", "lost", "tied"];

export class Listing {
  // data is a part of a listing, as the server gives it; query asks for other parts.
  constructor(data, link, query) {
    Object.assign(this, data);
    this.link = link;
    this.query = query;
    this.asked = 0;
  }

  about() {
    return [this.env, counted(this.total, "game"), ...(this.notes ?? [])].filter(text => text).join(" · ");
  }

  // isShown reports whether the page still has what a place asks for, with all that was loaded since.
  isShown(place) { return JSON.stringify(this.filter) === JSON.stringify(picked(place)); }

  show(where, place) {
    where.replaceChildren();
    if (this.ratings?.length) where.append(this.ratingTable());
    if (this.pairs?.length) where.append(this.pairMatrix());
    if (this.charts) where.append(this.chartBox());
    where.append(this.gameTable(place));
    if (parts.some(name => place[name])) this.filled.then(() => where.lastElementChild.scrollIntoView());
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
        element("a", { href: this.link(this.meeting(row, col)) }, n ? `${(100 * share).toFixed(0)} %` : "–",
          element("small", {}, ` n=${n}${n && pair.p_value < 0.05 ? ", p<0.05" : ""}`)));
      cell.style.setProperty("--share", share);
      return cell;
    })));
    return this.table("Share of decided games that the row's agent won", [element("td", {}), ...names.map(name => element("th", { scope: "col" }, name))], rows);
  }

  chartBox() {
    return element("section", { className: "charts", ariaLabel: "Charts" }, ...this.charts.map(({ title, names, counts }) => {
      const most = Math.max(...counts), all = counts.reduce((sum, n) => sum + n);
      return element("div", {}, element("h2", {}, title), element("ul", { className: "bars" }, ...names.map((name, i) => {
        const bar = element("span", { className: "bar" }, element("span", {}));
        bar.firstChild.style.setProperty("--share", counts[i] / most);
        return element("li", {}, element("span", { title: name }, name), bar, element("span", { className: "number" }, `${counts[i]} (${(100 * counts[i] / all).toFixed(0)} %)`));
      })));
    }));
  }

  neighbours(place, { before, after }) {
    const to = (game, title, sign) => game === undefined ? ""
      : element("a", { className: "button", title, ariaLabel: title, href: this.link({ ...picked(place), view: place.view, game }) }, sign);
    return [to(before, "Previous game", "‹"), to(after, "Next game", "›")];
  }

  // meeting is a filter for the games by which two agents are compared: those in which
  // they met, or where they play another, those of either.
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
    search.oninput = () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => { if (body.checkVisibility()) this.pick(body, filter, { find: search.value || undefined }); }, typingPause);
    };
    this.filled = this.fill(body, filter);
    return element("section", { className: "finder" },
      element("h2", {}, "Games"),
      element("form", { role: "search", onsubmit: event => event.preventDefault() },
        choose("agent", "Agent", this.all_agents), choose("result", "that", results), choose("against", "against", this.all_agents),
        element("label", {}, "Find ", search)),
      body);
  }

  // pick changes which games are shown, which the address keeps.
  pick(body, filter, changes) {
    history.replaceState(null, "", this.link(Object.assign(filter, changes)));
    this.fill(body, filter);
  }

  // fill shows the first games of those that are asked for, once they are there.
  async fill(body, filter) {
    const asked = ++this.asked;
    const part = await this.query(filter);
    if (asked !== this.asked) return; // meanwhile others were
    const focused = [...body.querySelectorAll("thead button")].indexOf(document.activeElement);
    const rows = this.rows(part.games, filter), table = this.table("Games", this.heads(body, filter), rows);
    const more = element("button", { type: "button", className: "button" });
    const count = () => {
      const shown = table.querySelectorAll("tbody tr").length;
      more.hidden = shown >= part.found;
      more.replaceChildren(`Show ${Math.min(part.games.length, part.found - shown)} more`);
      return shown;
    };
    more.onclick = async () => {
      const next = await this.query({ ...filter, from: count() });
      table.querySelector("tbody").append(...this.rows(next.games, filter));
      count();
    };
    count();
    body.replaceChildren(element("p", { className: "found", role: "status" }, `${part.found} of ${counted(this.total, "game")}`), table, more);
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
