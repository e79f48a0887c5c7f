"use strict";
// The page of a game: finds it by its address, plays it again and shows it stop by stop.
(() => {
  const { replay } = Stichkampf;
  const { byId, element, fill } = replay;

  /** Everything that is known of a game from the start. */
  function opened(games, turn, { digits, id }) {
    const { record } = games[turn];
    const stops = replay.timeline(Stichkampf.rules.steps(record), record.seats, record);
    const options = replay.options(record);
    const remarks = replay.remarks(record, stops, options);
    const standIns = remarks.flat().filter(({ standsIn }) => standsIn);
    const fixed = { "stick-em": record.seats, "was-sticht": null };
    const [name] = record.variant.split("+");
    return {
      ...{ id, digits, turn, games, record, stops, options, remarks },
      names: record.bots.map((bot) => Stichkampf.printable(bot.name)),
      rounds: replay.rounds(stops),
      inAll: name in fixed ? fixed[name] : 5,
      running: replay.running(record.variant),
      standIns: new Set(standIns.map(({ place }) => place)),
      command: `arena show ${document.body.dataset.run ?? "RUN"} ${id}`,
    };
  }

  /** The anchors of another game of the block. */
  const anchorsOf = (games) => (turn) => {
    try {
      const { record } = games[turn];
      const stops = replay.timeline(Stichkampf.rules.steps(record), record.seats, record);
      return new Set(stops.map(({ anchor }) => anchor));
    } catch {
      return new Set();
    }
  };

  /** Shows a game; everything that moves is here. */
  function show(game, { seat, anchor }) {
    const { record, stops, names } = game;
    const seats = record.bots.map((_, at) => replay.seatPanel(at, game));
    if (record.variant === "was-sticht") seats.push(replay.ghostPanel(game));
    byId("table").append(...seats.map(({ panel }) => panel));
    byId("table").classList.add(`seats-${record.seats}`);
    const bar = replay.addressBar();
    let viewer = seat !== null && seat < record.seats ? seat : null;
    let last = viewer ?? 0; // the seat whose view "open hands" goes back to
    let tops = replay.tabletops(stops, record.seats, viewer);
    let at = Math.max(replay.seek(stops, anchor), 0);

    const place = () => ({ id: game.id, seat: viewer, anchor: stops[at].anchor });

    /** Everything that is drawn is drawn from this. */
    const look = () => {
      const [stop, state] = [stops[at], tops[at]];
      const next = stops[at + 1]?.choices ?? [];
      return {
        ...game,
        ...{ at, stop, state, tops, viewer, go },
        final: stop.kind === "end" || stop.kind === "stopped",
        due: next.map((choice) => choice.seat),
        allowed: new Map(next.map((choice) => [choice.seat, allowed(game, choice)])),
        secret: stop.events.some(({ event, to }) => event === "designated" && to),
        remarks: replay.heard(game.remarks[at], viewer),
      };
    };

    const draw = () => {
      const view = look();
      const sentences = replay.sentences(record, view.stop, view.state, viewer);
      const name = (who) => (who === record.seats ? "the ghost" : `${who} ${names[who]}`);
      const said = sentences.map((parts) => replay.plain(parts, name)).join(" ");
      fill(byId("place"), replay.placeName(view.stop));
      fill(
        byId("said"),
        sentences.map((parts) => element("span", "told", replay.sentence(parts, names))),
      );
      byId("said").hidden = told(view, sentences);
      byId("saying").textContent = `${replay.placeName(view.stop)}: ${said}`;
      byId("live").textContent = said;
      for (const one of seats) one.draw(view);
      replay.drawCentre(byId("felt"), view);
      replay.drawScoreboard(byId("scoreboard"), view);
      replay.drawDecisions(byId("decisions"), view);
      replay.drawLog(byId("log"), view);
      follow(view.stop.anchor);
      tell({ at, stop: view.stop, said, seat: viewer });
      bar(place());
    };

    const go = (to) => {
      at = Math.min(Math.max(Math.trunc(to) || 0, 0), stops.length - 1);
      draw();
    };
    const by = (move) => {
      pace.halt();
      move();
    };
    const jump = (to) => by(() => go(to));
    const lookFrom = (from) => {
      last = from ?? last;
      viewer = from;
      tops = replay.tabletops(stops, record.seats, viewer);
      draw();
      transcribe();
    };
    const transcribe = () => replay.drawTranscript(byId("transcript"), look());

    const pace = replay.pace({
      stop: () => stops[at],
      next: () => at < stops.length - 1 && (go(at + 1), true),
      changed: (runs) => {
        byId("play").setAttribute("aria-pressed", String(runs));
        byId("live").setAttribute("aria-live", runs ? "off" : "polite");
      },
    });
    const copy = async () => {
      const { link, copied } = await replay.copyLink(place());
      byId("copied").textContent = copied ? "Link copied." : link;
    };
    const tell = replay.controls(game, {
      go: jump,
      look: lookFrom,
      pace: pace.setSpeed,
      moves: {
        back: () => jump(at - 1),
        on: () => jump(at + 1),
        "trick-back": () => jump(replay.leap(stops, at, -1)),
        "trick-on": () => jump(replay.leap(stops, at, 1)),
        start: () => jump(0),
        end: () => jump(stops.length - 1),
        play: () => pace.toggle(),
        open: () => lookFrom(viewer === null ? last : null),
        copy,
      },
    });
    const follow = replay.seatings(
      { list: byId("seatings"), compare: byId("compare") },
      { ...game, anchors: anchorsOf(game.games) },
    );
    addEventListener("hashchange", () => {
      const found = replay.seek(stops, replay.wanted(location).anchor);
      if (found >= 0 && found !== at) jump(found);
    });
    replay.onPrint(byId("whole"));

    byId("waiting").hidden = true;
    byId("player").hidden = false;
    draw();
    transcribe();
    replay.page = {
      stops,
      go,
      state: () => tops[at],
      get at() {
        return at;
      },
    };
    document.body.dataset.ready = "yes";
  }

  /** Whether the list of decisions tells all that the sentences would. */
  const told = ({ remarks: { length } }, sentences) => length > 1 && length === sentences.length;

  /** The cards that may be played, where that is what is asked. */
  const allowed = ({ options }, { kind, place }) => (kind === "play" ? options[place] : null);

  async function begin() {
    const wanted = replay.wanted(location);
    const parsed = replay.parseId(wanted.id);
    if (!wanted.id) return replay.refuse("Which game? The address of this page names none.");
    if (!parsed) return replay.refuse("This page is given no game such as 1f0a2b3c4d-2.");
    const prefix = Number(document.body.dataset.prefix) || 2;
    const { games } = await replay.openBlock(parsed.digits, { prefix });
    if (parsed.turn >= games.length) {
      const times = `This deal was played ${games.length} times`;
      return replay.refuse(`${times}: there is no game ${wanted.id}.`);
    }
    const game = opened(games, parsed.turn, { digits: parsed.digits, id: wanted.id });
    replay.title(game);
    return show(game, wanted);
  }

  begin().catch((error) => replay.refuse(error.message));
})();
