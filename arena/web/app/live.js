// Running environments, looked at while they are stepped.

import { encoded } from "./address.js";
import { complain, counted, element, find, say, turnTo } from "./elements.js";
import { rest, server } from "./server.js";
import { open, take } from "./stage.js";

function list(all) {
  turnTo("list");
  document.title = "Live · pommego";
  say(find("title"), "Running environments");
  find("none").hidden = all.length > 0;
  find("list").replaceChildren(...all.map(e => element("li", {},
    `${e.env}: ${counted(e.games, "game")}, ${counted(e.learners, "learner")} each, of ${e.client}${e.running ? "" : ", not reset yet"}`)));
}

function caption([{ game: { head } }], position, following) {
  const about = `step ${position.step} of ${head.max_steps} · seed ${head.seed}${following ? "" : " · held"}`;
  return [`${head.env}, game ${find("number").value}`, about, "Live"];
}

// live shows what the key in the address opens: a game of an environment, or the list of all environments.
export async function live({ token, key, game = "0", view = -1 }, signal) {
  const address = () => ({ token, key, game });
  let end = "";
  find("number").value = game;
  find("number").onchange = event => { location.hash = encoded({ ...address(), view: find("view").value, game: event.target.value }); };
  open({ page: "live", live: true, view, caption, address, hear: line => { ({ end } = line); } });
  while (!end) {
    const hidden = new AbortController(); // the page, which then costs the training nothing
    document.addEventListener("visibilitychange", () => hidden.abort(), { once: true, signal });
    try {
      const about = document.hidden ? {} : await server.ask("api/live", token, signal);
      if (Array.isArray(about)) list(about);
      else if (about.running) await server.lines(`api/live/${encodeURIComponent(game)}`, token, AbortSignal.any([signal, hidden.signal]), take);
      complain(end);
    } catch (error) {
      if (signal.aborted) return;
      if (!hidden.signal.aborted) complain(error);
    }
    await rest(1000);
  }
}
