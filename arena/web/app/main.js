// Recorded games: the list of them, and one or two that are looked at.

import { encoded } from "./address.js";
import { complain, element, find, say, turnTo } from "./elements.js";
import { Listing, picked } from "./listing.js";
import { server } from "./server.js";
import { moment, open, player, shown, take } from "./stage.js";

/** @type {any} */
let place = {}, listing = null;
let left = 0; // how far the list had been scrolled when it was left
const near = element("span", { className: "tools" }); // the games before and after

function link(wanted) { return `#${encoded({ token: place.token, ...wanted })}`; }

function query(wanted) {
  return server.listing(place.token, wanted).catch(error => {
    complain(error);
    throw error;
  });
}

// browse shows the list, or the games that the address names.
export async function browse(address, signal) {
  if (document.body.dataset.page === "list") left = scrollY;
  place = address;
  const first = place.game === undefined ? null : server.game(place.game, place.token, signal); // while the listing comes
  first?.catch(() => {});
  const part = listing && !first ? listing : await server.listing(place.token, { ...picked(place), at: place.game }, signal);
  listing ??= new Listing(part, link, query);
  const several = listing.total !== 1 || listing.kind !== "games";
  if (place.game === undefined && !several) place.game = String(listing.games[0].game);
  find("back").hidden = !several || place.game === undefined;
  find("back").href = link(picked(place));
  find("back").after(near);
  near.replaceChildren(...(first ? listing.neighbours(place, part) : []));
  if (place.game === undefined) showListing();
  else await showGames(signal, first);
}

function showListing() {
  open({});
  say(find("title"), listing.title);
  say(find("about"), listing.about());
  document.title = `${listing.title} · pommego`;
  turnTo("list");
  if (listing.isShown(place)) scrollTo(0, left);
  else listing.show(find("listing"), place);
}

// showGames shows the games that the address names; the first may be on its way.
async function showGames(signal, first = null) {
  const numbers = [place.game, place.with].filter(number => number !== undefined), several = numbers.length > 1;
  const games = await Promise.all(numbers.map((number, i) => i === 0 && first || server.game(number, place.token, signal)));
  signal.throwIfAborted();
  open({
    page: "game", view: place.view ?? listing.view, title: i => several ? title(numbers[i]) : "",
    caption: views => [numbers.map(title).join(" and "), views.map(view => view.about()).join(" — ")],
    address: () => ({ ...place, step: shown()[0].position.step }), videos: listing.videos ?? [],
  });
  games.forEach(take);
  offerBeside(numbers);
  const start = shown()[0].view.game.positions.findLastIndex(position => position.step <= Number(place.step ?? 0));
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
  find("beside").onchange = event => {
    place.with = event.target.value || undefined;
    location.hash = moment();
  };
}
