// The page shell: which page it is, from the address, or from the game that it holds.

import { find } from "./elements.js";
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

// showKeys shows what keys do, or hides it.
function showKeys() {
  const { page } = document.body.dataset;
  if (page === "play") return find("help").togglePopover();
  if (page !== "game" && page !== "live") return;
  if (!find("looks").checkVisibility()) find("looks").showPopover();
  find("keys").open = !find("keys").open;
}

addEventListener("keydown", ({ key, ctrlKey, metaKey, altKey, target }) => {
  if (ctrlKey || metaKey || altKey || target.matches("select, input:not([type=range])")) return;
  if (key === "?") showKeys();
  if (key !== "f") return;
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => {}); // a frame may not
});
start();
