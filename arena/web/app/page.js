// The page shell: which page it is, from the address, or from the game that it holds.

import { readAddress } from "./address.js";
import { complain } from "./elements.js";
import { live } from "./live.js";
import { browse } from "./main.js";
import { play } from "./play.js";
import { held } from "./server.js";

const pages = { "/live.html": live, "/play.html": play };
const page = held === undefined && pages[location.pathname] || browse;
let leaving = new AbortController();

// go shows what the address says, in place of what is shown.
function go() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  complain();
  page(readAddress(), signal).catch(error => { if (!signal.aborted) complain(error); });
}

// What is cut has its whole text as a tooltip.
addEventListener("pointerover", ({ target }) => {
  const on = /** @type {HTMLElement} */ (target);
  if (on.scrollWidth > on.clientWidth && !on.title && on.closest?.("h1, p, td, strong")) on.title = on.textContent;
});
document.documentElement.classList.toggle("embed", new URLSearchParams(location.search).has("embed"));
addEventListener("hashchange", go);
// The browser may keep a page that is left for somebody who comes back.
addEventListener("pagehide", () => leaving.abort());
addEventListener("pageshow", event => { if (event.persisted) go(); });
go();
