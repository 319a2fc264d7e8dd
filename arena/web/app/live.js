// Running environments, shown while they are stepped.

import { complain, counted, element, encoded, entitle, find, say, turnTo } from "./elements.js";
import { run } from "./page.js";
import { rest, server } from "./server.js";
import { open, player, shown, take } from "./stage.js";
import { enter, episodeOf, leave, tell } from "./wall.js";

let before = [], listed = ""; // the list of a second ago

function list(all, { token, at }) {
  turnTo("list");
  entitle("Running environments", "", "Live");
  empty(all.length ? "" : "No environment runs at this server. To see one here:",
    `envs = pommego.make_vec("PommeFFACompetition-v0", 64, opponents=["simple"] * 3, address="${at}", web=True)\nobs, info = envs.reset()`);
  const now = JSON.stringify([token, at, ...all.map(e => ({ ...e, moves: 0 }))]), same = now === listed;
  listed = now; // what is the same stays under pointer and keyboard
  if (!same) find("list").replaceChildren(...all.map(e => element("li", {},
    e.key ? element("a", { href: `#${encoded({ token, at, key: e.key })}` }, e.env) : element("strong", {}, e.env),
    ` ${counted(e.games, "game")}, ${counted(e.learners, "learner")} each, of ${e.client}${e.running ? "" : ", not reset yet"}`,
    element("span", { className: "rate" }))));
  else all.forEach((e, i) => say(find("list").children[i].lastChild, `${Math.max(0, e.moves - before[i].moves).toLocaleString("en")} moves a second`));
  before = all;
}

// empty explains an empty page.
function empty(words, code) {
  find("none").hidden = !words;
  say(find("none").firstElementChild, words);
  say(find("none").lastElementChild, code);
}

function caption({ game: { head } }, position, following) {
  const about = `step ${position.step} of ${head.max_steps} · seed ${head.seed}${following ? "" : " · held"}`;
  return [`${head.env}, game ${head.number}`, about, "Live"];
}

// again shows an episode that is over.
function again(lines, address) {
  open({ page: "live", caption: view => [`${view.game.head.env}, an episode that is over`, view.about(), "Live"], address });
  if (!lines) return complain("This episode is no longer kept: the page keeps the last ones that ended while it was open.");
  take(lines);
  player.go(0);
}

// live shows what the address's key gives access to: the games of an environment, one game, or the list of all environments.
async function live({ token, key, at, game, episode, view = -1 }, signal) {
  const address = () => ({ token, key, at, game, episode }), link = query => `#${encoded({ token, key, at, ...query })}`;
  let end = "";
  leave();
  listed = "";
  find("back").href = link({});
  find("back").hidden = !game && !episode;
  find("number").value = game ?? "";
  find("number").onchange = event => { location.hash = link({ view: find("view").value, game: event.target.value }); };
  if (episode) return again(episodeOf(episode), address);
  const hear = line => {
    if (line.end) ({ end } = line);
    else if (document.activeElement !== find("number")) find("number").value = shown()?.game.head.number ?? line.game;
  };
  open({ page: "live", live: true, view, caption, address, hear });
  if (key && !game) enter(link);
  while (!end) {
    try {
      const about = document.hidden ? {} : await server.ask("api/live", token, signal);
      if (document.hidden) listed = "";
      if (Array.isArray(about)) list(about, { token, at });
      else if (about.running && !game && about.games > 1) {
        enter(link, about);
        await server.seen("api/live/wall", token, signal, lines => { end = tell(lines) ?? ""; });
      } else if (about.running) await server.seen(`api/live/${encodeURIComponent(game ?? "any")}`, token, signal, take);
      else if (about.env) {
        turnTo("list");
        find("list").replaceChildren();
        entitle(about.env, "", "Live");
        empty("The environment is made, and waits for its first reset:", "obs, info = envs.reset()");
      }
      complain(end);
    } catch (error) {
      if (signal.aborted) return;
      complain(error);
    }
    await rest(1000);
  }
}

run(live);
