/** Converting in slices, on the main thread or on worker threads, produces the same result as `convert`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { built } from '../../test/cli/ptxlab.ts';
import { filled } from '../../test/filled.ts';
import { convert, type ConvertOptions } from './convert.ts';
import { convertAsync } from './convert-async.ts';
import { bytesOf } from './storage.ts';
import { Workspace } from './workspace.ts';

beforeAll(built, 120_000);

const count = 2 ** 20 + 2 ** 18 + 12_345;
const source = filled(new Float32Array(count), (i) => ((i * 2_654_435_761) % 100_003) / 500 - 100);

/** For each kind of memory, a function that returns the source array and an empty array for the result. */
const places: Readonly<Record<string, (bytes: number) => readonly [Float32Array, Uint8Array]>> = {
  'on ArrayBuffers': (bytes) => [source, new Uint8Array(bytes)],
  'on SharedArrayBuffers': (bytes) => {
    const shared = new Float32Array(new SharedArrayBuffer(4 * count));
    shared.set(source);
    return [shared, new Uint8Array(new SharedArrayBuffer(bytes))];
  },
  'in a workspace': (bytes) => {
    const workspace = new Workspace(4 * count + bytes + 1000);
    const from = workspace.array('f32', count);
    from.set(source);
    return [from, workspace.array('u8', bytes)];
  },
};

const conversions: readonly ConvertOptions[] = [
  { to: 'e4m3' },
  { to: 'e2m1' },
  { to: 'e3m2', packing: 'low-first' },
  { to: 's2' },
  { to: 'f64' },
  { to: 'e4m3', rounding: 'rs', seed: 99 },
  { to: 'f16', rounding: 'rs', rbits: filled(new Uint32Array(count), (i) => Math.imul(i, 0x9e3779b1)) },
];

function nameOf({ to, packing, rounding, seed }: ConvertOptions): string {
  const draws = rounding === undefined ? '' : ` .${rounding} by ${seed === undefined ? 'rbits' : 'seed'}`;
  return `${to}${packing === undefined ? '' : ` ${packing}`}${draws}`;
}

describe.each(Object.entries(places))('%s', (_, place) => {
  test.each(conversions.map((options) => [nameOf(options), options] as const))('%s', async (_name, options) => {
    const wanted = bytesOf(convert(source, options));
    for (const workers of options === conversions[0] ? [0, 1, 2, undefined] : [0, 2]) {
      const [from, out] = place(wanted.length);
      const given = workers === undefined ? {} : { workers };
      expect(await convertAsync(from, { ...options, ...given, out })).toBe(out);
      expect(Buffer.from(out).equals(wanted)).toBe(true);
    }
  });
});

test.each([
  [2 ** 22, 0],
  [2 ** 23, 1],
])('of %i elements in a workspace, other threads are asked %i times', async (elements, times) => {
  const { host } = await import('#host');
  const start = vi.spyOn(host, 'start').mockResolvedValue({ running: Promise.resolve(false) });
  try {
    const workspace = new Workspace(5 * elements + 1000);
    await convertAsync(workspace.array('f32', elements), { to: 'e4m3', out: workspace.array('u8', elements) });
    expect(start).toHaveBeenCalledTimes(times);
  } finally {
    start.mockRestore();
  }
});

test('several conversions can run at the same time', async () => {
  const wanted = convert(source, { to: 'e5m2' });
  const all = await Promise.all([1, 2, 3].map(() => convertAsync(source, { to: 'e5m2', workers: 2 })));
  for (const one of all) expect(Buffer.from(one).equals(wanted)).toBe(true);
});

test('a signal stops a conversion before it begins or halfway through', async () => {
  const reason = new Error('enough');
  await expect(convertAsync(source, { to: 'e4m3', signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const stop = new AbortController();
  const ended = convertAsync(source, { to: 'e4m3', workers: 1, signal: stop.signal });
  stop.abort(reason);
  await expect(ended).rejects.toBe(reason);
  expect(await convertAsync(Float32Array.of(1), { to: 'e4m3', workers: 1 })).toEqual(Uint8Array.of(0x38));
});

test('a signal stops threads that share arrays', async () => {
  const workspace = new Workspace(2 ** 27);
  const [shared, out] = [workspace.array('f32', 2 ** 24), workspace.array('u8', 2 ** 24)];
  shared.fill(1);
  const reason = new Error('enough');
  const stopAfter = async (milliseconds: number): Promise<unknown> => {
    const stop = new AbortController();
    const ending = convertAsync(shared, { to: 'e4m3', workers: 1, out, signal: stop.signal }).catch(
      (why: unknown) => why,
    );
    if (milliseconds > 0) await sleep(milliseconds);
    stop.abort(reason);
    return ending;
  };
  expect(await stopAfter(0)).toBe(reason);
  expect(Buffer.compare(out, new Uint8Array(out.length))).toBe(0);
  for (const milliseconds of [1, 2, 4]) {
    const end = await stopAfter(milliseconds);
    // The conversion may finish before the signal stops it. `toContain` would print the whole array, which would take
    // seconds.
    expect(end === reason || end === out).toBe(true);
  }
  expect((await convertAsync(shared, { to: 'e4m3', workers: 1, out })) === out).toBe(true);
  expect(Buffer.compare(out, new Uint8Array(out.length).fill(0x38))).toBe(0);
});

test.each([-1, 65, 0.5])('%s is not a number of workers', async (workers) => {
  await expect(convertAsync(source, { to: 'e4m3', workers })).rejects.toMatchObject({ code: 'bad-workers' });
});

test('errors of `convert` reject the promise', async () => {
  const loosely: { convert(source: Float32Array, options: { readonly to: string }): Promise<unknown> } = {
    convert: convertAsync,
  };
  await expect(loosely.convert(source, { to: 'e4m4' })).rejects.toMatchObject({ name: 'PtxlabError' });
});

test('in place, no thread overwrites what another thread still has to read', async () => {
  const wanted = Buffer.from(convert(source, { to: 'f16' }).buffer);
  const shared = new Float32Array(new SharedArrayBuffer(source.byteLength));
  const out = new Uint8Array(shared.buffer, 0, source.byteLength / 2);
  // The test is repeated because a wrong result is rare: when worker threads still ran in-place conversions, only one
  // run in four failed.
  for (let i = 0; i < 12; i++) {
    shared.set(source);
    await convertAsync(shared, { to: 'f16', out, workers: 8 });
    expect(wanted.equals(out)).toBe(true);
  }
});
