// What the type checker cannot see in the page's modules: `make lint-js`.

export {};

declare module "./app/listing.js" {
  // The fields of web.Part, which the constructor takes over.
  interface Listing { [field: string]: any }
}

declare global {
  interface EventTarget { // in this page always an element
    matches(selector: string): boolean;
    blur(): void;
    value: string;
  }
}
