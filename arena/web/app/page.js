// The page shell, which shows what the address names.

import { complain, find, readAddress } from "./elements.js";
import { share } from "./share.js";

let leaving = new AbortController();

// run shows the page that the address names, again whenever the address changes.
export function run(page) {
  const go = () => {
    leaving.abort();
    leaving = new AbortController();
    const { signal } = leaving;
    complain();
    page(readAddress(), signal).catch(error => { if (!signal.aborted) complain(error); });
  };
  addEventListener("hashchange", go);
  // The browser may restore this page when the user goes back.
  addEventListener("pageshow", event => { if (event.persisted) go(); });
  go();
}

addEventListener("pagehide", () => leaving.abort());
find("share").ontoggle = share;

// A text that is cut off has the whole text as a tooltip.
addEventListener("pointerover", ({ target }) => {
  const on = /** @type {HTMLElement} */ (target);
  if (on.scrollWidth > on.clientWidth && !on.title && on.closest?.("h1, p, td, strong")) on.title = on.textContent;
});
document.documentElement.classList.toggle("embed", new URLSearchParams(location.search).has("embed"));
