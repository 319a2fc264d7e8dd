// Pictures to give to others: a board at twice its size, with a strip that says who plays.

import { Board, form } from "./board.js";
import { ending } from "./game.js";
import { sprites } from "./sprites.js";

// pictureOf draws what is shown of a game, its board twice as large as on the page.
export function pictureOf({ game, position, reach, dims, view }) {
  const canvas = document.createElement("canvas"), board = new Board(document.createElement("canvas"), game);
  board.width = 2 * view.board.canvas.clientWidth;
  board.show(position, reach, dims);
  board.close();
  const { width, height } = board.canvas, size = Math.round(width / 52), line = 2 * size, pen = canvas.getContext("2d");
  [canvas.width, canvas.height] = [width, height + 2 * line + size];
  const style = getComputedStyle(document.body), colour = name => style.getPropertyValue(`--${name}`);
  pen.fillStyle = colour("card");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(board.canvas, 0, 0);
  const write = (text, x, y, most, ink, weight = 600, align = "left") => {
    pen.font = `${weight} ${size}px ${style.fontFamily}`;
    [pen.textAlign, pen.textBaseline, pen.fillStyle] = [/** @type {any} */ (align), "middle", colour(ink)];
    while (text.length > 1 && pen.measureText(text).width > most) text = text.replace(/.…?$/u, "…");
    pen.fillText(text, x, height + y);
  };
  const seats = game.head.teams.flat().toSorted((a, b) => a - b), wide = width / seats.length;
  seats.forEach((seat, i) => {
    const alive = position.status.in.includes(seat), own = sprites.seatColour(game, seat), scale = 1.6 * size / 100;
    pen.setTransform(scale, 0, 0, scale, i * wide + size / 2, height + size / 2);
    if (alive) sprites.agent(pen, own, String(seat), form(game, seat));
    else sprites.paint(pen, "out", own);
    pen.resetTransform();
    write(game.name(seat), i * wide + 2.4 * size, 1.3 * size, wide - 2.6 * size, alive ? "ink" : "soft", alive ? 600 : 400);
  });
  const { status, step } = position;
  write(`step ${step}`, size / 2, 3.4 * size, width / 4, "soft", 400);
  if (status.over) write(ending(game, status), width / 2, 3.4 * size, 0.65 * width, "ink", 600, "center");
  write("pommego", width - size / 2, 3.4 * size, width / 4, "soft", 600, "right");
  return canvas;
}
