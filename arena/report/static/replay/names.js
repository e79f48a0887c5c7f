"use strict";
// What things are called: colours, cards, tasks, variants, and what a variant is about.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  const COLOURS = {
    B: "blue",
    N: "brown",
    G: "green",
    E: "grey",
    R: "red",
    V: "violet",
    Y: "yellow",
  };
  const GAMES = {
    sticheln: "Sticheln",
    "stick-em": "Stick ’Em",
    "hat-trick": "Hat Trick",
    "was-sticht": "Was sticht",
  };
  const TASKS = {
    exactly_1: "exactly 1 trick",
    exactly_2: "exactly 2 tricks",
    exactly_3: "exactly 3 tricks",
    exactly_4: "exactly 4 tricks",
    fewest_tricks: "fewest tricks",
    last_trick: "last trick",
    most_tricks: "most tricks",
    no_blue: "no blue card",
    no_green: "no green card",
    no_red: "no red card",
    no_trick: "no trick",
    no_yellow: "no yellow card",
  };

  const capital = (word) => word[0].toUpperCase() + word.slice(1);

  /** Things with commas between them, and "and" before the last. */
  replay.listed = (things) =>
    things.flatMap((thing, at) => {
      const before = at === 0 ? [] : [at === things.length - 1 ? " and " : ", "];
      return [...before, ...(Array.isArray(thing) ? thing : [thing])];
    });

  replay.colourName = (letter) => COLOURS[letter] ?? letter;
  replay.cardName = (card) => `${replay.colourName(card[0])} ${card.slice(1)}`;
  replay.taskName = (task) => TASKS[task] ?? task;

  /** A number with its sign; the minus is a real one. */
  replay.signed = (number) => (number > 0 ? `+${number}` : replay.number(number));
  replay.number = (number) => String(number).replace("-", "\u2212");

  /** A variant as people say it: "Sticheln, Aggravated and Hazy". */
  replay.variantName = (variant) => {
    const [game, ...modifiers] = variant.split("+");
    const name = GAMES[game] ?? game;
    return modifiers.length ? `${name}: ${replay.listed(modifiers.map(capital)).join("")}` : name;
  };

  /** What the special colours of a variant are called. */
  replay.specialName = (variant) => (variant.includes("reverse") ? "lucky" : "misery");

  /** How Sticheln and its relatives go, in a few sentences. */
  function designating(game, modifiers) {
    const has = (modifier) => modifiers.includes(modifier);
    const kind = replay.specialName(modifiers.join("+"));
    const many = has("aggravated");
    const worth = has("mild") ? "5" : "its number";
    const zeros = game === "stick-em" ? "nobody gets them" : "the leader gets them";
    const named = `${many ? "two" : "a"} ${kind} colour${many ? "s" : ""}`;
    const when = has("delayed")
      ? `After the last trick everybody names ${named} among the cards won`
      : `Everybody first lays down ${many ? "two cards that name" : "a card that names"} ${named}` +
        (has("hazy") ? ", face down until the round is over" : "");
    return [
      `Any card may be played. Cards of other colours than the one led are trumps: the ` +
        `${has("reverse") ? "lowest" : "highest"} trump takes the trick, without one the highest ` +
        `card of the led colour. Zeros take nothing; if there are only zeros, ${zeros}.`,
      `${when}.`,
      has("reverse")
        ? `Each card of it brings ${worth}, every other card won costs 1.`
        : `Each card of it costs ${worth}, every other card won brings 1.`,
    ].join(" ");
  }

  /** What a variant is about. */
  replay.rulesOf = (variant) => {
    const [game, ...modifiers] = variant.split("+");
    if (game === "hat-trick") {
      return (
        "Any card may be played. A second colour opens a second trick, a third colour is a pass. " +
        "In each colour the highest card takes the cards of its colour. The colour of which one " +
        "has most brings 1 a card, all others cost 1, passed cards cost 2."
      );
    }
    if (game === "was-sticht") {
      return (
        "Everybody takes five task tokens. In each round the cards are picked from open columns; " +
        "only the dealer knows the trumps and says after each column who would have won it. Then " +
        "all but the dealer choose a task. A fulfilled task is discarded; the dealer discards a " +
        "token for fulfilling what another missed. Who has none left wins."
      );
    }
    return designating(game, modifiers);
  };
})();
