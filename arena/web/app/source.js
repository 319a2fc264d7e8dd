// Where games come from: the server that serves this page, or the page itself where it
// is one file.

import { encoded } from "./address.js";
import { server } from "./server.js";

const held = document.getElementById("held")?.textContent;

// unpack is the game that a page of one file holds, compressed.
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.trim()), char => char.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).json();
}

export const source = {
  // listing is the part of the games that is asked for, see web.PartOf.
  async listing(token, wanted = {}) {
    if (held === undefined) return server.ask(`api/listing?${encoded(wanted)}`, token);
    const { title, view } = await unpack(held);
    return { kind: "games", title, view, total: 1, games: [{ game: 1 }] };
  },

  async game(number, token) {
    if (held === undefined) return server.ask(`api/game/${encodeURIComponent(number)}`, token);
    return (await unpack(held)).game;
  },

  // open reads the game of a file. This page reads its own form and pages of one file
  // itself, the server all others.
  async open(file, token) {
    if (/\.html?$/i.test(file.name)) {
      const page = new DOMParser().parseFromString(await file.text(), "text/html").getElementById("held");
      if (!page) throw new Error(`${file.name} is no page that pommego has written.`);
      return (await unpack(page.textContent)).game;
    }
    if (/\.json$/i.test(file.name)) return JSON.parse(await file.text());
    if (held !== undefined) throw new Error(`${file.name}: recorded games are opened by: pommego view ${file.name}`);
    return server.ask(`api/open?name=${encodeURIComponent(file.name)}`, token, { method: "POST", body: file });
  },
};
