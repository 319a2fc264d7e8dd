// Controls of time: the buttons, the timeline and the keyboard.

import { element, find, say } from "./elements.js";
import { inWords } from "./game.js";
import { sign } from "./moments.js";

const speeds = [0.5, 1, 2, 4, 6, 10, 15, 25, 40, 60]; // steps a second, by key

export class Player {
  // changed is called with the step to show, and whether it plays; toggle by the middle button.
  constructor(changed, toggle) {
    this.changed = changed;
    this.toggle = toggle;
    this.index = this.last = 0;
    this.speed = 4;
    this.playing = false;
    find("speed").replaceChildren(...speeds.map((n, i) => element("option", { value: i }, `${n}/s`)));
    find("speed").value = this.speed;
    const on = (id, act) => { find(id).onclick = act; };
    on("first", () => this.go(0));
    on("last", () => this.go(this.last));
    on("step-back", () => this.go(this.index - 1));
    on("step-on", () => this.go(this.index + 1));
    on("event-before", () => this.go(this.stops.findLast(i => i < this.index) ?? 0));
    on("event-after", () => this.go(this.stops.find(i => i > this.index) ?? this.last));
    on("play", () => this.toggle());
    find("speed").onchange = event => { this.speed = Number(event.target.value); };
    find("at").oninput = event => this.go(Number(event.target.value));
  }

  // grow takes the current game with its new steps.
  grow(game) {
    this.game = game;
    this.viewer = game.viewer;
    this.last = game.last;
    this.stops = game.moments.map(moment => moment.index);
    find("at").max = this.last;
    this.say();
    this.drawMarks();
  }

  go(index) {
    this.run(false);
    this.set(index);
  }

  set(index) {
    this.index = Math.min(Math.max(index, 0), this.last);
    find("at").value = this.index;
    this.say();
    this.changed(this.index, this.playing);
    if (this.viewer !== this.game?.viewer) this.grow(this.game); // another viewer knows of other events
  }

  say() {
    const { step } = this.game.at(this.index), end = this.game.at(this.last).step;
    find("at").setAttribute("aria-valuetext", `step ${step} of ${end}`);
    say(find("where"), `${step} / ${end}`);
  }

  run(on) {
    if (on && this.index === this.last) this.set(0);
    if (on === this.playing) return;
    this.playing = on;
    cancelAnimationFrame(this.frame);
    this.changed(this.index, on);
    if (!on) return;
    let due = performance.now() + 1000 / speeds[this.speed];
    const tick = now => {
      if (now >= due) {
        const pause = 1000 / speeds[this.speed], steps = 1 + Math.floor((now - due) / pause);
        due = Math.max(due + steps * pause, now);
        this.set(this.index + steps);
        if (this.index === this.last) this.run(false);
      }
      if (this.playing) this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }

  key(event) {
    const far = event.shiftKey ? 10 : 1;
    switch (event.key) {
      case " ": this.toggle(); break;
      case "ArrowLeft": this.go(this.index - far); break;
      case "ArrowRight": this.go(this.index + far); break;
      case "Home": this.go(0); break;
      case "End": this.go(this.last); break;
      case "p": find("event-before").click(); break;
      case "n": find("event-after").click(); break;
      default:
        if (!/^[0-9]$/.test(event.key)) return false;
        this.speed = Number(event.key);
        find("speed").value = this.speed;
    }
    return true;
  }

  // drawMarks marks moments along the timeline.
  drawMarks() {
    const { game } = this, { moments } = game, key = JSON.stringify(moments.map(moment => [moment.index, moment.seat, inWords(game, moment)]));
    find("marks").style.setProperty("--last", String(Math.max(1, this.last)));
    if (key === this.marked) return;
    this.marked = key;
    find("marks").replaceChildren(...moments.map(moment => {
      const mark = element("span", { className: moment.event, title: inWords(game, moment), onclick: () => this.go(moment.index) }, sign(game, moment, 16));
      mark.style.setProperty("--index", moment.index);
      return mark;
    }));
  }
}
