"use strict";
// What strangers wrote, without what would not simply show: the same as arena/printable.py.
(() => {
  const S = (globalThis.Stichkampf ??= {});

  /** Letters and marks that show nothing though Unicode has them as printable. */
  const BLANK =
    /[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;
  /** Controls, formats, bidi and lone surrogates, and every blank but the space. */
  const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Zs}]/u;
  const MARK = /[\p{Mn}\p{Me}]/u;
  /** So many marks may stand on one letter; more would grow into the lines around. */
  const PILED = 3;

  /** A sign for a character that is not seen. */
  function sign(character) {
    const code = character.codePointAt(0);
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "␡" : "�";
  }

  /** The text with a visible sign for every character that would not show or would do more. */
  S.printable = (text) => {
    const given = String(text);
    if (/^[ -~]*$/.test(given)) return given;
    let marks = PILED; // one at the very beginning would stand on what is not of this text
    let shown = "";
    for (const one of given) {
      marks = MARK.test(one) ? marks + 1 : 0;
      const shows = marks <= PILED && (one === " " || !HIDDEN.test(one)) && !BLANK.test(one);
      shown += shows ? one : sign(one);
    }
    return shown;
  };

  /** The same line by line, for what has several. */
  S.printableLines = (text) => String(text).split(/\r\n|\n|\r/).map(S.printable);
})();
