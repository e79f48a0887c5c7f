"use strict";
// The page around a game: its title, what is said if there is none, and what paper needs.
(() => {
  const { replay } = Stichkampf;
  const { byId, element, fill } = replay;

  /** Say in a sentence why there is no game to be seen. */
  replay.refuse = (sentence) => {
    fill(byId("trouble"), [
      `${Stichkampf.printable(sentence)} `,
      element("a", "", "All games", { href: "games.html" }),
    ]);
    byId("trouble").hidden = false;
    byId("waiting").hidden = true;
    document.body.dataset.ready = "yes";
  };

  /** What does not change from stop to stop. */
  replay.title = ({ record, id, command, games }) => {
    const words = `${replay.variantName(record.variant)}, ${record.seats} seats`;
    byId("title").textContent = words;
    document.title = `${words} · ${id}`;
    const again = games.length > 1 ? ` · one of ${games.length} games of the same deal` : "";
    fill(byId("about"), [element("code", "", record.variant), ` · game ${id}${again}`]);
    byId("rules").textContent = replay.rulesOf(record.variant);
    byId("command").textContent = command;
    Object.assign(byId("record"), replay.recordLink(record, id));
    byId("rehearse").textContent = `arena replay ${id}.jsonl --bot YOUR_BOT --seat 0`;
  };

  /** Whole game on paper: what is folded is opened for it. */
  replay.onPrint = (folded) => {
    let was = false;
    addEventListener("beforeprint", () => {
      was = folded.open;
      folded.open = true;
    });
    addEventListener("afterprint", () => {
      folded.open = was;
    });
  };
})();
