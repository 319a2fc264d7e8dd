// The part of the page's address after #: the token, and what the page shows.

export function readAddress() { return Object.fromEntries(new URLSearchParams(location.hash.slice(1))); }

export function encoded(values) {
  return String(new URLSearchParams(Object.entries(values).filter(([, value]) => value !== undefined)));
}
