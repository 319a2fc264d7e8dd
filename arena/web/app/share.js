// What is shown, for others: links, pictures, videos and pages of one file.

import { encoded, readAddress } from "./address.js";
import { complain, element, find } from "./elements.js";
import { server } from "./server.js";
import { linked, moment, shown, videos } from "./stage.js";
import { pictureOf } from "./strip.js";

const tenSeconds = 100; // steps, at the pace of videos
const whole = `<!DOCTYPE html>\n${document.documentElement.outerHTML}`; // the page as it came

find("share").ontoggle = () => {
  const list = find("share").lastElementChild, [view] = find("share").open ? shown() : [];
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
  if (!view) return;
  if (videos() && linked() && location.protocol !== "about:") add("Copy a link to this moment", () => navigator.clipboard.writeText(new URL(moment(), location.href).href));
  add("Save as PNG", async () => pictureOf(view).toBlob(picture => save(picture, `, step ${view.position.step}.png`)));
  add("Save as one file", async () => save(await oneFile(view.game), ".html"));
  const { game, position: { step } } = view, kill = game.events.findLast(e => e.event === "died" && game.positions[e.index].step <= step);
  const at = kill && game.positions[kill.index].step;
  for (const kind of videos() ?? []) {
    const offer = (words, ending, part = {}) => add(words, async () => save(await video(kind, part), `${ending}.${kind}`));
    offer(`Save as ${kind.toUpperCase()}`, "");
    if (kind !== "gif") continue;
    offer("GIF of the last ten seconds", `, to step ${step}`, { from: step - tenSeconds, to: step });
    if (kill) offer("GIF of this kill", `, kill at step ${at}`, { from: Math.min(kill.since ?? at, at - 10), to: at + 4 });
  }
};

export function download(content, name) {
  const href = URL.createObjectURL(content);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60e3);
}

// save downloads a file whose name is the page's title and an ending.
function save(content, ending) { download(content, find("title").textContent + ending); }

function video(kind, part) {
  const { game = "1", token } = readAddress();
  return server.blob(`api/game/${encodeURIComponent(game)}/${kind}?${encoded({ seat: find("view").value, ...part })}`, token);
}

async function oneFile({ head, positions, viewer }) {
  const held = { title: find("title").textContent, view: viewer, game: { ...head, steps: positions } };
  const packed = await new Response(new Blob([JSON.stringify(held)]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
  const letters = btoa(new Uint8Array(packed).reduce((text, byte) => text + String.fromCharCode(byte), ""));
  const page = whole.replace(/name=["]policy"/, 'http-equiv="Content-Security-Policy"').replace(/(id=["]held"[^>]*>)[^<]*/, `$1${letters}`);
  return new Blob([page], { type: "text/html" });
}

// Without this the page would give way to a file that is dropped on it.
addEventListener("dragover", event => event.preventDefault());
addEventListener("drop", event => {
  event.preventDefault();
  complain(new Error("The page opens no files. To look at one, run: pommego view FILE"));
});
