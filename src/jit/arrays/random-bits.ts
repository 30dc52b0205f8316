/** Supplies random bits to a function that has the parameters of `ConvertGroups` and loops over groups of elements. */
import { elementAt } from '../../base/element-at.ts';
import type { Code } from '../../wasm/code.ts';
import { unscaled } from '../arithmetic/convert.ts';
import { splat } from '../simd/vector-words.ts';
import { type ArrayPlan, parameters } from './array-plan.ts';
import { pushLaneBits, pushRandomWords } from './array-random.ts';
import { groupSize } from './array-storage.ts';

/** Number of random words that the conversion of a group uses. */
export function wordsOfGroup({ random }: ArrayPlan): number {
  return random === null ? 0 : groupSize / random.low.length;
}

/** The random words for the group being converted. Elements that share a word use different parts of it. */
export class RandomBits {
  readonly unscaled: number;
  private readonly code: Code;
  private readonly plan: ArrayPlan;
  private readonly vectors: readonly number[];
  private readonly lane: number;
  private readonly indices: number;
  private readonly keys: readonly [number, number];

  constructor(code: Code, plan: ArrayPlan) {
    this.code = code;
    this.plan = plan;
    this.unscaled = code.local('v128');
    this.lane = code.local('v128');
    this.indices = code.local('v128');
    this.keys = [code.local('v128'), code.local('v128')];
    const { random } = plan;
    this.vectors = Array.from({ length: wordsOfGroup(plan) / 4 }, () => code.local('v128'));
    splat(code, unscaled).set(this.unscaled);
    if (random?.from !== 'seed') return;
    code.get(parameters.firstWord).vector('i32x4.splat').words(0, 1, 2, 3).vector('i32x4.add').set(this.indices);
    this.keys.forEach((key, i) =>
      code
        .get(parameters.key + i)
        .vector('i32x4.splat')
        .set(key),
    );
  }

  /** Whether a conversion uses random bits. */
  get areDrawn(): boolean {
    return this.plan.random !== null;
  }

  /** Loads the words of the next group. */
  next(): void {
    const { code, plan, vectors, indices, keys } = this;
    const { words } = parameters;
    vectors.forEach((vector, i) => {
      if (plan.random?.from === 'words') {
        code
          .get(words)
          .vectorMemory('v128.load', 16 * i)
          .set(vector);
        return;
      }
      pushRandomWords(code, indices, keys);
      code.set(vector);
      code.get(indices);
      splat(code, 4).vector('i32x4.add').set(indices);
    });
    if (plan.random?.from !== 'words') return;
    code
      .get(words)
      .i32(16 * vectors.length)
      .op('i32.add')
      .set(words);
  }

  /**
   * Returns a local that holds the random bits of elements 4i to 4i + 3. If the conversion uses no random bits, the
   * contents of the local are arbitrary.
   */
  of(i: number): number {
    const { random } = this.plan;
    if (random === null) return this.lane;
    const vector = elementAt(this.vectors, Math.floor(i / random.low.length));
    pushLaneBits(this.code, random, vector, i);
    this.code.set(this.lane);
    return this.lane;
  }
}
