"use strict";
// Light, dark, or as the system has it: remembered, and set before anything is drawn.
(() => {
  const KEY = "stichkampf-theme";
  const NEXT = { "": "light", light: "dark", dark: "" };
  const NAMES = { "": "as your system", light: "light", dark: "dark" };

  /** What was chosen; pages that may not remember anything forget it. */
  function stored() {
    try {
      const found = localStorage.getItem(KEY) ?? "";
      return found in NEXT ? found : "";
    } catch {
      return "";
    }
  }

  let theme = stored();

  function apply() {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  }

  apply();
  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("button.theme");
    const name = () => (button.textContent = `Colours: ${NAMES[theme]}`);
    button.hidden = false;
    name();
    button.addEventListener("click", () => {
      theme = NEXT[theme];
      apply();
      name();
      try {
        localStorage.setItem(KEY, theme);
      } catch {
        // It holds until the next page.
      }
    });
  });
})();
