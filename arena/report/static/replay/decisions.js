"use strict";
// What was decided at a stop: from how many options, in what time, with what note or fault.
(() => {
  const { replay } = Stichkampf;
  const { element, fill } = replay;

  /** What a kind of decision is about. */
  const ASKED = {
    designate: "designates",
    delayed: "names",
    play: "plays",
    token: "takes the token",
    pick: "picks",
    task: "chooses the task",
    discard: "discards",
  };

  /** A choice as it looks: a card, a pair, a colour, a task. */
  function chosen(choice) {
    if (choice in Stichkampf.rules.TASKS) return [replay.token(choice)];
    return choice
      .split("+")
      .flatMap((one, at) => [
        at ? " " : "",
        one.length === 1 ? replay.colourChip(one) : replay.chip(one),
      ]);
  }

  /** What shows a fault: what was asked and answered, and stderr. */
  function evidence({ evidence: shown }) {
    const parts = [
      ["request", shown.request],
      ["reply", shown.reply],
      ["stderr", shown.stderr || null],
    ].filter(([, text]) => text !== null);
    if (!parts.length) return [];
    const rows = parts.flatMap(([what, text]) => [
      element("dt", "", what),
      element("dd", "", element("pre", "", Stichkampf.printableLines(text).join("\n"))),
    ]);
    return [
      element("details", "evidence", [
        element("summary", "", "Evidence"),
        element("dl", "", rows),
      ]),
    ];
  }

  /** A fault: its kind, its sentence, and the command that shows it again. */
  function fault(wrong, { command }, instead) {
    const sentence = Stichkampf.printable(wrong.text);
    return element("div", "fault", [
      element("p", "", [
        element("b", "", `! ${Stichkampf.printable(wrong.fault)}`),
        `: ${sentence}`,
        ...(instead ? ["; the referee chose ", ...chosen(instead)] : []),
      ]),
      ...evidence(wrong),
      element("p", "", ["See it again: ", element("code", "", command)]),
    ]);
  }

  /** How long it took; where the referee chose, how long the bot was waited for. */
  function time({ wall, cpu, faults }) {
    const shown = faults[0]?.evidence;
    return shown ? replay.took(shown.wall * 1e6, shown.cpu * 1e6) : replay.took(wall, cpu);
  }

  function decision(remark, view) {
    const { names } = view;
    const { seat, kind, choice, options, note, faults, standsIn } = remark;
    const seen = view.viewer === null || view.viewer === seat || !view.secret;
    const what = choice === undefined ? [] : seen ? chosen(choice) : ["a card face down"];
    const alone = view.remarks.length === 1 && choice !== undefined; // it is said above
    const asked = element("p", alone ? "choice said-above" : "choice", [
      replay.who(seat, names),
      choice === undefined ? " broke the protocol" : ` ${ASKED[kind] ?? kind} `,
      ...what,
    ]);
    const times =
      choice === undefined
        ? null
        : element("p", "times", [
            options === 1 ? "the only option" : `one of ${options} options`,
            ` · ${time(remark)}`,
            standsIn ? " · the referee chose" : "",
          ]);
    return element("li", standsIn ? "stand-in" : "", [
      asked,
      times,
      note ? element("blockquote", "", Stichkampf.printable(note)) : null,
      ...faults.map((wrong) => fault(wrong, view, wrong.place === null ? null : choice)),
    ]);
  }

  /** Draws the decisions of a stop. */
  replay.drawDecisions = (holder, view) => {
    const none = element("li", "none", "Nobody decided anything here.");
    const made = view.remarks.map((remark) => decision(remark, view));
    fill(holder, made.length ? made : [none]);
  };
})();
