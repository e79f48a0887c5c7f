"use strict";
// Buttons, slider, menus and keys: everything that moves through a game.
(() => {
  const { replay } = Stichkampf;
  const { byId, element } = replay;

  /** What the keys do; those that also scroll are left alone where the table is out of sight. */
  const KEYS = {
    ArrowLeft: ({ shiftKey }) => (shiftKey ? "trick-back" : "back"),
    ArrowRight: ({ shiftKey }) => (shiftKey ? "trick-on" : "on"),
    PageUp: () => "trick-back",
    PageDown: () => "trick-on",
    Home: () => "start",
    End: () => "end",
    " ": () => "play",
    "+": () => "faster",
    "=": () => "faster",
    "-": () => "slower",
    o: () => "open",
    "?": () => "help",
  };
  const SCROLLS = new Set(["PageUp", "PageDown", "Home", "End", " "]);

  const typing = (target) =>
    target.closest?.("select, textarea, dialog, input:not([type=range]), [contenteditable]");
  const pressing = (target) => target.closest?.("button, a, summary");

  /** What a key press asks for, if anything. */
  function asked(event, tableInSight) {
    if (event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) return null;
    if (event.key === " " && pressing(event.target)) return null;
    if (SCROLLS.has(event.key) && !tableInSight()) return null;
    if (/^[1-9]$/.test(event.key)) return `round-${event.key}`;
    return Object.hasOwn(KEYS, event.key) ? KEYS[event.key](event) : null;
  }

  /** The menu of rounds and that of seats. */
  function menus({ rounds, names, stops }) {
    const option = (value, words) => element("option", "", words, { value });
    const before = stops[0].round ? [] : [option("0", "Tokens")];
    const numbered = rounds.map(({ round, at }) => option(at, `Round ${round}`));
    byId("round").replaceChildren(...before, ...numbered, option(stops.length - 1, "The end"));
    const seats = names.map((name, seat) => option(seat, `Seat ${seat}: ${name}`));
    byId("viewer").replaceChildren(option("", "All hands open"), ...seats);
  }

  /** Wires everything to the actions of the page; gives back how to show where the game is. */
  replay.controls = (game, act) => {
    menus(game);
    const [slider, round, viewer, speed] = ["slider", "round", "viewer", "speed"].map(byId);
    slider.max = game.stops.length - 1;
    slider.addEventListener("input", () => act.go(Number(slider.value)));
    round.addEventListener("change", () => act.go(Number(round.value)));
    viewer.addEventListener("change", () =>
      act.look(viewer.value === "" ? null : Number(viewer.value)),
    );
    speed.addEventListener("change", () => act.pace(Number(speed.value)));

    const faster = (way) => {
      speed.selectedIndex = Math.min(
        Math.max(speed.selectedIndex + way, 0),
        speed.options.length - 1,
      );
      act.pace(Number(speed.value));
    };
    const DOES = {
      ...act.moves,
      faster: () => faster(1),
      slower: () => faster(-1),
      help: () => byId("help").showModal(),
    };
    const run = (name) => {
      const jump = /^round-(\d)$/.exec(name);
      if (!jump) return DOES[name]();
      const wanted = game.rounds[Number(jump[1]) - 1];
      return wanted && act.go(wanted.at);
    };
    for (const button of document.querySelectorAll("button[data-do]")) {
      button.addEventListener("click", () => run(button.dataset.do));
    }
    const tableInSight = () => byId("table").getBoundingClientRect().bottom > 0;
    document.addEventListener("keydown", (event) => {
      const name = asked(event, tableInSight);
      if (name === null) return;
      event.preventDefault();
      run(name);
    });

    return ({ at, stop, said, seat }) => {
      slider.value = at;
      slider.setAttribute("aria-valuetext", `${replay.placeName(stop)}: ${said}`);
      const begun = [...round.options].filter(({ value }) => Number(value) <= at);
      round.value = begun.at(-1)?.value ?? "";
      viewer.value = seat ?? "";
      for (const button of document.querySelectorAll("button[data-do]")) {
        const first = at === 0 && ["start", "trick-back", "back"].includes(button.dataset.do);
        const last = at === game.stops.length - 1;
        const beyond = last && ["end", "trick-on", "on"].includes(button.dataset.do);
        button.setAttribute("aria-disabled", String(first || beyond));
      }
      byId("count").textContent = `${at + 1} / ${game.stops.length}`;
    };
  };
})();
