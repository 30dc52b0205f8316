/** Bulk conversion on worker threads: a version of `convert` for arrays that are too large for a single thread. */
import { elementAt } from '../base/element-at.ts';
import { PtxlabError } from '../base/error.ts';
import { requireOptions } from '../base/require.ts';
import { anything, type RulesFor, shown, signal as signalRule } from '../base/rules.ts';
import { ArrayConverter, clearSpare, type RandomSource } from '../jit/arrays/array-converter.ts';
import { chunkSize } from '../jit/arrays/array-plan.ts';
import { type ArrayPart, sliceCells } from '../jit/arrays/array-part.ts';
import { storedBits } from '../jit/arrays/array-storage.ts';
import { borrowThreads } from '../jit/launch/turns.ts';
import type { WorkerHost } from '../jit/launch/worker-host.ts';
import { type ConvertOptions, convertRules, type PreparedArrays, prepareArrays } from './convert.ts';
import { canCompile } from '../jit/simd/can-compile.ts';
import { converterOf } from './converters.ts';
import type { FormatName } from '../numerics/formats.ts';
import { type ArrayOf, type Bytes, overlap } from './storage.ts';
import { Workspace, workspaceOf } from './workspace.ts';

export interface ConvertAsyncOptions extends ConvertOptions {
  /**
   * Number of worker threads, at most 64; 0 uses only the calling thread. By default, conversions of 2^23 or more
   * elements in shared memory use one thread per processor, but at most 8; all other conversions use 0.
   */
  readonly workers?: number;
  /** Stops the conversion: the promise is rejected with the signal's reason, and the output is incomplete. */
  readonly signal?: AbortSignal;
}

/**
 * With fewer elements than this, the calling thread is as fast as two workers. This was measured on two cores, for a
 * conversion from f32 to e4m3 in a workspace. The best of several hundred runs took 1.46 ms with one thread and 1.49 ms
 * with two workers for 2^22 elements, 3.2 and 2.7 ms for 2^23 elements, and 46 and 38 ms for 2^26 elements. Both cores
 * were also busy with other programs during the measurement; on idle cores, workers are even faster.
 */
const threshold = 2 ** 23;

const mostWorkers = 64;
const usualWorkers = 8;

const rules: RulesFor<ConvertAsyncOptions> = { ...convertRules, workers: anything(), signal: signalRule };

/** Number of elements that a thread converts before it checks for an abort. */
const slice = 32 * chunkSize;

/**
 * Number of elements in a slice, if several threads share the work: each thread takes a new slice when it has finished
 * the previous one.
 */
const sharedSlice = 8 * chunkSize;

/**
 * Like `convert`, but converts one slice after another. In between, other tasks can run, and a signal can stop the
 * conversion. If the arrays are large and in shared memory, worker threads share the slices. If both arrays are in the
 * same `Workspace`, no data is copied; arrays in other SharedArrayBuffers are copied by the worker threads. Worker
 * threads convert arrays in an ordinary ArrayBuffer only if `workers` is given: the calling thread must copy such
 * arrays, which takes longer than most conversions. Results do not depend on the number of threads.
 *
 * @throws PtxlabError in the same cases as `convert`, and `bad-workers` if the number of workers is not valid
 */
export function convertAsync<T extends FormatName>(
  source: Bytes,
  options: ConvertAsyncOptions & { readonly to: T; readonly out?: never },
): Promise<ArrayOf<T>>;
export function convertAsync<Out extends Bytes>(
  source: Bytes,
  options: ConvertAsyncOptions & { readonly out: Out },
): Promise<Out>;
export function convertAsync(source: Bytes, options: ConvertAsyncOptions): Promise<Bytes>;
export async function convertAsync(source: Bytes, options: ConvertAsyncOptions): Promise<Bytes> {
  requireOptions(options, rules, 'convertAsync');
  const { workers, signal } = options;
  if (workers !== undefined && !(Number.isInteger(workers) && workers >= 0 && workers <= mostWorkers)) {
    throw new PtxlabError('bad-workers', `${shown(workers)} is not a number of workers from 0 to ${mostWorkers}`);
  }
  signal?.throwIfAborted();
  const prepared = prepareArrays(source, options);
  const spread = new Spread(prepared, signal ?? null);
  if (goesToThreads(prepared, workers)) {
    const { host } = await import('#host');
    await spread.runOn(host, workers ?? Math.min(host.processors, usualWorkers));
  } else await spread.runHere();
  clearSpare(prepared.into, prepared.plan.target, prepared.count);
  return prepared.result;
}

