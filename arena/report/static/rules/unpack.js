"use strict";
// The games of a block as arena/store/block.py packs them: MessagePack, compressed by zlib.
(() => {
  const S = (globalThis.Stichkampf ??= {});

  /** Bytes of a block's games before they are compressed, which no honest block comes near. */
  const LARGEST = 2 ** 28;

  const is = (kind, holds) => (value, name) => {
    if (!holds(value)) throw new Error(`"${name}" is no ${kind}`);
    return value;
  };
  const text = is("text", (value) => typeof value === "string");
  const flag = is("yes or no", (value) => typeof value === "boolean");
  const real = is("number", (value) => typeof value === "number");
  const whole = is("whole number", Number.isSafeInteger);
  const big = is("whole number", (v) => typeof v === "bigint" || Number.isSafeInteger(v));
  const array = is("list", Array.isArray);
  const map = is("map", (v) => v !== null && typeof v === "object" && !Array.isArray(v));
  const list = (of) => (value, name) => array(value, name).map((item) => of(item, name));
  const perhaps = (of) => (value, name) => (value === null ? null : of(value, name));
  const notes = (value, name) =>
    Object.fromEntries(
      Object.entries(map(value, name)).map(([place, note]) => {
        if (!/^\d+$/.test(place)) throw new Error(`"${name}" has a note that is nowhere`);
        return [place, text(note, name)];
      }),
    );

  /** Fields by name, each with how it is read and, unless it must be there, what it is if not. */
  const struct = (fields) => (value, name) => {
    const found = map(value, name);
    return Object.fromEntries(
      Object.entries(fields).map(([field, [of, ...usual]]) => {
        if (field in found) return [field, of(found[field], field)];
        if (usual.length === 0) throw new Error(`"${name}" lacks "${field}"`);
        return [field, of(usual[0], field)];
      }),
    );
  };

  const SEATED = struct({ name: [text], version: [text] });
  const EVIDENCE = struct({
    request: [perhaps(text), null],
    reply: [perhaps(text), null],
    stderr: [text, ""],
    wall: [real, 0],
    cpu: [real, 0],
    waited: [real, 0],
  });
  const FAULT = struct({
    seat: [whole],
    fault: [text],
    text: [text],
    place: [perhaps(whole), null],
    evidence: [EVIDENCE, {}],
  });
  const RECORD = struct({
    variant: [text],
    seats: [whole],
    seed: [big],
    choices: [list(text)],
    first: [whole, 0],
    bots: [list(SEATED)],
    scores: [list(whole)],
    ranks: [list(whole)],
    wall: [list(whole)],
    cpu: [list(whole)],
    faults: [list(FAULT), []],
    notes: [notes, {}],
    stale: [list(whole), []],
    stopped: [flag, false],
  });
  const KEPT = struct({ record: [RECORD], stderr: [list(text), []] });

  /** What zlib made these bytes of, if it is not too much. */
  async function inflate(bytes) {
    const parts = [];
    let size = 0;
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const reader = stream.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      size += part.value.length;
      if (size > LARGEST) {
        await reader.cancel();
        throw new Error("they are too many to be true");
      }
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  }

  /** The games of a block, one for each seating: {record, stderr}, all fields filled in. */
  S.unpack = async (base64) => {
    try {
      const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      return list(KEPT)(S.msgpack(await inflate(packed)), "games");
    } catch (error) {
      throw new Error(`the records of a block cannot be read: ${error.message}`, { cause: error });
    }
  };
})();
