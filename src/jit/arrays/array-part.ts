/** A part of a conversion that runs in a worker: plain data, and the function that does it. */
import { ArrayConverter, type RandomSource } from './array-converter.ts';
import { type ArrayPlan, planKey, staging } from './array-kernel.ts';

/** So many elements of two arrays in shared memory. */
export interface ArrayPart {
  readonly plan: ArrayPlan;
  readonly source: Uint8Array;
  readonly target: Uint8Array;
  readonly count: number;
  readonly random: RandomSource | null;
  /** Where whole chunks are converted in place; null where what they are in is copied. */
  readonly place: Place | null;
}

/** The memory that both arrays lie in, by a number that is its own, and that of the thread among those that work there. */
export interface Place {
  readonly memory: WebAssembly.Memory;
  readonly id: number;
  readonly thread: number;
}

const pageSize = 65_536;

interface Converters {
  readonly memory: WebAssembly.Memory;
  readonly made: Map<string, ArrayConverter>;
}

/** By memory; its number is the key, as what is sent to a thread is another object each time. */
const known = new Map<number, Converters>();

/** Memories that a thread remembers; it keeps them alive. */
const mostMemories = 4;

/** For what is copied. */
const own = 0;

export function runArrayPart({ plan, source, target, count, random, place }: ArrayPart): void {
  const { memory, made } = convertersIn(place);
  const key = `${place?.thread ?? 0} ${planKey(plan)}`;
  const converter = made.get(key) ?? new ArrayConverter(plan, memory, place?.thread);
  made.set(key, converter);
  const range = { first: 0, end: count };
  if (place === null) converter.runStaged(source, target, range, random);
  else converter.runInPlace(source, target, range, random);
}

function convertersIn(place: Place | null): Converters {
  const id = place?.id ?? own;
  const found = known.get(id);
  if (found !== undefined) return found;
  const memory = place?.memory ?? new WebAssembly.Memory({ initial: Math.ceil(staging.bytes / pageSize) });
  const fresh: Converters = { memory, made: new Map() };
  const [oldest] = known.keys();
  if (known.size >= mostMemories && oldest !== undefined) known.delete(oldest);
  known.set(id, fresh);
  return fresh;
}
