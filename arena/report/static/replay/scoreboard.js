"use strict";
// Scores as they build up: seats and rounds, totals and ranks; a click on a round jumps there.
(() => {
  const { replay } = Stichkampf;
  const { element, fill } = replay;

  /** Total and rank of each seat: at the end what is written down, which knows of faults. */
  function standing({ state, record, final }) {
    if (final) return { scores: record.scores, ranks: record.ranks };
    const { ranks } = Stichkampf.rules; // nobody has one before a round is over
    return { scores: state.scores, ranks: state.rounds.length ? ranks(state.scores) : null };
  }

  function cell(view, seat, { round }) {
    const { state, running } = view;
    const done = state.rounds[round - 1];
    if (done) {
      const points = done.points[seat];
      const sign = points < 0 ? "minus" : points > 0 ? "plus" : "";
      return element("td", `points ${sign}`, replay.signed(points));
    }
    if (state.round === round - 1) {
      const now = running(state, seat);
      return element("td", "points now", now === null ? "?" : replay.signed(now), {
        title: "so far in this round",
      });
    }
    return element("td", "points", "·");
  }

  function row(view, seat, { scores, ranks: places }) {
    const { record, names, rounds, final } = view;
    const faults = record.faults.filter((fault) => fault.seat === seat).length;
    const title = `${faults} ${faults === 1 ? "fault" : "faults"}: who is at fault comes last`;
    const guilty = final && faults > 0 ? [" ", element("b", "bad", "!", { title })] : [];
    return element("tr", places?.[seat] === 1 ? "first" : "", [
      element("th", "", [replay.who(seat, names), ...guilty], { scope: "row" }),
      element("td", "total", replay.number(scores[seat]), { "data-total-seat": seat }),
      element("td", "rank", places ? String(places[seat]) : "–", {
        "data-rank-seat": seat,
      }),
      ...rounds.map((round) => cell(view, seat, round)),
    ]);
  }

  /** Draws the scoreboard. */
  replay.drawScoreboard = (holder, view) => {
    const { rounds, record, state, go } = view;
    const heads = rounds.map(({ round, at }) => {
      const here = state.round === round - 1;
      const button = element("button", "", String(round), {
        type: "button",
        title: `Jump to round ${round}`,
        "aria-label": `Jump to round ${round}`,
        "aria-current": here ? "true" : null,
      });
      button.addEventListener("click", () => {
        go(at);
        holder.querySelectorAll("thead button")[round - 1]?.focus();
      });
      return element("th", "round", button, { scope: "col" });
    });
    const th = (words) => element("th", "", words, { scope: "col" });
    const head = element("tr", "", [th("seat"), th("total"), th("rank"), ...heads]);
    const places = standing(view);
    const rows = record.bots.map((_, seat) => row(view, seat, places));
    fill(holder, [element("thead", "", head), element("tbody", "", rows)]);
  };
})();
