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

export function say(where, text) {
  if (where.textContent !== text) where.textContent = text;
}

// complain shows an error, or takes away the last one if there is none.
export function complain(error = undefined) {
  say(find("message"), error ? error.message ?? String(error) : "");
  find("message").hidden = !error;
}
