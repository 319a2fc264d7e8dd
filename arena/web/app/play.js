// A match that a person plays in.

import { encoded, readAddress } from "./address.js";
import { complain, element, find, say, turnTo } from "./elements.js";
import { Game, ending, inWords } from "./game.js";
import { Hand, kind, kindOfKey, signs } from "./person.js";
import { server } from "./server.js";
import { download, offerSharing } from "./share.js";
import { offer, offerSpeeds } from "./start.js";
import { View } from "./view.js";

const place = readAddress();

let game = null, view = null, hand = null;
let asked = null; // the question that waits for an answer
let waiting = ""; // a choice that came before the question
let held = ""; // the key or button that is down
let repeats = 0; // the timer of a button that is held
let word = 0; // the list that the next digit chooses from

// state is what the page knows, for tests.
export function state() {
  return { seed: String(game?.head.seed), step: game?.at(game.last).step, asked: asked?.step, needs: asked?.needs, over: over(), agents: game?.at(game.last).agents };
}

const seat = Number(place.seat); // -1: nobody's, of a match between agents

function over() { return document.body.classList.contains("over"); }

function choosesWords() { return [...find("words").querySelectorAll("select")]; }

function post(what, body) { return server.post(`api/play/${what}`, place.token, body).catch(complain); }

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
  say(find("title"), seat < 0 ? head.env : `${head.env}: you are ${game.who(seat)}`);
  say(find("about"), (head.names ?? []).map((_, i) => `${i}: ${game.name(i)}`).join(" · "));
  document.title = `${head.env} · pommego`;
  fillPad(head.actions);
  document.body.classList.remove("over");
  find("leave").hidden = find("speed").parentElement.hidden = seat < 0;
  turnTo("play");
}

function show() {
  if (view?.game !== game) view = new View(game, "", () => {});
  if (view.whole.parentElement !== find("games")) find("games").replaceChildren(view.whole);
  view.addEvents();
  const out = !game.at(game.last).status.in.includes(seat);
  view.show(game.last, out ? -1 : seat, false);
  say(find("happened"), view.happened(game.last));
  document.body.classList.toggle("looking", out);
  if (out && seat >= 0) say(find("turn"), `You are out${ownFate().replace(/^./, ": $&")}. The match goes on.`);
}

function ownFate() {
  const died = game.events.findLast(e => e.event === "died" && e.seat === seat);
  return died ? inWords(game, died).replace(game.who(seat), "you").replace("you was", "you were").replace("by itself", "by your own bomb") : "";
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
  const action = hand.choose(wanted, choosesWords().map(select => Number(select.value)));
  prompt();
  if (!action) return;
  word = 0;
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
    button.onpointerdown = event => { if (!event.button) hold(what); };
    button.onclick = event => { if (!event.detail) choose(what); }; // by the keyboard
    return button;
  }));
  find("words").replaceChildren(...hand.words.map((part, i) => element("label", {}, `Word ${i + 1} `,
    element("select", { onchange: event => event.target.blur() }, ...actions[part].names.map((name, n) => element("option", { value: n }, name))))));
}

// hold is choose for as long as the button is down, at a pace that lets go in time.
function hold(what) {
  held = what;
  choose(what);
  const since = performance.now();
  repeats = setInterval(() => {
    if (asked && find("speed").value === "0" && performance.now() - since > 350) choose(what);
  }, 120);
}

function letGo() {
  held = "";
  clearInterval(repeats);
}

function sayWord(digit) {
  const lists = choosesWords();
  if (!lists.length || !lists[0].options[digit]) return;
  lists[word % lists.length].value = digit;
  word++;
}

function end(how) {
  asked = null;
  letGo();
  const { status } = game.at(game.last), won = status.winners?.includes(seat);
  say(find("verdict"), !status.over ? "The match was stopped" : seat < 0 ? `The end: ${ending(game, status)}` : won ? "You won" : status.result === "Tie" ? "A tie" : "You lost");
  find("verdict").className = won ? "won" : seat >= 0 && status.over && status.result !== "Tie" ? "lost" : "";
  say(find("turn"), how);
  say(find("happened"), ownFate().replace(/^./, letter => letter.toUpperCase()));
  find("leave").hidden = true;
  find("whole").href = `./#${encoded({ token: place.token, game: 1 })}`;
  document.body.classList.add("over");
}

async function save() {
  const text = await server.ask("api/play/record", place.token);
  download(new Blob([text]), `${game.head.env.replace(":", "-")}-${game.head.seed}.jsonl`);
}

function wire() {
  offerSpeeds(find("speed"));
  find("speed").onchange = event => {
    post("pace", { seat, speed: Number(event.target.value) });
    event.target.blur(); // keys are moves again
  };
  find("leave").onclick = () => post("leave", {});
  find("again").onclick = () => post("start", {});
  find("same").onclick = () => post("start", { same: true });
  find("save").onclick = () => save().catch(complain);
  find("another").onclick = () => {
    location.hash = encoded({ token: place.token, env: game.head.env });
    location.reload();
  };
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
    if (/^[0-9]$/.test(event.key)) sayWord(Number(event.key));
    if (event.key === "?") find("help").togglePopover();
    if (event.key === "f") document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
    const what = kindOfKey(event.key);
    if (!what || event.key === " " && event.target.matches("button, a")) return;
    event.preventDefault();
    held = what;
    if (!event.repeat || asked) choose(what);
  });
  addEventListener("keyup", event => { if (kindOfKey(event.key) === held) held = ""; });
  for (const name of ["blur", "pointerup", "pointercancel"]) addEventListener(name, letGo);
}

// sit is the page of a person's seat, or of the choice of a match. It listens, again from the
// beginning where the connection is lost.
export async function sit() {
  if (place.seat !== undefined) wire();
  offerSharing(document.querySelector(".tools"), { views: () => view ? [view] : [] });
  try {
    for (;;) await (place.seat === undefined ? offer(place) : server.lines(`api/play?seat=${seat}`, place.token, take));
  } catch (error) {
    complain(error);
  }
}
