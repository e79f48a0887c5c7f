"use strict";
// The address of the page: which game, which stop, whose view; kept up to date while one moves.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  /** Browsers refuse to change the address too often, so it waits this long in between. */
  const PAUSE = 120;

  /** What the address asks for. */
  replay.wanted = ({ search, hash }) => {
    const query = new URLSearchParams(search);
    const seat = /^\d$/.test(query.get("seat") ?? "") ? Number(query.get("seat")) : null;
    return { id: query.get("game"), seat, anchor: hash.slice(1) };
  };

  /** The query and fragment of a stop. */
  replay.link = ({ id, seat, anchor }) =>
    `?game=${encodeURIComponent(id)}${seat === null ? "" : `&seat=${seat}`}#${anchor}`;

  /** Put it into the address bar; a page opened as a file may only change what follows the #. */
  function write(place) {
    try {
      history.replaceState(null, "", replay.link(place));
    } catch {
      try {
        history.replaceState(null, "", `#${place.anchor}`);
      } catch {
        // Then the address stays as it is, and "Copy link" still gives the right one.
      }
    }
  }

  /** Keeps the address up to date, now and then. */
  replay.addressBar = () => {
    let due = null;
    let written = 0;
    return (place) => {
      clearTimeout(due);
      const put = () => {
        written = Date.now();
        write(place);
      };
      const rest = written + PAUSE - Date.now();
      if (rest <= 0) put();
      else due = setTimeout(put, rest);
    };
  };

  /** Copies the link to a stop; says whether that could be done. */
  replay.copyLink = async (place) => {
    const link = new URL(replay.link(place), location.href).href;
    try {
      await navigator.clipboard.writeText(link);
      return { link, copied: true };
    } catch {
      return { link, copied: false };
    }
  };
})();
