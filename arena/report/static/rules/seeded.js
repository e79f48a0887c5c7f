"use strict";
// The deal of a seed: an order for every draw, as arena/games/seeded.py has it.
(() => {
  const rules = ((globalThis.Stichkampf ??= {}).rules ??= {});

  /** Bytes that SHAKE-128 takes in or gives out at a time. */
  const RATE = 168;
  const STEPS = 24;

  /** Of Keccak: how far lanes turn, where they go, and what is added to the first in a round. */
  const TURNS = [];
  const LANES = [];
  const ADDED = [];
  for (let step = 0, x = 1, y = 0, bits = 1; step < STEPS; step++) {
    TURNS.push((((step + 1) * (step + 2)) / 2) % 64);
    [x, y] = [y, (2 * x + 3 * y) % 5];
    LANES.push(x + 5 * y);
    const added = [0, 0];
    for (let power = 0; power < 7; power++) {
      const at = 2 ** power - 1;
      if (bits & 1) added[at >> 5] |= 1 << (at & 31);
      bits = (bits << 1) ^ (bits & 0x80 ? 0x171 : 0);
    }
    ADDED.push(added);
  }

  /** A half of a lane turned left: what stands in it, given this half and the other. */
  const turned = (half, other, by) => (by === 0 ? half : (half << by) | (other >>> (32 - by)));

  /** Keccak-f[1600], on 25 lanes of two halves, the lower first. */
  function permute(state) {
    const sums = new Int32Array(10);
    for (let step = 0; step < STEPS; step++) {
      for (let at = 0; at < 10; at++) {
        sums[at] = state[at] ^ state[at + 10] ^ state[at + 20] ^ state[at + 30] ^ state[at + 40];
      }
      for (let at = 0; at < 50; at++) {
        const x = at % 10;
        const right = (x + 2) % 10;
        state[at] ^= sums[(x + 8) % 10] ^ turned(sums[right], sums[right ^ 1], 1);
      }
      let [low, high] = [state[2], state[3]];
      for (let lane = 0; lane < STEPS; lane++) {
        const at = 2 * LANES[lane];
        const by = TURNS[lane] % 32;
        if (TURNS[lane] >= 32) [low, high] = [high, low];
        const moved = [turned(low, high, by), turned(high, low, by)];
        [low, high] = [state[at], state[at + 1]];
        [state[at], state[at + 1]] = moved;
      }
      for (let row = 0; row < 50; row += 10) {
        const old = state.slice(row, row + 10);
        for (let x = 0; x < 10; x++) state[row + x] ^= ~old[(x + 2) % 10] & old[(x + 4) % 10];
      }
      state[0] ^= ADDED[step][0];
      state[1] ^= ADDED[step][1];
    }
  }

  /** So many 64-bit words of SHAKE-128 over a text, each as two halves, the lower first. */
  function shake128(text, words) {
    const message = [...new TextEncoder().encode(text), 0x1f];
    while (message.length % RATE) message.push(0);
    message[message.length - 1] |= 0x80;
    const state = new Int32Array(50);
    message.forEach((byte, at) => {
      const place = at % RATE;
      state[place >> 2] ^= byte << (8 * (place & 3));
      if (place === RATE - 1) permute(state);
    });
    const halves = [];
    for (;;) {
      for (let at = 0; at < RATE / 4; at++) halves.push(state[at] >>> 0);
      if (halves.length >= 2 * words) return halves;
      permute(state);
    }
  }

  /** The items in the order of this draw: a shuffle after Fisher and Yates. */
  rules.shuffle = (seed, draw, items) => {
    const order = [...items];
    const words = shake128(`stichkampf-deal-1/${seed}/${draw}`, order.length);
    for (let n = order.length, word = 0; n > 0; n--, word += 2) {
      const at = (words[word + 1] * (2 ** 32 % n) + words[word]) % n;
      [order[n - 1], order[at]] = [order[at], order[n - 1]];
    }
    return order;
  };
})();