/**
 * Whether worker threads convert the arrays. By default, they convert only large arrays in shared memory, because the
 * calling thread would have to copy other arrays, which takes longer than most conversions.
 */
function goesToThreads({ bytes, into, count }: PreparedArrays, asked: number | undefined): boolean {
  // If the arrays overlap, a thread could overwrite elements that another thread has not read yet.
  if (overlap(bytes, into)) return false;
  if (asked === 0 || typeof SharedArrayBuffer !== 'function' || !canCompile()) return false;
  return asked !== undefined || (count >= threshold && isShared(bytes) && isShared(into));
}

/**
 * Converts the elements from `first` up to, but not including, `end`. Each element is converted by only one call. Calls
 * that run at the same time have different values of `lane` (1, 2, …).
 */
type Work = (lane: number, first: number, end: number) => Promise<void>;

/** Number of milliseconds after which the conversion yields to the event loop. */
const turn = 40;

/**
 * A conversion that processes one slice after another. If there are several threads, each of them takes the next slice
 * when it has finished the previous one.
 */
class Spread {
  private readonly arrays: PreparedArrays;
  private readonly signal: AbortSignal | null;

  constructor(arrays: PreparedArrays, signal: AbortSignal | null) {
    this.arrays = arrays;
    this.signal = signal;
  }

  async runHere(): Promise<void> {
    const { plan, source, result, count } = this.arrays;
    const converter = converterOf(plan, source, result);
    let rested = performance.now();
    await this.inSlices(1, count, async (_, first, end) => {
      const part = this.part(first, end);
      converter.run(part.source, part.target, part.count, part.random);
      if (performance.now() - rested < turn) return;
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
      rested = performance.now();
    });
  }

  async runOn(host: WorkerHost, threads: number): Promise<void> {
    const { running, release } = await borrowThreads(host, threads);
    try {
      await ((await running) ? this.onBorrowed(host, threads) : this.runHere());
    } finally {
      release();
    }
  }

  private async onBorrowed(host: WorkerHost, threads: number): Promise<void> {
    const { bytes, into, count } = this.arrays;
    const workspace = workspaceOf(bytes);
    if (!isShared(bytes) || !isShared(into)) await this.throughSlots(host, threads);
    else if (workspace !== null && workspace === workspaceOf(into)) await this.whereTheyLie(workspace, host, threads);
    else await this.onThreads(host, threads, count, () => null);
  }

  /**
   * Converts arrays in shared memory on several threads. If the caller supplies random words, each slice is sent with a
   * copy of the words that it needs.
   */
  private async onThreads(
    host: WorkerHost,
    threads: number,
    count: number,
    placeOf: (thread: number) => ArrayPart['place'],
  ): Promise<void> {
    if (this.arrays.random?.kind === 'words') {
      await this.inSlices(threads, count, (thread, first, end) =>
        host.convert({ ...this.part(first, end), place: placeOf(thread) }),
      );
      return;
    }
    this.signal?.throwIfAborted();
    const cells = new Int32Array(new SharedArrayBuffer(4 * Object.keys(sliceCells).length));
    const stop = (): void => {
      Atomics.store(cells, sliceCells.stop, 1);
    };
    this.signal?.addEventListener('abort', stop);
    const all = { ...this.part(0, count), shared: { slice: sharedSlice, cells } };
    try {
      await ended(Array.from({ length: threads }, (_, i) => host.convert({ ...all, place: placeOf(i + 1) })));
    } finally {
      this.signal?.removeEventListener('abort', stop);
    }
    this.signal?.throwIfAborted();
  }

  /**
   * Used if the source and the result are in the same workspace: the threads access the workspace directly, without
   * copies. The calling thread converts the elements that cannot be converted in place.
   */
  private async whereTheyLie({ memory, id }: Workspace, host: WorkerHost, threads: number): Promise<void> {
    const { plan, source, result, bytes, into, count, random } = this.arrays;
    const converter = converterOf(plan, source, result);
    if (!(converter instanceof ArrayConverter)) throw new Error('threads can only run compiled conversions');
    const inPlace = converter.inPlace(bytes, into, count);
    await this.onThreads(host, threads, inPlace, (thread) => ({ memory, id, thread }));
    converter.runStaged(bytes, into, { first: inPlace, end: count }, random);
  }

