// The page shell: it shows what the address says.

import { readAddress } from "./address.js";
import { complain, find } from "./elements.js";
import { share } from "./share.js";

let leaving = new AbortController();

// run shows a page by what its address says, in place of what is shown, whenever that is something else.
export function run(page) {
  const go = () => {
    leaving.abort();
    leaving = new AbortController();
    const { signal } = leaving;
    complain();
    page(readAddress(), signal).catch(error => { if (!signal.aborted) complain(error); });
  };
  addEventListener("hashchange", go);
  // The browser may keep a page that is left for somebody who comes back.
  addEventListener("pageshow", event => { if (event.persisted) go(); });
  go();
}

addEventListener("pagehide", () => leaving.abort());
find("share").ontoggle = share;

// What is cut has its whole text as a tooltip.
addEventListener("pointerover", ({ target }) => {
  const on = /** @type {HTMLElement} */ (target);
  if (on.scrollWidth > on.clientWidth && !on.title && on.closest?.("h1, p, td, strong")) on.title = on.textContent;
});
document.documentElement.classList.toggle("embed", new URLSearchParams(location.search).has("embed"));
