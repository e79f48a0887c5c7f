"use strict";
// The record of a game as a file, for `arena replay` and `arena verify`.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  /** A record as JSON; a seed may be larger than the numbers that JSON.stringify writes. */
  replay.recordText = ({ seed, ...rest }) => {
    return `{"seed":${seed},${JSON.stringify(rest).slice(1)}\n`;
  };

  /** What a link needs to save a record. */
  replay.recordLink = (record, id) => ({
    href: URL.createObjectURL(new Blob([replay.recordText(record)], { type: "application/json" })),
    download: `${id}.jsonl`,
  });
})();
