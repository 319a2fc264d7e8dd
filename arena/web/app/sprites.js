// What things look like, each on a cell of 100 by 100. The drawings are data, which pictures of
// games use too: arena/picture/sprites.json. Package picture describes its form.
// Shapes differ even without colour: agents carry their numbers, and bodies of
// different teams have different forms.

// @ts-ignore The server makes it of sprites.json.
import { drawing } from "./drawing.js";

// Some browsers send no event if matches is read meanwhile.
const darkness = matchMedia("(prefers-color-scheme: dark)");
let dark = darkness.matches;
darkness.onchange = () => { dark = darkness.matches; };

// seatColour is the colour that the game gives a seat. People with any kind of colour blindness
// can tell it from the colours of other seats and teams.
function seatColour(game, seat) { return game.head.colours?.[seat] ?? "#8a8f98"; }

function channels(colour) { return [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16)); }

function colourOf(name, seat) {
  const shade = drawing.shades[name];
  if (shade) {
    const other = channels(shade.with);
    return `rgb(${channels(seat).map((own, i) => Math.round(own * (1 - shade.share) + other[i] * shade.share))})`;
  }
  if (name === "label") {
    const [r, g, b] = channels(seat);
    name = 3 * r + 6 * g + b > 1280 ? "ink" : "white";
  }
  return (dark ? drawing.dark[name] : undefined) ?? drawing.colours[name];
}

/** @param {{ circle?: [number, number, number, number], box?: [number, number, number, number, number], path?: string }} layer */
function outline({ circle, box, path }) {
  const made = new Path2D(path);
  if (circle) made.ellipse(...circle, 0, 0, 2 * Math.PI);
  if (box) made.roundRect(...box);
  return made;
}

function paint(pen, sprite, colour = "#000000", text = "") {
  pen.lineCap = pen.lineJoin = "round";
  for (const layer of drawing.sprites[sprite] ?? []) {
    if (layer.fill) {
      pen.fillStyle = colourOf(layer.fill, colour);
      pen.fill(outline(layer));
      continue;
    }
    pen.strokeStyle = colourOf(layer.stroke, colour);
    pen.lineWidth = layer.width;
    if (layer.text) write(pen, text, ...layer.text);
    else pen.stroke(outline(layer));
  }
}

// write draws a text whose middle is a point. Long texts are smaller.
function write(pen, text, x, y, height) {
  const width = 64, gap = 14, small = Math.min(1, 2 / text.length), scale = height / 100 * small;
  const left = x - (text.length * (width + gap) - gap) / 2 * scale;
  pen.save();
  pen.lineWidth *= small / scale;
  pen.translate(left, y - 50 * scale);
  pen.scale(scale, scale);
  for (const glyph of text) {
    pen.stroke(new Path2D(drawing.glyphs[glyph]));
    pen.translate(width + gap, 0);
  }
  pen.restore();
}

const stamps = new Map();

// stamp draws a mark (see board.js) on a board with cells of a size in pixels. It draws each
// sprite once and then copies it.
function stamp(pen, cell, { sprite, row, col, size, opacity, colour, text }) {
  const pixels = Math.round(size * cell), key = [sprite, pixels, colour, text, dark].join("|");
  let drawn = stamps.get(key);
  if (!drawn) {
    if (stamps.size >= 4096) stamps.clear();
    drawn = new OffscreenCanvas(pixels, pixels);
    const on = drawn.getContext("2d");
    on.scale(pixels / 100, pixels / 100);
    paint(on, sprite, colour, text);
    stamps.set(key, drawn);
  }
  pen.globalAlpha = opacity;
  pen.drawImage(drawn, Math.round(col * cell), Math.round(row * cell));
}

function agent(pen, colour, label, form) {
  paint(pen, form, colour, label);
  paint(pen, "facing", colour);
}

export const sprites = { seatColour, paint, stamp, agent, darkness };
