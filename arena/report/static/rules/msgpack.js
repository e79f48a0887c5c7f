"use strict";
// A recorded game in the browser: unpacked, and played again by the rules to the same events.
//
// Plain scripts that share the global object `Stichkampf`, to be loaded in this order:
//
//   msgpack.js     bytes to values, as much of MessagePack as records are written in
//   unpack.js      Stichkampf.unpack(base64): the games of a block
//   seeded.js      the deal of a seed
//   cards.js       what a card is; small things that all games need
//   tricks.js      the engine of games played in rounds of tricks
//   sticheln.js    Sticheln, Stick 'Em and their modifiers
//   hat_trick.js   Hat Trick
//   tasks.js       the tasks of Was sticht
//   was_sticht.js  Was sticht
//   replay.js      every variant by its name, and Stichkampf.rules.steps(record)
//
// The rules are those of arena/games, function by function. A game here is a generator: it tells
// what happens, yields the decisions that are due, and is handed as many choices.
(() => {
  const S = (globalThis.Stichkampf ??= {});

  /**
   * The one value that these bytes are. Whole numbers beyond 2^53 become BigInts, maps become
   * objects without a prototype, so that no key means anything special.
   */
  S.msgpack = (bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    let next = 0;

    /** Where so many bytes begin that are now read. */
    const read = (size) => {
      if (size > bytes.length - next) throw new Error("a value is cut off");
      next += size;
      return next - size;
    };
    const byte = () => view.getUint8(read(1));
    const two = () => view.getUint16(read(2));
    const four = () => view.getUint32(read(4));
    const whole = (big) => (Number.isSafeInteger(Number(big)) ? Number(big) : big);
    const text = (size) => utf8.decode(bytes.subarray(read(size), next));
    const list = (size) => {
      const items = [];
      while (items.length < size) items.push(value());
      return items;
    };
    const map = (size) => {
      const entries = Object.create(null);
      for (let entry = 0; entry < size; entry++) {
        const key = value();
        if (typeof key !== "string" && !Number.isSafeInteger(key)) throw new Error("a key is odd");
        entries[key] = value();
      }
      return entries;
    };
    const value = () => {
      const head = byte();
      if (head < 0x80) return head;
      if (head < 0x90) return map(head - 0x80);
      if (head < 0xa0) return list(head - 0x90);
      if (head < 0xc0) return text(head - 0xa0);
      if (head >= 0xe0) return head - 0x100;
      return LONG[head]?.() ?? odd(head);
    };
    const odd = (head) => {
      if (head === 0xc0) return null;
      throw new Error(`a value begins with ${head}`);
    };
    const LONG = {
      0xc2: () => false,
      0xc3: () => true,
      0xca: () => view.getFloat32(read(4)),
      0xcb: () => view.getFloat64(read(8)),
      0xcc: byte,
      0xcd: two,
      0xce: four,
      0xcf: () => whole(view.getBigUint64(read(8))),
      0xd0: () => view.getInt8(read(1)),
      0xd1: () => view.getInt16(read(2)),
      0xd2: () => view.getInt32(read(4)),
      0xd3: () => whole(view.getBigInt64(read(8))),
      0xd9: () => text(byte()),
      0xda: () => text(two()),
      0xdb: () => text(four()),
      0xdc: () => list(two()),
      0xdd: () => list(four()),
      0xde: () => map(two()),
      0xdf: () => map(four()),
    };

    const found = value();
    if (next < bytes.length) throw new Error("more follows the last value");
    return found;
  };
})();
