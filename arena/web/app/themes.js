// The theme of a page: light, dark, or as the system has it.

import { theme } from "./board.js";
import { find, say } from "./elements.js";

// wireTheme has the button change the theme, and repaint called after each change.
export function wireTheme(repaint) {
  const apply = () => {
    document.documentElement.dataset.theme = theme.name;
    repaint();
  };
  find("theme").onclick = () => {
    theme.chosen = { system: "light", light: "dark", dark: "system" }[theme.chosen];
    say(find("theme"), `Theme: ${theme.chosen}`);
    apply();
  };
  matchMedia("(prefers-color-scheme: dark)").onchange = apply;
  apply();
}
