// Games as docs/maintainers/scene.md describes them.

const longest = 40; // letters of a name
const ofOneStep = ["changed", "actions", "rewards", "events", "thoughts"];

// Game has whole positions, which it makes from steps with the changes.
export class Game {
  constructor(description) {
    if (description.format !== "pommego-scene/1") {
      throw new Error(`This is "${description.format}"; this page shows pommego-scene/1.`);
    }
    this.head = description;
    this.positions = [];
    this.events = []; // the events that the viewer knows of, with their steps
    this.thinkers = new Map(); // the first thought of each seat
    this.played = false; // whether a person plays it on this page
    this.viewer = -1; // a seat, or everybody
    description.steps.forEach(step => this.add(step));
  }

  // add adds a step. It drops thoughts that are more than keeps steps old.
  add(step, keeps = 0) {
    const before = this.positions.at(-1) ?? {};
    const now = { ...before };
    for (const key of ofOneStep) delete now[key];
    Object.assign(now, step);
    if (step.changed) {
      const ground = [...before.ground];
      for (const [cell, kind] of Object.entries(step.changed)) ground[cell] = kind;
      now.ground = ground.join("");
    }
    if (keeps) {
      const own = (now.thoughts ?? []).map(thought => ({ ...thought, step: step.step }));
      now.thoughts = [...own, ...(before.thoughts ?? []).filter(b => step.step - b.step < keeps && !own.some(t => t.seat === b.seat))];
    }
    for (const thought of step.thoughts ?? []) if (!this.thinkers.has(thought.seat)) this.thinkers.set(thought.seat, thought);
    this.positions.push(now);
    this.events.push(...this.eventsOf(now, this.last));
  }

  eventsOf(position, index) { return (this.seen(position, this.viewer).events ?? []).map(event => ({ ...event, index })); }

  // lookAs sets events to those that a seat knows of.
  lookAs(seat) {
    if (seat === this.viewer) return;
    this.viewer = seat;
    this.events = this.positions.flatMap((position, index) => this.eventsOf(position, index));
  }

  // moments are the important events.
  get moments() { return this.events.filter(e => notable.has(e.event)); }

  get last() { return this.positions.length - 1; }

  // at is a position by its number, the last one if there are fewer.
  at(index) { return this.positions[Math.min(Math.max(index, 0), this.last)]; }

  // name is a short name of a seat's agent: for a language model the model's name, for people no speed. It is
  // isolated where letters may run from right to left.
  name(seat) {
    const given = this.head.names?.[seat] ?? `seat ${seat}`, name = /^llm:.*,model=([^,]+)/.exec(given)?.[1] ?? given.replace(/^human:.*/, "human"), letters = [...name];
    const short = letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : name;
    return /^[ -~]*$/.test(name) ? short : `\u2068${short}\u2069`;
  }

  // who names a seat so that no two are alike.
  who(seat) { return `${this.name(seat)} (${seat})`; }

  team(seat) { return this.head.teams.findIndex(team => team.includes(seat)); }

  get seats() { return this.head.teams.flat().toSorted((a, b) => a - b); }

  get inTeams() { return this.head.teams.some(team => team.length > 1); }

  // sees reports whether a seat sees a cell; seat -1 sees everything.
  sees(position, seat, cell) {
    const digits = seat < 0 ? null : position.sight?.[seat];
    return !digits || (parseInt(digits[cell >> 2], 16) >> (3 - (cell & 3)) & 1) === 1;
  }

  // seen is a position as a seat knows it, by the rule of docs/maintainers/scene.md: everything for seat -1.
  seen(position, seat) {
    if (seat < 0) return position;
    const hides = what => this.head.conceals?.includes(what);
    const inSight = ({ at: [row, col] }) => this.sees(position, seat, row * this.head.cols + col);
    const advantage = hides("others_carry") || position.sight?.[seat] ? undefined : position.advantage;
    const mates = other => this.team(other) === this.team(seat);
    return {
      ...position,
      ground: [...position.ground].map((kind, cell) => this.sees(position, seat, cell) ? kind : "?").join(""),
      items: position.items.filter(item => inSight(item) && !(item.hidden && hides("hidden_items"))),
      flames: position.flames.filter(inSight).map(f => hides("flame_lives") ? { ...f, life: 0 } : f),
      bombs: position.bombs.filter(inSight).map(b => ({
        ...b,
        owners: hides("bomb_owners") ? [] : b.owners,
        moving: hides("bomb_directions") ? "" : b.moving,
        reach: b.reach?.filter(cell => this.sees(position, seat, cell)),
      })),
      agents: position.agents.filter(a => a.seat === seat || inSight(a)).map(a => a.seat === seat ? a : {
        ...a,
        ...(hides("others_carry") ? { ammo: undefined, blast: undefined, kicks: false } : {}),
      }),
      said: position.said?.filter(m => m.seat === seat || !hides("others_say") || mates(m.seat)),
      counts: hides("others_carry") ? undefined : position.counts,
      actions: position.actions?.map((action, other) => other === seat ? action : null),
      thoughts: position.thoughts?.filter(thought => thought.seat === seat),
      advantage,
      events: position.events?.map(e => seenEvent(e, seat, e.at && !inSight(e), hides("bomb_owners"))).filter(e => e && (e.event !== "leads" || advantage)),
    };
  }

