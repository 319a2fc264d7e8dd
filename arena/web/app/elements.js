/**
 * element makes one with its properties and children. Text is only ever text, so that
 * nothing that a file says becomes markup.
 * @returns {any}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** @returns {any} */
export function find(id) { return document.getElementById(id); }

export function turnTo(page) { document.body.dataset.page = page; }

export function counted(n, thing) { return `${n} ${thing}${n === 1 ? "" : "s"}`; }

export function say(where, text) {
  if (where.textContent !== text) where.textContent = text;
}

// readAddress is the part of the page's address after #: the token, and what the page shows.
export function readAddress() { return Object.fromEntries(new URLSearchParams(location.hash.slice(1))); }

export function encoded(values) {
  return String(new URLSearchParams(Object.entries(values).filter(([, value]) => value !== undefined)));
}

// entitle sets the title of a page, the text below it, and the name of its tab.
export function entitle(title, about, name = title) {
  say(find("title"), title);
  say(find("about"), about);
  document.title = `${name} · pommego`;
}

// complain shows an error, or removes the last one if there is none.
export function complain(error = undefined) {
  say(find("message"), error ? error.message ?? String(error) : "");
  find("message").hidden = !error;
}

// dismiss closes the open menu and the error, unless the pointer is on the menu.
function dismiss(target = undefined) {
  const menu = document.querySelector("details[name][open]");
  if (menu && !menu.contains(target)) {
    if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
    menu.removeAttribute("open");
  }
  if (!target || target === find("message")) complain();
}
addEventListener("keydown", event => { if (event.key === "Escape") dismiss(); });
addEventListener("pointerdown", event => dismiss(event.target));
