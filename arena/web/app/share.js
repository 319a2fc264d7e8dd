// Sharing: links, pictures and pages of one file.

import { complain, element, encoded, find, readAddress } from "./elements.js";
import { held, server } from "./server.js";
import { moment, number, shown } from "./stage.js";

const tenSeconds = 100; // steps, at the speed of GIFs
const own = held && `<!DOCTYPE html>\n${document.documentElement.outerHTML}`; // the page of one file as it was loaded

// share fills the menu when it opens.
export function share() {
  const list = find("share").lastElementChild, now = find("share").open && shown();
  const add = (words, act) => {
    const button = element("button", { type: "button" }, words);
    button.onclick = async () => {
      button.disabled = true;
      await act().then(() => { button.textContent = `${words}: done`; }, complain);
      button.disabled = false;
    };
    list.append(element("li", {}, button));
  };
  list.replaceChildren();
  if (!now) return;
  const { game, position: { step } } = now, kill = game.events.findLast(e => e.event === "died" && game.positions[e.index].step <= step);
  const at = kill && game.positions[kill.index].step;
  const draw = (words, kind, ending, part = {}) => add(words, async () => save(await drawn(kind, part), `${ending}.${kind}`));
  if (number() !== undefined && moment()) add("Copy a link to this moment", () => navigator.clipboard.writeText(new URL(moment(), location.href).href));
  add("Page with this game", async () => save(await oneFile(game), ".html"));
  if (number() === undefined) return add("PNG of this step", async () => {
    const { canvas, position } = shown(); // of the click: a live game goes on while the menu is open
    canvas.toBlob(picture => save(picture, `, step ${position.step}.png`));
  });
  draw("PNG of this step", "png", `, step ${step}`, { from: step, to: step });
  draw("GIF of the game", "gif", "");
  draw("GIF of the last ten seconds", "gif", `, to step ${step}`, { from: step - tenSeconds, to: step });
  if (kill) draw("GIF of this kill", "gif", `, kill at step ${at}`, { from: Math.min(kill.since ?? at, at - 10), to: at + 4 });
}

export function download(content, name) {
  const href = URL.createObjectURL(content);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60e3);
}

// save downloads a file whose name is the page's title and an ending.
function save(content, ending) { download(content, find("title").textContent + ending); }

// drawn is a picture of a part of the game that the server draws: a png of one step, a gif of all.
function drawn(kind, part) {
  return server.blob(`api/game/${encodeURIComponent(number())}/${kind}?${encoded({ seat: find("view").value, ...part })}`, readAddress().token);
}

async function oneFile({ head, positions, viewer }) {
  const content = { title: find("title").textContent, view: viewer, game: { ...head, steps: positions } };
  const packed = await new Response(new Blob([JSON.stringify(content)]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
  const letters = btoa(new Uint8Array(packed).reduce((text, byte) => text + String.fromCharCode(byte), ""));
  const page = (own ?? await (await fetch("./")).text()).replace(/name=["]policy"/, 'http-equiv="Content-Security-Policy"').replace(/(id=["]held"[^>]*>)[^<]*/, `$1${letters}`);
  return new Blob([page], { type: "text/html" });
}

// Without this the browser would replace the page by a file that is dropped on it.
addEventListener("dragover", event => event.preventDefault());
addEventListener("drop", event => {
  event.preventDefault();
  complain(new Error("The page opens no files. To look at one, run: pommego view FILE"));
});