  actionOf(position, seat) {
    return position.actions?.[seat]?.map((n, i) => (this.head.actions[i].names?.[n] ?? String(n)).replaceAll("_", " ")).join(" ") ?? "";
  }
}

// seenEvent is an event as a seat knows it; nothing if it does not.
function seenEvent(e, seat, out, hidesOwners) {
  if (!e.at || e.event === "died" && e.seat === seat) return e;
  if (e.event === "died" && out) return { event: e.event, seat: e.seat };
  if (e.seat !== seat && (out || ["not_laid", "trapped", "escaped"].includes(e.event))) return undefined;
  if (!hidesOwners) return e;
  return { ...e, by: e.by?.filter(owner => owner === seat), kicked: e.kicked?.filter(other => other === seat), seat: e.event === "exploded" && e.seat !== seat ? undefined : e.seat };
}

const notable = new Set(["died", "hurt", "collapsed", "trapped", "escaped", "leads", "ended"]);

const itemNames = { extra_bomb: "an extra bomb", incr_range: "a longer range", kick: "the kick", skull: "a skull" };
const causes = { collapse: "crushed by the collapse", move: "in a collision", base: "on an enemy's base" };

// isDeath reports whether an event is the death of a figure. The loss of a base is told as that of a seat, too.
export function isDeath({ event, what, by = [] }) { return event === "died" && !(what === "base" && by.length); }

function byWhom(game, { by, seat }) {
  return by?.length ? ` by ${listed(by.map(other => other === seat ? "itself" : game.who(other)))}` : "";
}

export function fate(game, event) {
  const by = byWhom(game, event);
  if (event.by?.every(other => other === event.seat) && by) return "killed by its own bomb";
  return by ? `killed${by}` : `died${causes[event.what] ? `, ${causes[event.what]}` : ""}`;
}

// inWords is an event in words: who did it, if others did.
export function inWords(game, event) {
  const who = event.seat === undefined ? "" : game.who(event.seat);
  const kicked = event.kicked?.length, did = kicked ? event.kicked : event.by?.filter(other => other !== event.seat) ?? [], self = did.every(other => other === event.seat);
  const by = byWhom(game, event);
  const bomber = event.what?.startsWith("bomber_") ? `, bomber ${event.what.slice(7)}` : "";
  if (event.what === "base" && by) return `the base of team ${game.team(event.seat)} was ${event.event === "died" ? "destroyed" : "hit"}${by}`;
  if (did.length && ["died", "trapped"].includes(event.event)) {
    const mate = did.every(other => other !== event.seat && game.team(other) === game.team(event.seat)) ? "its teammate " : "";
    const verb = event.event === "trapped" ? "trapped" : kicked ? "kicked a bomb that killed" : "killed";
    return `${listed(did.map(other => game.who(other)))} ${verb} ${self ? "itself" : `${mate}${who}${bomber}`}`;
  }
  switch (event.event) {
    case "laid": return `${who} laid a bomb`;
    case "not_laid": return `${who} could not lay a bomb`;
    case "kicked": return `${who} kicked a bomb ${event.what}`;
    case "picked_up": return `${who} picked up ${itemNames[event.what] ?? event.what}`;
    case "exploded": return `${who ? `the bomb of ${who}` : "a bomb"} exploded${by && `, set off${by}`}`;
    case "destroyed": return `${event.what}${by ? ` destroyed${by}` : " destroyed"}`;
    case "hurt": return `${who}${bomber && `${bomber},`} was hurt${by}`;
    case "died": return `${who}${bomber && `${bomber},`}${by ? " was" : ""} ${fate(game, event)}`;
    case "trapped": return `${who} has no way out`;
    case "escaped": return `${who} escaped at the last moment`;
    case "leads": return `${listed(event.by.map(other => game.who(other)))} took the lead`;
    case "collapsed": return `ring ${event.what} collapsed`;
    case "ended": return ending(game, { result: event.what, winners: event.by ?? [] });
  }
  return event.event;
}

export function ending(game, status) {
  if (status.result === "Tie") return "a tie";
  if (!status.winners?.length) return status.result === "Incomplete" ? "not decided" : status.result;
  return `won by ${listed(status.winners.map(seat => game.who(seat)))}`;
}

function listed(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
