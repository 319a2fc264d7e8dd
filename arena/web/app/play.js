// A match that a person plays in.

import { complain, element, encoded, find, say } from "./elements.js";
import { ending, inWords, isDeath } from "./game.js";
import { run } from "./page.js";
import { Hand, kind, kindOfKey, signs } from "./person.js";
import { server } from "./server.js";
import { download } from "./share.js";
import { open, take } from "./stage.js";
import { offer, offerSpeeds } from "./start.js";

const soon = 300; // milliseconds in which the others have usually moved

let token = "", seat = -1; // -1: no seat, for a match between agents
let game = null;
/** @type {any} */
let mode = {};
let hand = null; // the person's choices; null without a person
let held = ""; // the key or button that is down
let repeats = 0; // the timer of a button that is held

// state is what the page knows, for tests.
export function state() {
  return { seed: String(game?.head.seed), step: game?.at(game.last)?.step, asked: hand?.asked?.step, needs: hand?.asked?.needs, over: over(), agents: game?.at(game.last)?.agents };
}

function over() { return document.body.classList.contains("over"); }

function choosesWords() { return [...find("words").querySelectorAll("select")]; }

function seek(what) { return server.post("api/play", token, { seat, ...what }).catch(complain); }

function again(same) { return server.post("api/play/start", token, { same }).catch(complain); }

// hear takes a line of the match; the page has its game.
function hear(line, now) {
  if (line.head) begin(now);
  if (line.step) {
    hand.asked = null;
    const out = isOut();
    document.body.classList.toggle("looking", out);
    if (out && find("speed").value === "0") find("speed").value = 4; // the match continues at this speed
    if (out && seat >= 0) say(find("turn"), `You are out${ownFate().replace(/^./, ": $&")}. The match goes on.`);
  }
  if (line.ask) ask(line.ask);
  if (line.end) hand && !over() ? end(line.end, line.game) : complain(line.end); // a match may end before it begins
}

function begin(now) {
  game = now;
  game.played = seat >= 0; // a person does not wait for the others' thoughts
  hand = new Hand(game.head.actions);
  letGo();
  fillPad(game.head.actions);
  document.body.classList.remove("over");
  find("leave").hidden = find("speed").parentElement.hidden = seat < 0;
  mode.number = undefined;
}

function isOut() { return !game.at(game.last).status.in.includes(seat); }

function ownFate() {
  const died = isOut() && game.events.findLast(e => isDeath(e) && e.seat === seat);
  return died ? inWords(game, died).replace(game.who(seat), "you").replace("you was", "you were").replace("by its own bomb", "by your own bomb") : "";
}

function ask(question) {
  hand.ask(question);
  if (Number(find("speed").value) !== question.speed) offerSpeeds(find("speed"), question.speed);
  prompt();
  const early = hand.waiting || (question.speed > 0 ? held : "");
  hand.waiting = "";
  if (early) choose(early);
}

function prompt() {
  const parts = hand.open.length > 1 ? `, ${game.head.actions[hand.next].name.replaceAll("_", " ")}` : "";
  say(find("turn"), `Step ${hand.asked.step}: your move${parts}`);
}

// choose makes the choice of one component, and sends the action once it is complete.
function choose(wanted) {
  const { asked } = hand;
  if (!asked) {
    hand.waiting = wanted;
    return;
  }
  const action = hand.choose(wanted, choosesWords().map(select => Number(select.value)));
  prompt();
  if (!action) return;
  hand.word = 0;
  if (Number(find("speed").value) === 0) { // one answer; with a speed the last one counts
    hand.asked = null;
    setTimeout(() => { if (hand?.last === asked && !hand.asked && !over() && !isOut()) say(find("turn"), "The others move"); }, soon);
  }
  server.post("api/play", token, { seat, step: asked.step, action }).catch(complain);
}