  /**
   * Copies the data to and from shared memory, which has two slots per thread: one slot is filled while the thread
   * converts the contents of the other.
   */
  private async throughSlots(host: WorkerHost, threads: number): Promise<void> {
    const { bytes, into, count } = this.arrays;
    const [from, to] = this.bytesPerElement;
    const slots = takeSlots(2 * threads, slice * from, slice * to);
    const { memory, id } = slots.workspace;
    try {
      await this.inSlices(slots.list.length, count, async (thread, first, end) => {
        const slot = elementAt(slots.list, thread - 1);
        const part = { ...this.part(first, end), ...slot };
        slot.source.set(bytes.subarray(first * from, Math.ceil(end * from)));
        const whole = Math.ceil(part.count / chunkSize) * chunkSize;
        // The slot is converted in place. The number of elements is therefore rounded up to a multiple of the chunk
        // size, and every slot has enough room for that number. If the caller supplies random words, in-place
        // conversion is not possible, because the words would have to be copied.
        const inPlace = part.random?.kind === 'words' ? {} : { count: whole, place: { memory, id, thread } };
        await host.convert({ ...part, ...inPlace });
        into.set(slot.target.subarray(0, Math.ceil(part.count * to)), first * to);
      });
    } finally {
      idleSlots.push(slots);
    }
  }

  private get bytesPerElement(): readonly [source: number, target: number] {
    const { plan } = this.arrays;
    return [storedBits(plan.source) / 8, storedBits(plan.target) / 8];
  }

  private part(first: number, end: number): ArrayPart {
    const { plan, bytes, into, random } = this.arrays;
    const [from, to] = this.bytesPerElement;
    return {
      plan,
      source: bytes.subarray(first * from, Math.ceil(end * from)),
      target: into.subarray(first * to, Math.ceil(end * to)),
      count: end - first,
      random: this.randomOf(random, first, end),
      place: null,
      shared: null,
    };
  }

  private randomOf(random: RandomSource | null, first: number, end: number): RandomSource | null {
    if (random?.kind !== 'words') return random === null ? null : { ...random, first: random.first + first };
    const perWord = this.arrays.plan.random?.low.length ?? 1;
    // `slice` copies these words. A view would not work, because the whole underlying buffer would be sent with it.
    return { kind: 'words', words: random.words.slice(first / perWord, Math.ceil(end / perWord)) };
  }

  private async inSlices(lanes: number, count: number, work: Work): Promise<void> {
    let next = 0;
    const lane = async (number: number): Promise<void> => {
      while (next < count) {
        this.signal?.throwIfAborted();
        const first = next;
        next = Math.min(next + slice, count);
        await work(number, first, next);
      }
    };
    await ended(Array.from({ length: lanes }, (_, i) => lane(i + 1)));
  }
}

/** Waits until all threads have finished, because the caller must not use the arrays until then. */
async function ended(lanes: readonly Promise<void>[]): Promise<void> {
  const settled = await Promise.allSettled(lanes);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
}

function isShared({ buffer }: Uint8Array): boolean {
  return !(buffer instanceof ArrayBuffer);
}

interface Slot {
  readonly source: Uint8Array;
  readonly target: Uint8Array;
}

interface Slots {
  readonly workspace: Workspace;
  readonly list: readonly Slot[];
}

/** Slots that are no longer used, kept for later conversions. */
const idleSlots: Slots[] = [];

function takeSlots(count: number, sourceBytes: number, targetBytes: number): Slots {
  const fits = ({ list: [slot], list }: Slots): boolean =>
    list.length === count && slot?.source.length === sourceBytes && slot.target.length === targetBytes;
  const idle = idleSlots.find(fits);
  if (idle !== undefined) {
    idleSlots.splice(idleSlots.indexOf(idle), 1);
    return idle;
  }
  // Slots of other sizes are dropped, because they would only occupy memory.
  idleSlots.length = 0;
  const workspace = new Workspace(count * (sourceBytes + targetBytes + 256));
  const list = Array.from({ length: count }, (): Slot => {
    const [source, target] = [workspace.array('u8', sourceBytes), workspace.array('u8', targetBytes)];
    return { source, target };
  });
  return { workspace, list };
}
