// Where games come from: the server that serves this page, or the page itself where it
// is one file.

import { encoded } from "./address.js";
import { server } from "./server.js";

export const held = document.getElementById("held").textContent || undefined;

// unpack is the game that a page of one file holds, compressed.
async function unpack() {
  const bytes = Uint8Array.from(atob(held.trim()), char => char.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).json();
}

export const source = {
  // listing is the part of the games that is asked for, see web.PartOf.
  async listing(token, wanted = {}) {
    if (held === undefined) return server.ask(`api/listing?${encoded(wanted)}`, token);
    const { title, view } = await unpack();
    return { kind: "games", title, view, total: 1, games: [{ game: 1 }] };
  },

  async game(number, token) {
    if (held === undefined) return server.ask(`api/game/${encodeURIComponent(number)}`, token);
    return (await unpack()).game;
  },
};
