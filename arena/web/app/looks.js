// How games are looked at, on the pages of recorded and of running ones: the views, the
// legend and the keys.

import { legend, thumbnail } from "./board.js";
import { element, find } from "./elements.js";

export function offerViews(game, wanted) {
  const seats = game.head.teams.flat().toSorted((a, b) => a - b);
  find("view").replaceChildren(element("option", { value: -1 }, "everything"),
    ...seats.map(seat => element("option", { value: seat }, `what ${game.who(seat)} sees`)));
  find("view").value = seats.includes(wanted) ? wanted : -1;
}

export function fillLegend(game) {
  find("legend").lastElementChild.replaceChildren(...legend(game).map(([words, draw]) => element("li", {}, thumbnail(draw), words)));
}

// wireLooks has the player show its step again when it is looked at in another way, and
// acts on keys while there is something to see, except where they mean something else.
export function wireLooks(player, something) {
  const again = () => player.set(player.index);
  find("view").onchange = find("reach").onchange = find("dim").onchange = again;
  addEventListener("keydown", event => {
    if (!something() || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    if (target.matches("select, input:not([type=range]), textarea")) return;
    if (event.key === " " && target.matches("button, summary, a")) return;
    if (event.key === "v") {
      find("view").selectedIndex = (find("view").selectedIndex + 1) % find("view").length;
      again();
    } else if (event.key === "b" || event.key === "d") {
      find(event.key === "b" ? "reach" : "dim").click();
    } else if (!player.key(event)) {
      return;
    }
    event.preventDefault();
  });
}
