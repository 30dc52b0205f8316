/** Generates modules that convert the same words in two ways: four values at a time, and one value at a time. */
import { converter } from '../../src/jit/arithmetic/convert.ts';
import { Helpers } from '../../src/jit/helpers.ts';
import { instanceWithoutEngine } from '../../src/jit/arrays/sweep-runner.ts';
import { vectorConverter } from '../../src/jit/simd/vector-convert.ts';
import type { Conversion } from '../../src/numerics/conversion.ts';
import { evaluator } from '../../src/interp/evaluate.ts';
import { type Environment, namedEnvironment } from '../../src/isa/environment.ts';
import { expand } from '../../src/isa/expand.ts';
import type { Variant } from '../../src/isa/form.ts';
import { allForms } from '../../src/isa/table.ts';
import { formats } from '../../src/numerics/formats.ts';

const newer = namedEnvironment('sm_100', '9.1');
/** Conversions flush subnormals on targets before sm_20. */
const older = namedEnvironment('sm_13', '9.1');

/**
 * Every conversion that is a step of an instruction in the table and whose formats have at most 32 bits. The keys are
 * short names of the conversions.
 */
export function narrowConversions(): ReadonlyMap<string, Conversion> {
  const found = new Map<string, Conversion>();
  for (const variant of expand(allForms())) {
    // Most instructions do not convert anything on any target.
    if (narrowIn(variant, newer).length === 0) continue;
    for (const environment of [older, newer]) {
      if (evaluator(variant, environment) === null) continue;
      for (const c of narrowIn(variant, environment)) found.set(nameOf(c), c);
    }
  }
  return found;
}

function narrowIn(variant: Variant, environment: Environment): readonly Conversion[] {
  return variant.form
    .steps(variant, environment)
    .flatMap((step) => (step.kind === 'convert' && isNarrow(step.conversion) ? [step.conversion] : []));
}

const isNarrow = ({ from, to }: Conversion): boolean => formats[from].width <= 32 && formats[to].width <= 32;

export function nameOf(c: Conversion): string {
  const words = (['integral', 'flush', 'sat', 'satfinite', 'relu', 'positiveZero'] as const).filter((flag) => c[flag]);
  const scaled = c.scaled === null ? [] : [c.scaled];
  return [c.from, c.to, c.rounding ?? 'exact', ...words, ...scaled].join(' ');
}

/**
 * Maximum number of words in one comparison. The memory contains five columns of this length: the source, the random
 * bits, the scale, and the two results.
 */
export const capacity = 2 ** 16;
const column = capacity * 4;

export interface Comparison {
  readonly source: Uint32Array;
  readonly random: Uint32Array;
  readonly scale: Uint32Array;
  /**
   * Converts the first `count` words (a multiple of four) in both ways, and describes the first difference between the
   * results; null if there is none.
   */
  readonly run: (count: number) => string | null;
}

/** Returns the comparison for a conversion; null if the conversion has no vector form. */
export function comparison(c: Conversion): Comparison | null {
  const helpers = new Helpers();
  const four = vectorConverter(helpers, c);
  if (four === null) return null;
  const memory = new WebAssembly.Memory({ initial: (5 * column) / 65536 });
  const run = compile(helpers, memory, converter(helpers, c), four);
  const [source, random, scale, one, many] = [0, 1, 2, 3, 4].map(
    (i) => new Uint32Array(memory.buffer, i * column, capacity),
  ) as [Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  const find = (count: number): string | null => {
    run(count);
    for (let i = 0; i < count; i++) {
      if (one[i] !== many[i]) {
        const hex = [source, random, scale, many, one].map((words) => (words[i] ?? 0).toString(16));
        return `${hex.slice(0, 3).join(' ')}: ${hex[3]}, not ${hex[4]}`;
      }
    }
    return null;
  };
  return { source, random, scale, run: find };
}

function compile(helpers: Helpers, memory: WebAssembly.Memory, one: number, four: number): (count: number) => void {
  const index = helpers.function('compare', { parameters: ['i32'], results: [] }, (code) => {
    const at = code.local('i32');
    const lane = code.local('i32');
    code.loop((loop) => {
      code.get(at);
      for (let i = 0; i < 3; i++) code.get(at).vectorMemory('v128.load', i * column);
      code.call(four).vectorMemory('v128.store', 4 * column);
      code.get(at).set(lane);
      code.loop((inner) => {
        code.get(lane);
        for (let i = 0; i < 3; i++) code.get(lane).memory('i32.load', i * column);
        code.call(one).memory('i32.store', 3 * column);
        code.get(lane).i32(4).op('i32.add').tee(lane);
        code.i32(15).op('i32.and').brIf(inner);
      });
      code.get(at).i32(16).op('i32.add').tee(at);
      code.get(0).i32(4).op('i32.mul', 'i32.lt_u').brIf(loop);
    });
  });
  helpers.builder.export('compare', index);
  const instance = instanceWithoutEngine(new WebAssembly.Module(helpers.builder.encode()), memory);
  return instance.exports['compare'] as (count: number) => void;
}

/**
 * Fills an array with words that depend only on the seed: half of the words are random bits; the others are words near
 * the ends of ranges, or f32 powers of two and their neighbors, with both signs.
 */
export function fillWords(words: Uint32Array, seed: number): void {
  let state = seed;
  for (let i = 0; i < words.length; i++) {
    state = (state + 0x9e3779b9) | 0;
    const word = mixed(state);
    const choice = mixed(state ^ 0x5bd1e995);
    words[i] = i % 4 === 3 ? ((i >> 2) << 23) + neighbor(choice) : i % 2 === 0 ? word : nearEdge(word, choice);
  }
}

function mixed(state: number): number {
  let word = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}

/** Clears some of the low bits of a word, and then adds -1, 0 or 1. */
function nearEdge(word: number, choice: number): number {
  return (word & (-1 << (choice & 31))) + neighbor(choice);
}

function neighbor(choice: number): number {
  return ((choice >>> 8) % 3) - 1;
}
