// Where games come from: the server that serves this page, or the page itself where it
// is one file.

const held = document.getElementById("held")?.textContent;

async function ask(path, token, body) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const answer = await fetch(path, body ? { method: "POST", headers, body } : { headers });
  if (answer.ok) return answer.json();
  const text = (await answer.text()).trim();
  if (answer.status === 401) throw new Error("The address lacks its token: open the address that pommego view has printed.");
  throw new Error(text || `The server answers ${answer.status}.`);
}

// unpack is the game that a page of one file holds, compressed.
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.trim()), char => char.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).json();
}

// listing is the part of the games that is asked for, see web.PartOf.
export async function listing(token, wanted = {}) {
  const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== undefined));
  if (held === undefined) return ask(`api/listing?${query}`, token);
  const { title, view } = await unpack(held);
  return { kind: "games", title, view, total: 1, games: [{ game: 1 }] };
}

export async function game(number, token) {
  if (held === undefined) return ask(`api/game/${encodeURIComponent(number)}`, token);
  return (await unpack(held)).game;
}

// open reads the games of a file: here what this page reads itself, which is its own
// form and pages of one file; else the server reads it.
export async function open(file, token) {
  if (/\.html?$/i.test(file.name)) {
    const page = new DOMParser().parseFromString(await file.text(), "text/html").getElementById("held");
    if (!page) throw new Error(`${file.name} is no page that pommego has written.`);
    return [(await unpack(page.textContent)).game];
  }
  if (/\.json$/i.test(file.name)) return [JSON.parse(await file.text())];
  if (held !== undefined) throw new Error(`${file.name}: recorded games are opened by: pommego view ${file.name}`);
  return [await ask(`api/open?name=${encodeURIComponent(file.name)}`, token, file)];
}
