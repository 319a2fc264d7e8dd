// The page shell: which page it is, from the address, or from the game that it holds.

import { watch } from "./live.js";
import { browse } from "./main.js";
import { sit } from "./play.js";
import { held } from "./source.js";

const pages = { "/live.html": watch, "/play.html": sit };
const start = held === undefined && pages[location.pathname] || browse;

// What is cut has its whole text as a tooltip.
addEventListener("pointerover", ({ target }) => {
  const on = /** @type {HTMLElement} */ (target);
  if (on.scrollWidth > on.clientWidth && !on.title && on.closest?.("h1, p, td, strong")) on.title = on.textContent;
});
start();
