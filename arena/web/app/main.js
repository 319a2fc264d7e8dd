// What is shown, and where it comes from.

import { encoded, readAddress } from "./address.js";
import { complain, element, find, say, turnTo } from "./elements.js";
import { Game } from "./game.js";
import { Listing, picked } from "./listing.js";
import { fillLegend, offerViews, wireLooks } from "./looks.js";
import { Player } from "./player.js";
import { offerSharing } from "./share.js";
import { source } from "./source.js";
import { View } from "./view.js";

/** @type {any} */
let place = {};
let views = [], listing = null, writing = 0, player = null;
const near = element("span", { className: "tools" }); // the games before and after

function show(index, playing) {
  const seat = Number(find("view").value), reach = find("reach").checked, dim = find("dim").checked;
  for (const view of views) view.show(index, seat, reach, dim);
  find("happened").setAttribute("aria-live", playing ? "off" : "polite");
  say(find("happened"), views.map(view => view.happened(index)).filter(text => text).join(" | "));
  if (!playing) remember();
}

// shown is the positions on the page, and the games they are of, for tests.
export function shown() { return views.map(view => ({ game: view.game, ...view.board.shown })); }

// remember keeps the address current, at a pace that browsers allow.
function remember() {
  clearTimeout(writing);
  writing = setTimeout(() => {
    if (!views.length || location.protocol === "about:") return; // a page in a notebook has no address
    history.replaceState(null, "", moment());
  }, 200);
}

function moment() {
  place.step = String(views[0].game.at(player.index).step);
  return `#${encoded({ ...place, view: find("view").value === "-1" ? undefined : find("view").value })}`;
}

function link(wanted) { return `#${encoded({ token: place.token, ...wanted })}`; }

async function load(number) { return new Game(await source.game(number, place.token)); }

function query(wanted) {
  return source.listing(place.token, wanted).catch(error => {
    complain(error);
    throw error;
  });
}

async function follow() {
  complain();
  const asked = place = readAddress();
  try {
    const first = place.game === undefined ? null : load(place.game); // while the listing comes
    first?.catch(() => {});
    const part = listing && !first ? listing : await source.listing(place.token, { ...picked(place), at: place.game });
    if (asked !== place) return;
    listing ??= new Listing(part, link, query);
    const several = listing.total !== 1 || listing.kind !== "games";
    if (place.game === undefined && !several) place.game = String(listing.games[0].game);
    find("back").hidden = !several || place.game === undefined;
    find("back").href = link(picked(place));
    near.replaceChildren(...(first ? listing.neighbours(place, part) : []));
    if (place.game === undefined) return showListing();
    await showGames(first);
  } catch (error) {
    complain(error);
  }
}

function showListing() {
  close();
  say(find("title"), listing.title);
  say(find("about"), listing.about());
  document.title = `${listing.title} · pommego`;
  turnTo("list");
  listing.show(find("listing"), place);
}

function close() {
  player.run(false);
  for (const view of views) view.close();
  views = [];
}

// showGames shows the games that the address names; the first may be on its way.
async function showGames(first = null) {
  const numbers = [place.game, place.with].filter(number => number !== undefined);
  const games = await Promise.all(numbers.map((number, i) => i === 0 && first || load(number)));
  close();
  turnTo("game");
  views = games.map((game, i) => new View(game, games.length > 1 ? title(numbers[i]) : "", index => player.go(index)));
  find("games").classList.toggle("two", views.length > 1);
  find("games").replaceChildren(...views.map(view => view.whole));
  say(find("title"), games.length > 1 ? numbers.map(title).join(" and ") : title(numbers[0]));
  say(find("about"), views.map(view => view.about()).join(" — "));
  document.title = `${find("title").textContent} · pommego`;
  offerViews(games[0], Number(place.view ?? listing.view ?? -1));
  offerBeside(numbers);
  fillLegend(games[0]);
  player.load(games);
  const start = games[0].positions.findLastIndex(position => position.step <= Number(place.step ?? 0));
  player.go(Math.max(0, start));
}

function title(number) {
  return listing.total === 1 && listing.kind === "games" ? listing.title : `${listing.title}, game ${number}`;
}

function offerBeside(numbers) {
  const others = listing.games.map(game => String(game.game)).filter(number => number !== numbers[0]);
  if (numbers[1] !== undefined && !others.includes(numbers[1])) others.push(numbers[1]);
  find("beside").replaceChildren(element("option", { value: "" }, "nothing"), ...others.map(number => element("option", { value: number }, title(number))));
  find("beside").value = numbers[1] ?? "";
  find("beside").disabled = !others.length;
}

function compare(event) {
  place.with = event.target.value || undefined;
  place.step = String(views[0].game.at(player.index).step);
  showGames().catch(complain);
}

export function browse() {
  player = new Player(show);
  find("beside").onchange = compare;
  find("back").after(near);
  offerSharing(find("looks"), { views: () => views, link: moment, videos: () => listing.videos ?? [] });
  document.documentElement.classList.toggle("embed", new URLSearchParams(location.search).has("embed"));
  addEventListener("hashchange", follow);
  wireLooks(player, () => views.length);
  follow();
}