function fillPad(actions) {
  const first = actions[hand.moves[0]];
  find("pad").replaceChildren(...first.names.map((name, choice) => {
    const what = kind(first, choice), words = name.replaceAll("_", " ");
    const button = element("button", { type: "button", className: what, ariaLabel: words, title: words }, signs[what] ?? words);
    button.onpointerdown = event => { if (!event.button) hold(what); };
    button.onclick = event => { if (!event.detail) choose(what); }; // a click by the keyboard
    return button;
  }));
  find("words").replaceChildren(...hand.words.map((part, i) => element("label", {}, `Word ${i + 1} `,
    element("select", {}, ...actions[part].names.map((name, n) => element("option", { value: n }, name))))));
}

// hold repeats choose while the button is down, slowly enough to release it in time.
function hold(what) {
  letGo(); // another finger may be down
  held = what;
  choose(what);
  const since = performance.now();
  repeats = setInterval(() => {
    if (hand.asked && find("speed").value === "0" && performance.now() - since > 350) choose(what);
  }, 120);
}

function letGo() {
  held = "";
  clearInterval(repeats);
}

function sayWord(digit) {
  const lists = choosesWords();
  if (!lists.length || !lists[0].options[digit]) return;
  lists[hand.word % lists.length].value = digit;
  hand.word++;
}

function end(how, number) {
  hand.asked = null;
  letGo();
  const { status } = game.at(game.last), won = status.winners?.includes(seat);
  say(find("verdict"), !status.over ? "The match was stopped" : seat < 0 ? `The end: ${ending(game, status)}` : won ? "You won" : status.result === "Tie" ? "A tie" : "You lost");
  find("verdict").className = won ? "won" : seat >= 0 && status.over && status.result !== "Tie" ? "lost" : "";
  say(find("turn"), how);
  say(find("happened"), ownFate().replace(/^./, letter => letter.toUpperCase()));
  find("leave").hidden = true;
  find("whole").href = `./#${encoded({ token, game: number })}`;
  document.body.classList.add("over");
  mode.number = number;
}

async function save() {
  const text = await server.ask(`api/play/record?game=${mode.number}`, token);
  download(new Blob([text]), `${game.head.env.replace(":", "-")}-${game.head.seed}.jsonl`);
}

find("leave").onclick = () => seek({ leave: true });
find("again").onclick = () => again(false);
find("same").onclick = () => again(true);
find("save").onclick = () => save().catch(complain);
find("another").onclick = () => { location.hash = encoded({ token, env: game.head.env }); };
addEventListener("keydown", event => {
  if (!hand || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
  if (/^[0-9]$/.test(event.key)) sayWord(Number(event.key));
  if (event.key === "?") find("help").togglePopover();
  if (event.key === "f") document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
  const what = kindOfKey(event.key);
  if (!what || event.key === " " && event.target.matches("button, summary, a")) return;
  event.preventDefault();
  held = what;
  if (!event.repeat || hand.asked) choose(what);
});
addEventListener("keyup", event => { if (kindOfKey(event.key) === held) held = ""; });
for (const name of ["blur", "pointerup", "pointercancel"]) addEventListener(name, letGo);

function caption({ game }) {
  const { env, names = [] } = game.head;
  return [seat < 0 ? env : `${env}: you are ${game.who(seat)}`, game.head.note || names.map((_, i) => `${i}: ${game.name(i)}`).join(" · "), env];
}

// play is the page of a person's seat, or of the choice of a match. If the connection is lost, it
// starts listening again from the beginning.
async function play(place, signal) {
  ({ token } = place);
  hand = null;
  while (place.seat === undefined) await offer(place, signal);
  seat = Number(place.seat);
  offerSpeeds(find("speed"));
  find("speed").onchange = event => seek({ speed: Number(event.target.value) });
  mode = { page: "play", live: true, caption, hear, seat: of => of.at(of.last).status.in.includes(seat) ? seat : -1 };
  open(mode);
  for (;;) await server.lines(`api/play?seat=${seat}`, token, signal, take);
}

run(play);
