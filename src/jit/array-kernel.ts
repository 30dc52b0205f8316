/**
 * One conversion over an array as a WebAssembly module: sixteen elements at a time on vectors where the conversion has such
 * a form, else one after the other. Source and target are staged in the module's own memory.
 */
import { formats } from '../numerics/formats.ts';
import type { ConversionPlan } from '../numerics/replacement.ts';
import type { Code } from '../wasm/code.ts';
import type { FunctionType } from '../wasm/module.ts';
import { convertOneByOne, scratchBytes } from './array-one-by-one.ts';
import { pushLaneBits, pushRandomWords, type RandomLayout } from './array-random.ts';
import { type GroupLocals, groupBytes, groupSize, loadGroup, type Storage, storeGroup } from './array-storage.ts';
import { Helpers } from './helpers.ts';
import { replaceVector, stageConverter } from './replacement.ts';
import { holder } from './values.ts';
import { vectorConversion } from './vector-convert.ts';
import { splat } from './vector-words.ts';

export interface ArrayPlan {
  /** One after the other; random bits are the last one's. */
  readonly stages: ConversionPlan;
  readonly source: Storage;
  readonly target: Storage;
  readonly random: (RandomLayout & { readonly from: 'seed' | 'words' }) | null;
}

/** Elements that are staged at once; what they take stays in a processor's own cache. */
export const chunkSize = 16_384;

/** Where in memory a chunk lies: source, random words, and target, each followed by as much as a group may write too much. */
export interface ArrayLayout {
  readonly source: number;
  readonly words: number;
  readonly target: number;
  readonly bytes: number;
}

export function arrayLayout({ source, target, random }: ArrayPlan): ArrayLayout {
  const groups = chunkSize / groupSize;
  const words = scratchBytes + groups * groupBytes(source) + 64;
  const to = words + (random === null ? 0 : (chunkSize / random.low.length) * 4) + 64;
  return { source: scratchBytes, words, target: to, bytes: to + groups * groupBytes(target) + 64 };
}

/** A module that exports `convert` (how many groups, index of the first random word, two keys of the seed). */
export function arrayKernel(plan: ArrayPlan): Uint8Array<ArrayBuffer> {
  const helpers = new Helpers();
  const type = { parameters: ['i32', 'i32', 'i32', 'i32'], results: [] } as const;
  const index = helpers.function('convert', type, (code) => writeLoop(code, plan, helpers));
  helpers.builder.export('convert', index);
  return helpers.builder.encode();
}

function writeLoop(code: Code, plan: ArrayPlan, helpers: Helpers): void {
  const layout = arrayLayout(plan);
  const [source, target] = [code.local('i32'), code.local('i32')];
  const random = new RandomBits(code, plan, layout);
  const onVectors = plan.stages.every(({ conversion }) => vectorConversion(conversion) !== null);
  const from = { local: source, offset: layout.source, storage: plan.source };
  const to = { local: target, offset: layout.target, storage: plan.target };
  code.loop((again) => {
    random.next();
    if (onVectors) {
      const words = loadGroup(code, plan.source, source, layout.source);
      const results = words.map((local, i) => convertWords(code, plan, random, local, i));
      storeGroup(code, plan.target, target, layout.target, results as unknown as GroupLocals);
    } else convertOneByOne(code, wholeConverter(helpers, plan.stages), from, to);
    code.get(source).i32(groupBytes(plan.source)).op('i32.add').set(source);
    code.get(target).i32(groupBytes(plan.target)).op('i32.add').set(target);
    code.get(0).i32(1).op('i32.sub').tee(0).brIf(again);
  });
}

/** A local with the results of the words in `source`, elements 4i to 4i + 3 of a group. */
function convertWords(code: Code, plan: ArrayPlan, random: RandomBits, source: number, i: number): number {
  return plan.stages.reduce((words: number, stage) => {
    const results = code.local('v128');
    vectorConversion(stage.conversion)?.(code, { source: words, random: random.of(i), scale: random.unscaled });
    code.set(results);
    replaceVector(code, stage, words, results);
    return results;
  }, source);
}

/** Index of the function (source, random, scale) that does all stages. */
function wholeConverter(helpers: Helpers, stages: ConversionPlan): number {
  const [first, last = first] = stages;
  const indices = stages.map((stage) => stageConverter(helpers, stage));
  if (indices.length === 1) return indices[0] as number;
  const type: FunctionType = {
    parameters: [holder(formats[first.conversion.from].width), 'i32', 'i32'],
    results: [holder(formats[last.conversion.to].width)],
  };
  return helpers.function('all stages', type, (code) => {
    code.get(0);
    for (const index of indices) code.get(1).get(2).call(index);
  });
}

/** A factor of one. */
const unscaled = 0x7f;

/** The random words of the group that is being converted, and the lanes' share of them. */
class RandomBits {
  readonly unscaled: number;
  private readonly code: Code;
  private readonly plan: ArrayPlan;
  private readonly layout: ArrayLayout;
  private readonly vectors: readonly number[];
  private readonly lane: number;
  private readonly address: number;
  private readonly indices: number;
  private readonly keys: readonly [number, number];

  constructor(code: Code, plan: ArrayPlan, layout: ArrayLayout) {
    this.code = code;
    this.plan = plan;
    this.layout = layout;
    this.unscaled = code.local('v128');
    this.lane = code.local('v128');
    this.address = code.local('i32');
    this.indices = code.local('v128');
    this.keys = [code.local('v128'), code.local('v128')];
    const { random } = plan;
    const words = random === null ? 0 : groupSize / random.low.length;
    this.vectors = Array.from({ length: words / 4 }, () => code.local('v128'));
    splat(code, unscaled).set(this.unscaled);
    if (random?.from !== 'seed') return;
    code.get(1).vector('i32x4.splat').words(0, 1, 2, 3).vector('i32x4.add').set(this.indices);
    this.keys.forEach((key, i) =>
      code
        .get(2 + i)
        .vector('i32x4.splat')
        .set(key),
    );
  }

  /** Takes the words of the next group. */
  next(): void {
    const { code, plan, layout, vectors, address, indices, keys } = this;
    vectors.forEach((vector, i) => {
      if (plan.random?.from === 'words') {
        code
          .get(address)
          .vectorMemory('v128.load', layout.words + 16 * i)
          .set(vector);
        return;
      }
      pushRandomWords(code, indices, keys);
      code.set(vector);
      code.get(indices);
      splat(code, 4).vector('i32x4.add').set(indices);
    });
    code
      .get(address)
      .i32(16 * vectors.length)
      .op('i32.add')
      .set(address);
  }

  /** A local with the random bits of elements 4i to 4i + 3; any, where there are none. */
  of(i: number): number {
    const { random } = this.plan;
    if (random === null) return this.lane;
    const vector = this.vectors[Math.floor(i / random.low.length)] as number;
    pushLaneBits(this.code, random, vector, i);
    this.code.set(this.lane);
    return this.lane;
  }
}
