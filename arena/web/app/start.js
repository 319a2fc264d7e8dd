// The start page: champions play until the user starts a match. Cards choose the opponents' strength and the game.

import { Board, form, still, thumbnail } from "./board.js";
import { complain, element, encoded, entitle, find, say, turnTo } from "./elements.js";
import { Game } from "./game.js";
import { rest, server } from "./server.js";
import { sprites } from "./sprites.js";
import { open } from "./stage.js";

const speeds = [0, 1, 2, 3, 4, 6, 10, 25, 60]; // moves a second
const pause = 3000; // milliseconds after the end of an exhibition
const levels = ["calm", "hard", "champion"];

let offers = [], boards = [];
let showing = new AbortController(); // the exhibition

// offerSpeeds chooses a speed, which may be none of the usual ones.
export function offerSpeeds(select, speed = 0) {
  const all = [...new Set([...speeds, speed])].sort((a, b) => a - b);
  select.replaceChildren(...all.map(n => element("option", { value: n, selected: n === speed }, n ? `${n} moves a second` : "waits for you")));
}

function capital(text) { return text.charAt(0).toUpperCase() + text.slice(1); }

function worded(agent) { return agent.replace(":level=", ", level "); }

/** @returns {any} */
function chosen(name) { return new FormData(find("start")).get(name); }

// card is one choice of several. Its text begins with the important words.
function card(name, value, checked, title, words, more, ...pictures) {
  return element("label", { className: "card", title: more }, element("input", { type: "radio", name, value, checked }), ...pictures,
    element("span", {}, element("strong", {}, capital(title)), element("small", {}, words)));
}

function drawn(offer, canvas) {
  const game = new Game({ ...offer.head, steps: [offer.step] }), board = new Board(canvas, game);
  board.show(game.at(0));
  return board;
}

// kindOf is the heading under which a game is listed.
function kindOf({ head }) {
  if (head.game !== offers[0].head.game) return "Sister games";
  return head.teams.some(team => team.length > 1) ? "Two against two" : head.teams.length > 2 ? "Each for itself" : "One against one";
}

function listOffers(env) {
  for (const board of boards) board.close();
  boards = [];
  const wanted = offers.find(({ ids }) => ids.includes(env)) ?? offers[0];
  find("offers").replaceChildren(...Object.entries(Object.groupBy(offers, kindOf)).map(([kind, all]) => element("fieldset", {}, element("legend", {}, kind), ...all.map(offer => {
    const canvas = element("canvas", { role: "img" });
    boards.push(drawn(offer, canvas));
    const [title, words = ""] = offer.about.split(/[:;,] (.*)/);
    return card("env", offer === wanted ? env ?? offer.ids[0] : offer.ids[0], offer === wanted, title, words, offer.ids.join(", "), canvas);
  }))));
}

// offerSeats offers the seats of a game: one for the person, agents for the others.
function offerSeats({ head, agents }, agent) {
  const game = new Game({ ...head, steps: [] });
  find("sitting").replaceChildren(...game.seats.map(seat => {
    const options = agents.map(name => element("option", { value: name, selected: name === agent }, worded(name)));
    return element("li", { className: "sits" }, thumbnail(pen => sprites.agent(pen, sprites.seatColour(game, seat), String(seat), form(game, seat))),
      element("label", {}, element("input", { type: "radio", name: "mine", value: seat, checked: seat === 0 }), " you"),
      element("select", { name: "agent", ariaLabel: `Agent in seat ${seat}` }, ...options));
  }));
}

// exhibit shows champions at a game, match after match.
async function exhibit(offer, token, signal) {
  let board = drawn(offer, find("show"));
  signal.addEventListener("abort", () => board.close(), { once: true });
  const take = lines => {
    for (const { head, step } of lines) {
      if (head) {
        board.close();
        board = new Board(find("show"), new Game({ ...head, steps: [] }));
      }
      if (step) board.game.add({ ...step, thoughts: undefined });
    }
    if (board.game.positions.length) board.show(board.game.at(board.game.last));
  };
  while (!still.matches) {
    await server.seen(`api/play/exhibit?${encoded({ env: offer.head.env })}`, token, signal, take);
    await rest(pause);
  }
}

// choose is called with another game, and chooses a strength in it.
function choose(token) {
  const offer = offers.find(({ ids }) => ids.includes(chosen("env"))), level = chosen("level") ?? levels[0];
  say(find("chosen"), capital(offer.about));
  say(find("goal"), offer.goal);
  say(find("ids"), offer.ids.join(", "));
  find("levels").replaceChildren(find("levels").firstElementChild, ...levels.map((name, i) => card("level", name, name === level, name, worded(offer.levels[i]), "")));
  offerSeats(offer, offer.levels[levels.indexOf(level)]);
  showing.abort();
  showing = new AbortController();
  const { signal } = showing;
  exhibit(offer, token, signal).catch(error => { if (!signal.aborted) complain(error); });
}

// tellOf shows which match is played at this table, and offers to join or end it.
function tellOf({ env, seats }, token) {
  find("playing").hidden = !env;
  find("begin").disabled = Boolean(env);
  const join = seat => element("a", { className: "button", href: `#${encoded({ token, seat })}` }, seat < 0 ? "Look on" : `Join in seat ${seat}`);
  const stop = element("button", { type: "button", onclick: () => server.post("api/play", token, { seat: seats?.[0] ?? -1, leave: true }).catch(complain) }, "Stop it");
  find("playing").replaceChildren(`A match of ${env} is being played here. `, ...(seats?.length ? seats : [-1]).map(join), stop);
}

// offer is the page. It begins the match, and continues with the page of the chosen seat.
export function offer({ token, env }, signal) {
  open({});
  turnTo("start");
  entitle("pommego", "Lay bombs, dig, kick, and outlive the others.", "Play");
  offerSpeeds(find("pace"));
  signal.addEventListener("abort", () => showing.abort(), { once: true });
  const table = find("start");
  table.onchange = ({ target }) => { if (["env", "level"].includes(target.name)) choose(token); };
  table.onsubmit = async event => {
    event.preventDefault();
    complain();
    const mine = Number(chosen("mine")), speed = find("pace").value;
    const agents = [...table.querySelectorAll("[name=agent]")].map(select => select.value);
    agents[mine] = speed === "0" ? "human" : `human:speed=${speed}`;
    try {
      await server.post("api/play/start", token, { env: chosen("env"), agents });
      location.hash = encoded({ token, seat: mine });
    } catch (error) {
      complain(error);
    }
  };
  return server.lines("api/play", token, signal, lines => {
    for (const line of lines) {
      if (line.playing) tellOf(line.playing, token);
      if (!line.offers) continue;
      ({ offers } = line);
      tellOf({ env: "", seats: [] }, token);
      listOffers(env);
      choose(token);
    }
  });
}
