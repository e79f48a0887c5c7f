"use strict";
// The packed games of the site: which file holds a game, loaded by a script tag when asked for.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  /** Blocks that arrived, by the digits of their keys. */
  const blocks = new Map();

  /** What every file of packs/ calls. */
  S.pack = (games) => {
    for (const [key, packed] of Object.entries(games)) blocks.set(key, packed);
  };

  /** The digits of the block and the turn in an id such as 1f0a2b3c4d-2, or null. */
  replay.parseId = (id) => {
    const found = /^([0-9a-f]{2,32})-(\d{1,4})$/.exec(id ?? "");
    return found && { digits: found[1], turn: Number(found[2]) };
  };

  /** Load a script of the site. */
  function load(src) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = src;
      script.onload = () => resolve();
      script.onerror = () => reject(new Error(`${src} is missing from this site.`));
      document.head.append(script);
    });
  }

  /** The key and the packed games of the block that begins with these digits. */
  replay.fetchBlock = async (digits, { prefix = 2, folder = "packs" } = {}) => {
    if (digits.length < prefix) throw new Error(`"${digits}" is too short to find a game by.`);
    const held = () => [...blocks.keys()].filter((key) => key.startsWith(digits));
    if (held().length === 0) {
      const file = `${folder}/${digits.slice(0, prefix)}.js`;
      await load(file).catch(() => {
        throw new Error(`There is no game ${digits} on this site: ${file} is missing.`);
      });
    }
    const [key, another] = held();
    if (!key) throw new Error(`There is no game ${digits} on this site.`);
    if (another) throw new Error(`Several games begin with ${digits}: give more of the digits.`);
    return { key, packed: blocks.get(key) };
  };

  /** All games of a block; what is missing for that is said in a sentence. */
  replay.openBlock = async (digits, options) => {
    if (typeof DecompressionStream === "undefined") {
      throw new Error(
        "This browser cannot unpack the games of this site (it has no DecompressionStream): " +
          "please use one from 2023 or later.",
      );
    }
    const { key, packed } = await replay.fetchBlock(digits, options);
    const games = await S.unpack(packed).catch((error) => {
      throw new Error(`The games of block ${digits} cannot be read: ${error.message}`);
    });
    return { key, games };
  };
})();
