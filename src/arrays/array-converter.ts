/** Runs conversions over arrays of any length: chunk by chunk through the memory of a compiled kernel. */
import { type ArrayLayout, arrayKernel, arrayLayout, type ArrayPlan, chunkSize } from '../jit/array-kernel.ts';
import { seedKeys } from '../jit/array-random.ts';
import { groupSize, type Storage, storedBits } from '../jit/array-storage.ts';
import { instanceWithoutEngine } from '../jit/sweep-kernel.ts';

/** What `.rs` draws from: a seed's stream, or words of the caller's. */
export type RandomSource =
  | { readonly kind: 'seed'; readonly seed: bigint }
  | { readonly kind: 'words'; readonly words: Uint32Array };

type ConvertChunk = (groups: number, firstWord: number, firstKey: number, secondKey: number) => void;

const pageSize = 65_536;

/** One memory for all kernels: they run one after the other, and leave nothing in it. */
let staging: WebAssembly.Memory | null = null;

function stagingOf(bytes: number): WebAssembly.Memory {
  staging ??= new WebAssembly.Memory({ initial: 1 });
  const missing = Math.ceil((bytes - staging.buffer.byteLength) / pageSize);
  if (missing > 0) staging.grow(missing);
  return staging;
}

export class ArrayConverter {
  private readonly plan: ArrayPlan;
  private readonly layout: ArrayLayout;
  private readonly memory: WebAssembly.Memory;
  private readonly convertChunk: ConvertChunk;

  constructor(plan: ArrayPlan) {
    this.plan = plan;
    this.layout = arrayLayout(plan);
    this.memory = stagingOf(this.layout.bytes);
    this.convertChunk = instanceWithoutEngine(arrayKernel(plan), this.memory).exports['convert'] as ConvertChunk;
  }

  /**
   * Converts `count` elements. Where they share memory, source and target begin together and an element of the target takes
   * no more than one of the source.
   */
  run(source: Uint8Array, target: Uint8Array, count: number, random: RandomSource | null): void {
    const { plan, layout, convertChunk } = this;
    const [sourceBits, targetBits] = [storedBits(plan.source), storedBits(plan.target)];
    const staged = new Uint8Array(this.memory.buffer);
    const perWord = plan.random?.low.length ?? 1;
    for (let first = 0; first < count; first += chunkSize) {
      const elements = Math.min(chunkSize, count - first);
      const from = (first * sourceBits) / 8;
      staged.set(source.subarray(from, from + Math.ceil((elements * sourceBits) / 8)), layout.source);
      if (random?.kind === 'words') this.stageWords(random.words, first / perWord, Math.ceil(elements / perWord));
      const word = first / perWord;
      const [key, secondKey] = random?.kind === 'seed' ? seedKeys(random.seed, Math.floor(word / 2 ** 32)) : [0, 0];
      convertChunk(Math.ceil(elements / groupSize), word | 0, key, secondKey);
      const bytes = Math.ceil((elements * targetBits) / 8);
      target.set(staged.subarray(layout.target, layout.target + bytes), (first * targetBits) / 8);
    }
    clearSpare(target, plan.target, count);
  }

  private stageWords(words: Uint32Array, first: number, count: number): void {
    const bytes = new Uint8Array(words.buffer, words.byteOffset + 4 * first, 4 * count);
    new Uint8Array(this.memory.buffer).set(bytes, this.layout.words);
  }
}

/** Clears what the last byte has beside elements. */
function clearSpare(target: Uint8Array, { width, dense, highFirst }: Storage, count: number): void {
  const used = dense ? (count * width) % 8 : 0;
  if (used === 0) return;
  const last = Math.floor((count * width) / 8);
  target[last] = (target[last] as number) & (highFirst ? 0xff << (8 - used) : 0xff >> (8 - used));
}
