// A match that a person plays in.

import { encoded, readAddress } from "./address.js";
import { complain, element, find, say, turnTo } from "./elements.js";
import { Game } from "./game.js";
import { Hand, kind, kindOfKey } from "./person.js";
import { server } from "./server.js";
import { offerSharing } from "./share.js";
import { View } from "./view.js";

const place = readAddress();
const speeds = [0, 1, 2, 3, 4, 6, 10];
const signs = { up: "↑", down: "↓", left: "←", right: "→", stay: "·" };

let game = null, view = null, hand = null;
let asked = null; // the question that waits for an answer
let waiting = ""; // a choice that came before the question
let held = ""; // the key that is down

// state is what the page knows, for tests.
export function state() {
  return { step: game?.at(game.last).step, asked: asked?.step, needs: asked?.needs, over: !find("whole").hidden, agents: game?.at(game.last).agents };
}

const seat = Number(place.seat ?? 0);

function post(what, body) { return server.post(`api/play/${what}`, place.token, body).catch(complain); }

// take acts on a line from the server.
function take(line) {
  if (line.head) begin(line.head);
  if (line.step) {
    asked = null;
    game.add(line.step);
    show();
  }
  if (line.ask) ask(line.ask);
  if (line.end) end(line.end);
}

function begin(head) {
  view?.close();
  game = new Game({ ...head, steps: [] });
  hand = new Hand(head.actions);
  say(find("title"), `${head.env}: you are ${game.who(seat)}`);
  say(find("about"), (head.names ?? []).map((_, i) => `${i}: ${game.name(i)}`).join(" · "));
  document.title = `${head.env} · pommego`;
  fillPad(head.actions);
  find("leave").hidden = false;
  turnTo("play");
}

function show() {
  if (view?.game !== game) view = new View(game, "", () => {});
  if (view.whole.parentElement !== find("games")) find("games").replaceChildren(view.whole);
  view.addEvents();
  const out = !game.at(game.last).status.in.includes(seat);
  view.show(game.last, out ? -1 : seat, false);
  say(find("happened"), view.happened(game.last));
}

function ask(question) {
  asked = question;
  hand.ask(question.needs);
  find("speed").value = question.speed;
  prompt();
  const early = waiting || (question.speed > 0 ? held : "");
  waiting = "";
  if (early) choose(early);
}

// prompt says whose move it is.
function prompt() {
  const parts = hand.open.length > 1 ? `, ${game.head.actions[hand.next].name.replaceAll("_", " ")}` : "";
  say(find("turn"), asked ? `Step ${asked.step}: your move${parts}` : "");
}

// choose makes a choice of one component, and sends the action once it is whole.
function choose(wanted) {
  if (!asked) {
    waiting = wanted;
    return;
  }
  const words = [...find("words").querySelectorAll("select")].map(select => Number(select.value));
  const action = hand.choose(wanted, words);
  prompt();
  if (!action) return;
  const { step } = asked;
  if (Number(find("speed").value) === 0) asked = null; // one answer; at a speed the last counts
  server.post("api/play/move", place.token, { seat, step, action }).catch(error => {
    if (error.status !== 409) complain(error); // else the step went on meanwhile
  });
}

function fillPad(actions) {
  const first = actions[hand.moves[0]];
  find("pad").replaceChildren(...first.names.map((name, choice) => {
    const what = kind(first, choice), words = name.replaceAll("_", " ");
    const button = element("button", { type: "button", className: what, ariaLabel: words, title: words }, signs[what] ?? words);
    button.onclick = () => choose(what);
    return button;
  }));
  find("words").replaceChildren(...hand.words.map((part, i) => element("label", {}, `Word ${i + 1} `,
    element("select", {}, ...actions[part].names.map((name, n) => element("option", { value: n }, name))))));
}

function end(how) {
  asked = null;
  say(find("turn"), how);
  for (const button of find("pad").children) button.disabled = true;
  find("leave").hidden = true;
  find("whole").href = `./#${encoded({ token: place.token, game: 1 })}`;
  find("whole").hidden = false;
}

function wire() {
  find("speed").replaceChildren(...speeds.map(n => element("option", { value: n }, n ? `${n} moves a second` : "waits for you")));
  find("speed").onchange = event => {
    post("pace", { seat, speed: Number(event.target.value) });
    event.target.blur(); // keys are moves again
  };
  find("leave").onclick = () => post("leave", {});
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
    const what = kindOfKey(event.key);
    if (!what || event.key === " " && event.target.matches("button, a")) return;
    event.preventDefault();
    held = what;
    if (!event.repeat || asked) choose(what);
  });
  addEventListener("keyup", event => { if (kindOfKey(event.key) === held) held = ""; });
  addEventListener("blur", () => { held = ""; });
}

// sit is the page of a match. It listens until the match is over, again from the beginning
// where the connection is lost.
export async function sit() {
  wire();
  offerSharing(document.querySelector(".tools"), { views: () => view ? [view] : [] });
  try {
    while (find("whole").hidden) await server.lines(`api/play?seat=${seat}`, place.token, take);
  } catch (error) {
    complain(error);
  }
}
