"use strict";
// The same deal in other seats: every game of the block, and what each bot made of each hand.
(() => {
  const { replay } = Stichkampf;
  const { element, fill } = replay;

  /** Ordinals as people say them. */
  const nth = (rank) => `${rank}${["th", "st", "nd", "rd"][rank > 3 ? 0 : rank]}`;

  /** A score and a rank, with a mark for who was at fault. */
  function result(record, seat) {
    const guilty = record.faults.some((fault) => fault.seat === seat);
    const words = `${replay.number(record.scores[seat])} (${nth(record.ranks[seat])})`;
    return guilty ? `${words} !` : words;
  }

  const address = (digits, turn, seat = null) =>
    `game.html?game=${digits}-${turn}${seat === null ? "" : `&seat=${seat}`}`;

  /** Links that lead to the same stop, where the other game has it. */
  function linked(links, anchors) {
    const known = new Map();
    const holds = (turn, anchor) => {
      if (!known.has(turn)) known.set(turn, anchors(turn));
      return known.get(turn).has(anchor);
    };
    return (anchor) => {
      for (const { link, turn, href } of links) {
        link.href = holds(turn, anchor) ? `${href}#${anchor}` : href;
      }
    };
  }

  /** Builds both tables; what it gives back sets the links for a stop. */
  replay.seatings = ({ list, compare }, { games, digits, turn: current, anchors }) => {
    const links = [];
    const linkTo = (words, turn, seat = null) => {
      const href = address(digits, turn, seat);
      const link = element("a", "", words, { href });
      links.push({ link, turn, href });
      return link;
    };
    const shown = (text) => Stichkampf.printable(text);
    const seats = games[0].record.seats;
    const th = (words, scope = "col") => element("th", "", words, { scope });

    const rows = games.map(({ record }, turn) => {
      const here = turn === current;
      const first = here ? element("b", "", `this one, ${turn}`) : linkTo(`game ${turn}`, turn);
      const cells = record.bots.map(({ name }, seat) =>
        element("td", record.ranks[seat] === 1 ? "first" : "", [
          element("span", "name", shown(name)),
          " ",
          element("span", "result", result(record, seat)),
        ]),
      );
      return element("tr", here ? "here" : "", [th(first, "row"), ...cells], {
        "aria-current": here ? "true" : null,
      });
    });
    const heads = Array.from({ length: seats }, (_, seat) => th(`seat ${seat}`));
    fill(list, [
      element("thead", "", element("tr", "", [th("game"), ...heads])),
      element("tbody", "", rows),
    ]);

    const bots = [...new Set(games.flatMap(({ record }) => record.bots.map(({ name }) => name)))];
    const found = (name, seat) =>
      games
        .map(({ record }, turn) => ({ record, turn }))
        .filter(({ record }) => record.bots[seat].name === name);
    const lines = bots.map((name) => {
      const cells = Array.from({ length: seats }, (_, seat) => {
        const made = found(name, seat).flatMap(({ record, turn }, at) => [
          at ? " · " : "",
          linkTo(result(record, seat), turn, seat),
        ]);
        const here = games[current].record.bots[seat].name === name;
        return element("td", here ? "here" : "", made);
      });
      const all = games.flatMap(({ record }) =>
        record.bots.flatMap((bot, seat) => (bot.name === name ? [record.scores[seat]] : [])),
      );
      const mean = all.reduce((sum, score) => sum + score, 0) / all.length;
      const average = element("td", "total", replay.number(Math.round(mean * 10) / 10));
      return element("tr", "", [th(replay.botLink(name, shown(name)), "row"), ...cells, average]);
    });
    const hands = Array.from({ length: seats }, (_, seat) => th(`hands of seat ${seat}`));
    fill(compare, [
      element("thead", "", element("tr", "", [th("bot"), ...hands, th("mean")])),
      element("tbody", "", lines),
    ]);
    return linked(links, anchors);
  };
})();
