// What things look like, each on a cell of 100 by 100. Shapes are told apart without
// colour too: agents carry their numbers, and members of different teams have bodies of
// different forms.

// seatColour is a colour that people with any kind of colour blindness tell from those of
// other seats and teams: the game says which.
function seatColour(game, seat) { return game.head.colours?.[seat] ?? "#8a8f98"; }

// inkOn is a colour in which text can be read on another.
function inkOn(colour) {
  const [r, g, b] = [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16));
  return 0.3 * r + 0.6 * g + 0.1 * b > 140 ? "#14171a" : "#ffffff";
}

const themes = {
  light: { floor: ["#edefe4", "#e5e8da"], spent: "#c9c4b4", point: "#b59b3c", wall: ["#6c757f", "#8b949e"], wood: ["#8f6434", "#bb8b54"], fog: "#9aa3ad", hatch: "#8b949f", line: "#0000000d" },
  dark: { floor: ["#2f353c", "#2a3037"], spent: "#1d2126", point: "#c7ab4a", wall: ["#596370", "#75808d"], wood: ["#6f4d28", "#94693a"], fog: "#171a1e", hatch: "#23272d", line: "#ffffff0a" },
};

function oval(pen, x, y, rx, ry = rx) {
  pen.beginPath();
  pen.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI);
}

function box(pen, x, y, width, height, radius) {
  pen.beginPath();
  pen.roundRect(x, y, width, height, radius);
}

// disc and block are filled ovals and boxes of a colour.
function disc(pen, colour, ...where) {
  pen.fillStyle = colour;
  oval(pen, ...where);
  pen.fill();
}

function block(pen, colour, ...where) {
  pen.fillStyle = colour;
  box(pen, ...where);
  pen.fill();
}

