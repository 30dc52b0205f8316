/**
 * Tests the code cache: a device compiles the same text only once for each key, uses code that other devices have
 * compiled, and keeps only recently used code.
 */
import { expect, test } from 'vitest';
import { collectGarbage } from '../../../test/collect-garbage.ts';
import { CodeCache, type Compiled } from './cache.ts';

/** An empty module consists of just a header. */
const empty = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
const kernel: Compiled['kernel'] = {
  name: 'k',
  stops: [],
  frame: { state: 0, mask: 0, base: 0, depth: 0, size: 0 },
  callBytes: 0,
  stackBytes: 0,
  tensorBytes: 0,
  inWarps: false,
  cancelsBlocks: false,
  usesSpecialFunctions: false,
  readsTextures: false,
  sharedBytes: 0,
  clusterBarrier: null,
  waits: false,
  spins: new Map(),
  yieldsAtStops: false,
  functions: [],
  engineCalls: [],
  shared: [],
  local: [],
  parameters: [],
};
const make = (): Compiled => ({
  kernel,
  module: empty,
  executed: 0,
  engineCalls: [],
  leftOut: [],
  alone: new Map(),
});

const once = (cache: CodeCache, text: string, key: string): Compiled =>
  cache.before(text, key) ?? cache.keep(text, key, make());

test('code is made only once for the same text and key, and again for others', () => {
  const cache = new CodeCache();
  const first = once(cache, 'text', 'key');
  expect(once(cache, 'text', 'key')).toBe(first);
  expect(cache.before('text', 'key')).toBe(first);
  expect(once(cache, 'text', 'other key')).not.toBe(first);
  expect(once(cache, 'other text', 'key')).not.toBe(first);
  expect(cache.before('other text', 'no key')).toBeNull();
});

test('another device finds the code of the first', () => {
  const [one, other] = [new CodeCache(), new CodeCache()];
  expect(once(other, 'for both', '')).toBe(once(one, 'for both', ''));
});

/** Returns whether cached code is garbage-collected if nothing but the cache refers to it. */
async function isCollected(held: (cache: CodeCache) => WeakRef<Compiled>, cache: CodeCache): Promise<boolean> {
  const found = held(cache);
  for (let i = 0; i < 20 && found.deref() !== undefined; i++) {
    await new Promise((resolve) => {
      setTimeout(resolve, 0);
    });
    collectGarbage();
  }
  return found.deref() === undefined;
}

test('code is released together with its device, but not earlier', async () => {
  const [open, closed] = [new CodeCache(), new CodeCache()];
  const kept = new WeakRef(once(open, 'kept', ''));
  const cleared = (of: CodeCache): WeakRef<Compiled> => {
    const found = new WeakRef(once(of, 'cleared', ''));
    of.clear();
    return found;
  };
  expect(await isCollected(cleared, closed)).toBe(true);
  // The garbage collector must have run, because it has collected the code that the other cache released.
  expect(kept.deref()).toBeDefined();
  expect(open.before('kept', '')).toBe(kept.deref());
});

test('the least recently used texts are dropped, however many there are', async () => {
  const cache = new CodeCache();
  const dropped = (of: CodeCache): WeakRef<Compiled> => {
    const found = new WeakRef(once(of, 'dropped', ''));
    for (let i = 0; i < 100; i++) once(of, `one more ${i}`, '');
    return found;
  };
  expect(await isCollected(dropped, cache)).toBe(true);
});

test('long texts count according to their length', async () => {
  const cache = new CodeCache();
  const long = (letter: string): string => letter.repeat(2 ** 24);
  const dropped = (of: CodeCache): WeakRef<Compiled> => {
    const found = new WeakRef(once(of, long('a'), ''));
    for (const letter of ['b', 'c']) once(of, long(letter), '');
    return found;
  };
  expect(await isCollected(dropped, cache)).toBe(true);
});
