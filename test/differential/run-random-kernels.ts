/** Runs random kernels on both engines: every byte and the number of executed instructions must agree. */
import { describe, expect, it } from 'vitest';
import { Device, type LaunchOptions, type TraceEvent } from '../../src/device.ts';
import { FactCounter } from './exercised-facts.ts';
import { counterBytes, inputBytes, outputBytes } from './random-frames.ts';
import { type RandomKernel, randomKernel, textOf } from './random-kernels.ts';
import { RandomSource } from './random-source.ts';
import type { Statement } from './random-statements.ts';

/** The options that determine how the fast engine runs a kernel. */
export type Way = Pick<LaunchOptions, 'simd' | 'workers' | 'unchecked'>;

/**
 * The ways to run a kernel: one thread at a time or four, on the calling thread or on workers, and with or without
 * checks.
 */
export const everyWay: readonly Way[] = [
  { simd: false },
  { simd: true },
  { simd: true, workers: 1 },
  { simd: true, workers: 2 },
  { simd: false, workers: 2 },
  { simd: false, unchecked: true },
  { simd: true, unchecked: true },
];

type OnTrace = (event: TraceEvent) => void;

const ignore: OnTrace = () => undefined;

/**
 * Runs a kernel on the reference engine and in each of the given ways on the fast engine. Returns the outcome of each
 * run, which is either the contents of memory afterward or the fault that ended the run.
 */
async function outcomes(
  kernel: RandomKernel,
  ways: readonly Way[],
  onTrace: OnTrace,
): Promise<readonly [reference: string, ...found: string[]]> {
  const device = await Device.create({ memory: 2 ** 22 });
  const loaded = device.load(textOf(kernel)).kernel('k');
  const { grid, block, seed } = kernel;
  const threads = grid * block;
  const random = new RandomSource(seed);
  const input = device.alloc(Uint32Array.from({ length: (threads * inputBytes) / 4 }, () => randomWord(random)));
  const texels = device.alloc(Uint32Array.from({ length: 64 }, () => randomWord(random)));
  const texture = device.texture({
    texels,
    type: 'u8',
    channels: 4,
    size: [8, 8],
    filter: 'linear',
    normalizedTexels: true,
    addressMode: ['clamp', 'border'],
  });
  const surface = device.surface({ texels, type: 'u8', channels: 4, size: [8, 8] });
  const outcome = async (way: LaunchOptions): Promise<string> => {
    const written = [device.alloc(threads * outputBytes), device.alloc(counterBytes * (1 + grid))];
    const args = [input, ...written, texture, surface];
    const result = await loaded.launch({ grid, block, args, ...way, uninitialized: 'zero', budget: 2 ** 28 });
    if (!result.ok) return `${result.fault.code} at line ${result.fault.line}: ${result.fault.message}`;
    for (const { code, message } of result.races) return `${code}: ${message}`;
    const bytes = written.map((buffer) => Buffer.from(buffer.read()).toString('hex'));
    return [`${result.stats.instructions} instructions`, ...bytes].join('\n');
  };
  const found: string[] = [];
  for (const way of ways) found.push(await outcome({ engine: 'jit', ...way }));
  // The results of random kernels do not depend on the order in which threads run, so they contain no races.
  return [await outcome({ engine: 'interp', races: 'report', onTrace }), ...found];
}

/**
 * A random word: random bits, a small number, or two 16-bit halves that are corner cases of 16-bit formats or of the
 * upper half of f32.
 */
export function randomWord(random: RandomSource): number {
  const corners = [0, 0x8000, 0x7fff, 0x7f80, 0xff80, 0x7c00, 0xfc00, 0x3f80, 0x3c00, 0x7fc0, 0x0080, 0x0001, 0xffff];
  switch (random.below(4)) {
    case 0:
      return ((random.pick(corners) << 16) | random.pick(corners)) >>> 0;
    case 1:
      return random.below(64);
    case 2:
      return ((0x3f80 + random.below(0x100)) << 16) | (random.bits() & 0xffff);
    default:
      return random.bits();
  }
}

async function disagreement(
  kernel: RandomKernel,
  ways: readonly Way[],
  onTrace: OnTrace = ignore,
): Promise<string | null> {
  const [reference, ...found] = await outcomes(kernel, ways, onTrace);
  if (reference.startsWith('PTX')) return `the reference engine: ${reference}`;
  const i = found.findIndex((other) => other !== reference);
  return i < 0 ? null : `${JSON.stringify(ways[i])}: ${where(reference, found[i] as string)}`;
}

function where(reference: string, found: string): string {
  const [expected, given] = [reference.split('\n'), found.split('\n')];
  if (expected[0] !== given[0]) return `${given[0]}, not ${expected[0]}`;
  const line = expected[1] === given[1] ? 2 : 1;
  const [wanted = '', got = ''] = [expected[line], given[line]];
  let at = 0;
  while (wanted[at] === got[at]) at++;
  at -= at % 8;
  const bytes = at / 2;
  const place =
    line === 2 ? `counter byte ${bytes}` : `thread ${Math.floor(bytes / outputBytes)} byte ${bytes % outputBytes}`;
  return `${place}: ${got.slice(at, at + 8)}, not ${wanted.slice(at, at + 8)}`;
}

/** Removes as many statements from a kernel as possible, as long as the engines still disagree about its results. */
async function shrink(kernel: RandomKernel, ways: readonly Way[]): Promise<RandomKernel> {
  let smallest = kernel;
  for (let changed = true; changed; ) {
    changed = false;
    for (const module of smaller(smallest.module)) {
      const candidate = { ...smallest, module };
      if ((await disagreement(candidate, ways).catch(() => null)) === null) continue;
      smallest = candidate;
      changed = true;
      break;
    }
  }
  return smallest;
}

/**
 * Yields all bodies that result from removing one statement from the given body; large statements are removed first.
 */
function* smaller(body: readonly Statement[]): Generator<readonly Statement[]> {
  for (let i = 0; i < body.length; i++) {
    if (body[i]?.fixed !== true) yield body.toSpliced(i, 1);
  }
  for (const [i, statement] of body.entries()) {
    for (const inner of smaller(statement.body)) yield body.with(i, { ...statement, body: inner });
  }
}

/**
 * Declares tests for `count` seeds. Each test runs the kernels that are generated from `each` consecutive seeds. `ways`
 * lists the ways in which the fast engine runs each kernel. A failure message contains the seed and the reduced kernel.
 */
export function compareRandomKernels(first: number, count: number, each: number, ways: readonly Way[]): void {
  describe('random kernels on both engines', () => {
    const facts = new FactCounter();

    for (let start = first; start < first + count; start += each) {
      it(`seeds ${start} to ${start + each - 1}`, async () => {
        for (let seed = start; seed < start + each; seed++) {
          const kernel = randomKernel(seed);
          const found = await disagreement(kernel, ways, (event) => facts.add(event));
          if (found === null) continue;
          const least = await shrink(kernel, ways);
          expect.fail(`seed ${seed}: ${found}\nshrunk: ${await disagreement(least, ways)}\n${textOf(least)}`);
        }
      });
    }

    it('together exercise every fact of a step', () => {
      expect(facts.missing(), `counted: ${JSON.stringify([...facts.counts])}`).toEqual([]);
    });
  });
}
