// Recorded games: the list of them, and the game that is open.

import { still } from "./board.js";
import { element, encoded, entitle, find, turnTo } from "./elements.js";
import { Listing, picked } from "./listing.js";
import { run } from "./page.js";
import { held, server } from "./server.js";
import { open, player, shown, take } from "./stage.js";

/** @type {any} */
let place = {}, listing = null;
let left = 0; // the scroll position of the list when it was left
const near = element("span", { className: "tools" }); // the games before and after

function link(wanted) { return `#${encoded({ token: place.token, ...wanted })}`; }

// browse shows the list, or the game that the address names.
async function browse(address, signal) {
  if (document.body.dataset.page === "list") left = scrollY;
  if (place.token !== address.token) { // another server: nothing of the one before stays
    listing = null;
    find("listing").replaceChildren();
    empty("");
  }
  place = address;
  const coming = place.game === undefined ? null : server.game(place.game, place.token, signal); // loaded at the same time as the listing
  coming?.catch(() => {});
  listing ??= new Listing(await server.listing(place.token, signal), link);
  const several = listing.games.length !== 1 || listing.kind !== "games";
  if (place.game === undefined && !several) place.game = String(listing.games[0].game);
  find("back").hidden = !several || place.game === undefined;
  find("back").href = link(picked(place));
  find("back").after(near);
  near.replaceChildren(...(coming ? listing.neighbours(place) : []));
  if (place.game === undefined) showListing();
  else await showGame(coming ?? server.game(place.game, place.token, signal), signal);
}

function empty(title) {
  open({});
  find("games").replaceChildren();
  entitle(title, "");
}

function showListing() {
  open({});
  entitle(listing.title, listing.about());
  turnTo("list");
  if (listing.isShown(place)) scrollTo(0, left);
  else listing.show(find("listing"), place);
}

async function showGame(coming, signal) {
  const here = place, title = listing.games.length === 1 && listing.kind === "games" ? listing.title : `${listing.title}, game ${here.game}`;
  const lines = await coming.catch(error => {
    signal.throwIfAborted();
    empty(title);
    throw error;
  });
  signal.throwIfAborted();
  open({
    page: "game", view: here.view ?? listing.view, caption: view => [title, view.about()],
    address: () => ({ ...here, step: shown().position.step }), number: held === undefined ? here.game : undefined,
  });
  take(lines);
  const start = shown().game.positions.findLastIndex(position => position.step <= Number(here.step ?? 0));
  player.go(Math.max(0, start));
  if (here.play && !still.matches) player.run(true);
}

run(browse);
