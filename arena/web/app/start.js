// The start page: which match is played, and who sits in its seats.

import { encoded } from "./address.js";
import { complain, element, find, say, turnTo } from "./elements.js";
import { Game } from "./game.js";
import { Seats } from "./seats.js";
import { server } from "./server.js";
import { open } from "./stage.js";

const speeds = [0, 1, 2, 3, 4, 6, 10, 25, 60]; // moves a second

export function offerSpeeds(select) {
  select.replaceChildren(...speeds.map(n => element("option", { value: n }, n ? `${n} moves a second` : "waits for you")));
}

// offerSeats offers the seats of a game: one for the person, agents for the others.
function offerSeats({ head, about, agents }) {
  say(find("described"), about);
  const seats = new Seats(find("sitting"), new Game({ ...head, steps: [] }));
  seats.cards.forEach(({ whole, seat }) => {
    const options = agents.map(name => element("option", { value: name }, name.replace(":level=", ", level ")));
    const select = element("select", { name: "agent", ariaLabel: `Agent in seat ${seat}` }, ...options);
    select.value = "simple";
    const mine = element("label", { className: "mine" }, element("input", { type: "radio", name: "mine", value: seat, checked: seat === 0 }), " you");
    whole.children[1].append(element("p", { className: "sits" }, mine, select));
  });
}

// offer is the page; it begins the match, and goes on with the page of the chosen seat.
export function offer({ token, env }, signal) {
  open({});
  turnTo("start");
  say(find("title"), "Play");
  say(find("about"), "Choose a game, your seat, and who plays in the others.");
  document.title = "Play · pommego";
  offerSpeeds(find("pace"));
  const form = find("start");
  form.onsubmit = async event => {
    event.preventDefault();
    complain();
    const mine = Number(new FormData(form).get("mine")), speed = find("pace").value;
    const agents = [...form.querySelectorAll("[name=agent]")].map(select => select.value);
    agents[mine] = speed === "0" ? "human" : `human:speed=${speed}`;
    try {
      await server.post("api/play/start", token, { env: find("env").value, agents });
      location.hash = encoded({ token, seat: mine });
    } catch (error) {
      complain(error);
    }
  };
  return server.lines("api/play", token, signal, ([{ offers }]) => {
    find("env").replaceChildren(...offers.map(({ head }) => element("option", {}, head.env)));
    find("env").onchange = () => offerSeats(offers[find("env").selectedIndex]);
    find("env").value = offers.some(({ head }) => head.env === env) ? env : offers[0].head.env;
    find("env").onchange();
  });
}
