/**
 * Runs a compiled conversion over arrays of any length. Arrays in the memory of the compiled code are converted in
 * place; other arrays are copied to that memory and back, chunk by chunk.
 */
import { compileModule } from '../compile-module.ts';
import { BoundedCache } from '../../base/bounded-cache.ts';
import { byteAt } from '../../base/typed-reads.ts';
import { arrayKernel, type FetchBytes } from './array-kernel.ts';
import { type ArrayPlan, chunkSize, type ConvertGroups, planKey, staging } from './array-plan.ts';
import { scratchBytes } from './array-plan.ts';
import { seedKeys } from './array-random.ts';
import { groupSize, type Storage, storedBits } from './array-storage.ts';
import { instanceWithoutEngine } from './sweep-runner.ts';
import { exportedFunction } from '../exported-function.ts';

/**
 * Where the random bits of `.rs` come from: words that the caller supplies, or a stream that depends on a seed. `first`
 * is the position in the stream at which the random bits of the first element begin.
 */
export type RandomSource =
  | { readonly kind: 'seed'; readonly seed: bigint; readonly first: number }
  | { readonly kind: 'words'; readonly words: Uint32Array };

/** The elements from `first` up to but not including `end`, counted from the start of source and target. */
export interface Range {
  readonly first: number;
  readonly end: number;
}

export class ArrayConverter {
  private readonly plan: ArrayPlan;
  private readonly memory: WebAssembly.Memory;
  private readonly scratch: number;
  private readonly convertGroups: ConvertGroups;
  private readonly fetch: FetchBytes;

  /** @param thread the number of the calling thread; each thread that uses the memory has a different number */
  constructor(plan: ArrayPlan, memory: WebAssembly.Memory, thread = 0) {
    this.plan = plan;
    this.memory = memory;
    this.scratch = thread * scratchBytes;
    const shared = !(memory.buffer instanceof ArrayBuffer);
    const { exports } = instanceWithoutEngine(moduleOf(plan, shared), memory);
    this.convertGroups = exportedFunction(exports, 'convert');
    this.fetch = exportedFunction(exports, 'fetch');
  }

  /**
   * Converts `count` elements. If source and target share memory, they must begin at the same address, and an element
   * of the target must not be larger than one of the source.
   */
  run(source: Uint8Array, target: Uint8Array, count: number, random: RandomSource | null): void {
    const inPlace = this.inPlace(source, target, count);
    this.runInPlace(source, target, { first: 0, end: inPlace }, random);
    this.runStaged(source, target, { first: inPlace, end: count }, random);
    clearSpare(target, this.plan.target, count);
  }

  /**
   * Number of elements, counted from the start of the arrays, that can be converted in place. These elements form whole
   * chunks. The number is 0 if the arrays cannot be converted in place, or if random words have to be copied.
   */
  inPlace(source: Uint8Array, target: Uint8Array, count: number): number {
    const { buffer } = this.memory;
    const together = source.byteOffset === target.byteOffset;
    if (source.buffer !== buffer || target.buffer !== buffer || together || this.plan.random?.from === 'words')
      return 0;
    return Math.floor(count / chunkSize) * chunkSize;
  }

  /** Converts whole chunks. Both arrays must be in the memory of the compiled code. */
  runInPlace(source: Uint8Array, target: Uint8Array, { first, end }: Range, random: RandomSource | null): void {
    const [sourceBits, targetBits] = [storedBits(this.plan.source), storedBits(this.plan.target)];
    // V8 cannot switch to the optimized form of a function while the function is running, so each call converts only
    // one chunk.
    for (let at = first; at < end; at += chunkSize) {
      const from = source.byteOffset + (at * sourceBits) / 8;
      const to = target.byteOffset + (at * targetBits) / 8;
      // Prefetching does not help if the code writes more bytes than it reads, because then the writes are the
      // bottleneck.
      if (sourceBits > targetBits) this.fetch(from, (chunkSize * sourceBits) / 8, this.scratch);
      this.convertChunk(chunkSize, from, to, at, random);
    }
  }

  /**
   * Converts a range of elements; `first` must be the start of a chunk. Each chunk is copied to an area at the start of
   * the memory and converted there, and the results are copied to the target.
   */
  runStaged(source: Uint8Array, target: Uint8Array, { first, end }: Range, random: RandomSource | null): void {
    for (let at = first; at < end; at += chunkSize) {
      this.stageChunk(source, target, { first: at, end: Math.min(at + chunkSize, end) }, random);
    }
  }

  private stageChunk(source: Uint8Array, target: Uint8Array, { first, end }: Range, random: RandomSource | null): void {
    const { plan } = this;
    const [sourceBits, targetBits] = [storedBits(plan.source), storedBits(plan.target)];
    const staged = new Uint8Array(this.memory.buffer);
    const from = (first * sourceBits) / 8;
    staged.set(source.subarray(from, Math.ceil((end * sourceBits) / 8)), staging.source);
    if (random?.kind === 'words') {
      const perWord = plan.random?.low.length ?? 1;
      const { buffer, byteOffset } = random.words;
      const bytes = 4 * Math.ceil((end - first) / perWord);
      staged.set(new Uint8Array(buffer, byteOffset + (4 * first) / perWord, bytes), staging.words);
    }
    this.convertChunk(end - first, staging.source, staging.target, first, random);
    const bytes = Math.ceil(((end - first) * targetBits) / 8);
    target.set(staged.subarray(staging.target, staging.target + bytes), (first * targetBits) / 8);
  }

  private convertChunk(
    count: number,
    source: number,
    target: number,
    first: number,
    random: RandomSource | null,
  ): void {
    const index = random?.kind === 'seed' ? random.first + first : first;
    const word = index / (this.plan.random?.low.length ?? 1);
    const keys = random?.kind === 'seed' ? seedKeys(random.seed, Math.floor(word / 2 ** 32)) : noKeys;
    const groups = Math.ceil(count / groupSize);
    this.convertGroups(groups, source, target, staging.words, this.scratch, word | 0, ...keys);
  }
}

const noKeys = [0, 0] as const;

/**
 * Compiled modules, by plan. If a module is instantiated again with another memory, the new instance reuses the code
 * that V8 has already optimized.
 */
const modules = new BoundedCache<string, WebAssembly.Module>(256);

function moduleOf(plan: ArrayPlan, shared: boolean): WebAssembly.Module {
  return modules.of(`${shared} ${planKey(plan)}`, () => compileModule(arrayKernel(plan, shared)));
}

/** Clears the unused bits of the last byte. */
export function clearSpare(target: Uint8Array, { width, dense, highFirst }: Storage, count: number): void {
  const used = dense ? (count * width) % 8 : 0;
  if (used === 0) return;
  const last = Math.floor((count * width) / 8);
  target[last] = byteAt(target, last) & (highFirst ? 0xff << (8 - used) : 0xff >> (8 - used));
}
