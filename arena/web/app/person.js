// Turns a person's keys and buttons into actions of the game.

// worded reports whether a component of actions is a word: its choices are numbers.
export function worded(component) { return /^\d+$/.test(component.names?.at(-1)); }

// kind is the kind of a choice: a direction, bomb, stay, or its own name.
export function kind(component, choice) {
  const name = component.names[choice];
  if (choice === 0) return "stay";
  if (["up", "down", "left", "right"].includes(name)) return name;
  return name.endsWith("bomb") ? "bomb" : name;
}

export const signs = { up: "↑", down: "↓", left: "←", right: "→", stay: "·" };

const keys = {
  ArrowUp: "up", w: "up", ArrowDown: "down", s: "down", ArrowLeft: "left", a: "left", ArrowRight: "right", d: "right",
  " ": "bomb", b: "bomb", ".": "stay", x: "stay",
};

export function kindOfKey(key) { return keys[key.length === 1 ? key.toLowerCase() : key]; }

// Hand makes the actions of one game, from one choice for each component that needs one. asked is the question
// that waits for an answer, last the last question; waiting is a choice that came before the
// question, and word the list from which the next digit chooses.
export class Hand {
  constructor(actions) {
    this.actions = actions;
    const all = actions.map((_, i) => i);
    this.moves = all.filter(i => !worded(actions[i])); // the components whose choices have names
    this.words = all.filter(i => worded(actions[i])); // those whose choices are numbers
    this.asked = null;
    this.waiting = "";
    this.word = 0;
  }

  // ask begins an action; the question's needs say which components have any choice. If no move has, any makes the action.
  ask(question) {
    this.asked = this.last = question;
    this.open = this.moves.filter(i => question.needs[i] || !this.moves.some(move => question.needs[move]));
    this.made = this.actions.map(() => 0);
    this.at = 0;
  }

  get next() { return this.open[this.at % this.open.length]; }

  // choose takes a choice by its kind, and words by component. It returns the action
  // once it is complete, else null.
  choose(wanted, words) {
    if (this.at === this.open.length) this.at = 0; // another action in place of the last
    const component = this.actions[this.next];
    const choice = component.names.findIndex((_, i) => kind(component, i) === wanted);
    if (choice < 0) return null;
    this.made[this.next] = choice;
    this.at++;
    if (this.at < this.open.length) return null;
    this.words.forEach((part, i) => { this.made[part] = words[i] ?? 0; });
    return [...this.made];
  }
}