function text(pen, words, x, y, size, colour) {
  pen.fillStyle = colour;
  pen.font = `700 ${size}px system-ui, sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(words, x, y);
}

// ground draws the floor of a cell or what stands there; points: it may hold one.
function ground(pen, theme, kind, even, points) {
  if (kind === "?") {
    pen.fillStyle = theme.fog;
    pen.fillRect(0, 0, 100, 100);
    pen.strokeStyle = theme.hatch;
    pen.lineWidth = 7;
    pen.beginPath();
    for (const [x, y, length] of [[0, 50, 50], [0, 100, 100], [50, 100, 50]]) {
      pen.moveTo(x, y);
      pen.lineTo(x + length, y - length);
    }
    pen.stroke();
    return;
  }
  pen.fillStyle = kind === "-" ? theme.spent : theme.floor[even ? 0 : 1];
  pen.fillRect(0, 0, 100, 100);
  if (kind === "." && points) disc(pen, theme.point, 50, 50, 9);
  if (kind === "#") {
    pen.fillStyle = theme.wall[0];
    pen.fillRect(0, 0, 100, 100);
    block(pen, theme.wall[1], 5, 5, 90, 80, 10);
  }
  if (kind === "+") {
    pen.fillStyle = theme.wood[0];
    pen.fillRect(0, 0, 100, 100);
    for (const y of [6, 38, 70]) block(pen, theme.wood[1], 5, y, 90, 25, 5);
  }
}

function flame(pen, life) {
  const reach = life === 1 ? 0.72 : 0.95;
  for (const [size, colour] of [[50, "#d9480f"], [36, "#ff922b"], [20, "#ffe066"]]) {
    pen.fillStyle = colour;
    pen.beginPath();
    for (let k = 0; k < 16; k++) {
      const r = size * reach * (k % 2 ? 0.68 : 1), turn = k * Math.PI / 8;
      pen.lineTo(50 + r * Math.cos(turn), 50 + r * Math.sin(turn));
    }
    pen.closePath();
    pen.fill();
  }
}

const turns = { right: 0, down: 1, left: 2, up: 3 };

function bomb(pen, life, colour, moving) {
  disc(pen, "#0000003a", 50, 90, 26, 6);
  pen.strokeStyle = "#a97142";
  pen.lineWidth = 7;
  pen.beginPath();
  pen.moveTo(64, 26);
  pen.quadraticCurveTo(72, 10, 84, 14);
  pen.stroke();
  disc(pen, "#ffd43b", 85, 14, 7);
  pen.fillStyle = "#23272d";
  pen.strokeStyle = colour ?? "#50565e";
  pen.lineWidth = 8;
  oval(pen, 50, 54, 33);
  pen.fill();
  pen.stroke();
  disc(pen, "#ffffff40", 38, 38, 8, 6);
  text(pen, life, 50, 57, 36, "#ffffff");
  if (moving in turns) {
    pen.save();
    pen.translate(50, 54);
    pen.rotate(turns[moving] * Math.PI / 2);
    pen.fillStyle = "#ffffff";
    pen.strokeStyle = "#23272d";
    pen.lineWidth = 4;
    pen.beginPath();
    pen.moveTo(50, 0);
    pen.lineTo(34, -13);
    pen.lineTo(34, 13);
    pen.closePath();
    pen.fill();
    pen.stroke();
    pen.restore();
  }
}

const looks = { up: [0, -5], down: [0, 5], left: [-6, 0], right: [6, 0] };

// agent draws one; form is round or square, looking where it went.
function agent(pen, colour, label, form, looking) {
  disc(pen, "#0000003a", 50, 92, 27, 6);
  pen.fillStyle = colour;
  pen.strokeStyle = "#14171a";
  pen.lineWidth = 5;
  if (form === "square") box(pen, 17, 12, 66, 76, 14);
  else oval(pen, 50, 50, 36, 39);
  pen.fill();
  pen.stroke();
  block(pen, "#fff3e0", 27, 22, 46, 25, 12);
  const [dx, dy] = looks[looking] ?? [0, 0];
  for (const x of [40, 60]) disc(pen, "#14171a", x + dx, 34.5 + dy, 4.5, 7);
  text(pen, label, 50, 68, 33, inkOn(colour));
}

// fallen marks the last cell of an agent that is out.
function fallen(pen, colour) {
  pen.globalAlpha = 0.5;
  pen.strokeStyle = colour;
  pen.lineWidth = 12;
  pen.lineCap = "round";
  pen.beginPath();
  pen.moveTo(32, 32);
  pen.lineTo(68, 68);
  pen.moveTo(68, 32);
  pen.lineTo(32, 68);
  pen.stroke();
  pen.globalAlpha = 1;
}

const symbols = {
  extra_bomb(pen) {
    disc(pen, "#23272d", 44, 56, 17);
    text(pen, "+", 70, 36, 38, "#0b6e4f");
  },
  incr_range(pen) {
    pen.fillStyle = "#d9480f";
    pen.beginPath();
    for (const [x, y] of [[24, 50], [38, 38], [38, 46], [62, 46], [62, 38], [76, 50], [62, 62], [62, 54], [38, 54], [38, 62]]) pen.lineTo(x, y);
    pen.fill();
  },
  kick(pen) {
    pen.fillStyle = "#8a5a2b";
    pen.beginPath();
    for (const [x, y] of [[34, 26], [52, 26], [54, 52], [76, 60], [76, 72], [34, 72]]) pen.lineTo(x, y);
    pen.fill();
  },
  skull(pen) {
    disc(pen, "#3b2a4f", 50, 45, 21, 19);
    pen.fillRect(40, 58, 20, 15);
    for (const x of [42, 58]) disc(pen, "#ffffff", x, 46, 6);
  },
};

// item draws something to pick up; if it is hidden, small and faint.
function item(pen, kind, hidden) {
  pen.save();
  if (hidden) {
    pen.globalAlpha = 0.75;
    pen.translate(27, 27);
    pen.scale(0.46, 0.46);
  }
  pen.fillStyle = "#fffdf7";
  pen.strokeStyle = "#4b535c";
  pen.lineWidth = 5;
  box(pen, 13, 13, 74, 74, 18);
  pen.fill();
  pen.stroke();
  symbols[kind]?.(pen);
  pen.restore();
}

function base(pen, colour, energy) {
  pen.strokeStyle = colour;
  pen.lineWidth = 9;
  box(pen, 9, 9, 82, 82, 12);
  pen.stroke();
  pen.fillStyle = `${colour}40`;
  pen.fill();
  if (energy !== undefined) text(pen, energy, 50, 54, 50, colour);
}

// danger tints a cell that a bomb reaches.
function danger(pen) {
  pen.fillStyle = "#e0313126";
  pen.fillRect(0, 0, 100, 100);
  pen.strokeStyle = "#e0313170";
  pen.lineWidth = 4;
  pen.setLineDash([12, 10]);
  pen.strokeRect(8, 8, 84, 84);
  pen.setLineDash([]);
}

// dim veils a cell that is out of sight.
function dim(pen) {
  pen.fillStyle = "#5c677680";
  pen.fillRect(0, 0, 100, 100);
}

export const sprites = { seatColour, themes, ground, flame, bomb, agent, fallen, item, base, danger, dim };
