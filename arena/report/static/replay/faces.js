"use strict";
// How cards, colours, tokens and seats look. Colours always carry their letter and a shape.
(() => {
  const { replay } = Stichkampf;
  const { element } = replay;

  /** A card with its face up, or the back of one that is not seen. */
  replay.card = (card, className = "") => {
    if (!card) return element("span", `card back ${className}`);
    const number = card.slice(1);
    return element("span", `card colour-${card[0]} ${className}`, [
      element("b", "corner", [number, element("i", "letter", card[0]), element("i", "pip")]),
      element("b", "field", number),
      element("b", "corner foot", [number, element("i", "letter", card[0])]),
    ]);
  };

  /** A card with a name for those who cannot see it. */
  replay.shownCard = (card, className, more = "") => {
    const shown = replay.card(card, className);
    shown.setAttribute("role", "img");
    shown.setAttribute("aria-label", (card ? replay.cardName(card) : "a card face down") + more);
    return shown;
  };

  /** Several cards, named together. */
  replay.shownCards = (cards, className, what, mark = () => "") => {
    const known = cards.filter(Boolean).map(replay.cardName);
    const hidden = cards.length - known.length;
    if (hidden) known.push(`${hidden} face down`);
    const label = `${what}: ${known.join(", ") || "none"}`;
    const faces = grouped(cards).map((group) =>
      element(
        "span",
        "group",
        group.map((card) => replay.card(card, mark(card))),
      ),
    );
    return element("span", `cards ${className}`, faces, { role: "img", "aria-label": label });
  };

  /** Cards by their colours, so that they are easy to find. */
  function grouped(cards) {
    const groups = new Map();
    for (const card of cards) {
      const colour = card ? card[0] : "";
      groups.set(colour, [...(groups.get(colour) ?? []), card]);
    }
    return [...groups.values()];
  }

  /** A card in a line of text: its token in its colour. */
  replay.chip = (card, className = "") =>
    element("span", `chip colour-${card[0]} ${className}`, card, { title: replay.cardName(card) });

  /** A colour in a line of text, or how many cards of it. */
  replay.colourChip = (letter, count = null) =>
    element("span", `chip colour-${letter}`, count === null ? letter : `${letter}×${count}`, {
      title: replay.colourName(letter),
    });

  /** A task token. */
  replay.token = (task, className = "", sign = "") =>
    element("span", `token ${className}`, [sign, replay.taskName(task)]);

  /** The number of a seat. */
  replay.seatNumber = (seat, seats) =>
    element("b", "seat-number", seat === seats ? "G" : String(seat));

  /** A seat in a line of text: its number and name, the name made fit to be shown. */
  replay.who = (seat, names) =>
    seat === names.length
      ? element("span", "who", "the ghost")
      : element("span", "who", [
          replay.seatNumber(seat, names.length),
          " ",
          element("span", "name", names[seat]),
        ]);

  /** The page of a bot, or just its name where the site has none. */
  replay.botLink = (name, shown) => {
    const pages = Stichkampf.bots;
    const page = pages && Object.hasOwn(pages, name) ? pages[name] : null;
    const safe = typeof page === "string" && page.startsWith("bots/");
    return safe
      ? element("a", "name", shown, { href: page, title: shown })
      : element("span", "name", shown, { title: shown });
  };

  /** A sentence with its cards and seats shown as what they are. */
  replay.sentence = (parts, names) => {
    const things = parts.map((part) => (typeof part === "string" ? part : thing(part, names)));
    const last = things.at(-1);
    if (last !== "." || things.length < 2) return things;
    return [...things.slice(0, -2), element("span", "whole-word", things.slice(-2))];
  };

  function thing(part, names) {
    if ("seat" in part) return replay.who(part.seat, names);
    if ("card" in part) return replay.chip(part.card);
    if ("task" in part) return replay.token(part.task);
    return element("span", "", [
      replay.colourChip(part.colour),
      ` ${replay.colourName(part.colour)}`,
    ]);
  }
})();
