/** Starts a block, saves its state, and restores a block from a saved state. */
import { Barriers } from '../machine/barriers.ts';
import { tensorAllocation, tensorMemoryBytes } from '../isa/tensor-memory.ts';
import { Collectives } from '../machine/collectives.ts';
import type { Undefined } from '../machine/memory/definedness.ts';
import { blockIndexOf, indexOf, threadsOf } from '../machine/extents.ts';
import type { LaunchShape } from '../machine/launch.ts';
import { namedRanges } from '../machine/memory/named-ranges.ts';
import { Segment } from '../machine/memory/segment.ts';
import type { BlockState, CallState, ThreadState } from '../machine/state.ts';
import type { KernelProgram } from '../program/link.ts';
import type { Shadow } from './shadow.ts';
import { mostAwaited, type Block, type Caller, type Thread } from './thread.ts';

/** Placeholders for the current thread and block of `Cpu` until the first block starts. */
export const placeholderThread: Thread = {
  index: [0, 0, 0],
  linear: 0,
  frame: [],
  shadow: null,
  local: null,
  base: 0,
  calls: [],
  pc: 0,
  activity: 'exited',
  awaited: 0,
  isReleased: false,
  before: null,
  saved: null,
};

export const placeholderBlock: Block = {
  index: [0, 0, 0],
  number: 0,
  threads: [],
  shared: new Segment('shared', new Uint8Array(0)),
  tensor: null,
  barriers: new Barriers(0),
  collectives: new Collectives(0),
  hasEnded: false,
  nextThread: 0,
  tried: 0,
  looks: 0,
  idleTurns: 0,
  idleRounds: 0,
  stops: 0,
};

/** Everything that is needed to create a block. */
export interface BlockPlan {
  readonly kernel: KernelProgram;
  readonly shape: LaunchShape;
  /** Shared memory of a block, including the dynamic part and the part reserved for the system. */
  readonly sharedBytes: number;
  /** Whether to track which bytes of shared and local memory have been written. */
  readonly trackWrites: boolean;
}

/** Initial size of a thread's local memory in bytes. */
const firstStack = 1 << 10;

export function beginBlock(number: number, plan: BlockPlan): Block {
  const { kernel, shape, sharedBytes, trackWrites } = plan;
  const count = threadsOf(shape);
  const named = namedRanges(kernel.entry.shared);
  const shared = new Segment('shared', new Uint8Array(sharedBytes), { trackWrites, named });
  shared.mark(0, kernel.entry.reservedBytes + kernel.entry.hiddenBytes);
  return {
    index: blockIndexOf(number, shape),
    number,
    threads: Array.from({ length: count }, (_, i) => beginThread(i, plan)),
    shared,
    tensor: kernel.entry.usesTensorMemory ? tensorMemory(trackWrites) : null,
    barriers: new Barriers(count),
    collectives: new Collectives(count),
    hasEnded: false,
    nextThread: 0,
    tried: 0,
    looks: 0,
    idleTurns: 0,
    idleRounds: 0,
    stops: 0,
  };
}

function tensorMemory(trackWrites: boolean): Segment {
  const tensor = new Segment('tensor', new Uint8Array(tensorMemoryBytes), { trackWrites });
  tensor.mark(tensorAllocation, tensorMemoryBytes - tensorAllocation);
  return tensor;
}

function beginThread(linear: number, plan: BlockPlan): Thread {
  const { kernel, shape } = plan;
  return {
    index: indexOf(linear, shape.block),
    linear,
    frame: kernel.entry.initialFrame.slice(),
    shadow: null,
    local: kernel.stackBytes === 0 ? null : localMemory(plan),
    base: 0,
    calls: [],
    pc: 0,
    activity: 'running',
    awaited: mostAwaited,
    isReleased: false,
    before: null,
    saved: null,
  };
}

function localMemory({ kernel, trackWrites }: BlockPlan): Segment {
  const { entry, stackBytes: size } = kernel;
  const named = namedRanges(entry.local);
  const local = new Segment('local', new Uint8Array(Math.min(size, firstStack)), { trackWrites, named, size });
  local.limitTo(entry.localBytes);
  return local;
}

/**
 * Returns the current state of the block. If a thread has not run since the previous call, both states contain the same
 * object for it.
 */
export function stateOfBlock(block: Block): BlockState {
  const { number, threads, shared, tensor, barriers, collectives, nextThread, tried, looks } = block;
  return {
    number,
    threads: threads.map((thread) => (thread.saved ??= stateOfThread(thread))),
    shared: shared.give(),
    tensor: tensor?.give() ?? null,
    barriers: barriers.give(),
    collectives: collectives.give(),
    turn: { thread: nextThread, tried, looks },
    idleTurns: block.idleTurns,
    idleRounds: block.idleRounds,
    stops: block.stops,
  };
}

function stateOfThread({
  frame,
  shadow,
  local,
  base,
  calls,
  pc,
  activity,
  awaited,
  isReleased,
  before,
}: Thread): ThreadState {
  return {
    frame: frame.slice(),
    shadow: copyOf(shadow),
    local: local === null ? null : local.give(),
    base,
    calls: calls.map(copyOfCall),
    pc,
    activity,
    awaited,
    isReleased,
    before,
  };
}

function copyOfCall(call: CallState): Caller {
  return { ...call, frame: call.frame.slice(), shadow: copyOf(call.shadow) };
}

function copyOf(shadow: ReadonlyMap<number, Undefined> | null): Shadow | null {
  return shadow === null ? null : new Map(shadow);
}

export function blockInState(state: BlockState, plan: BlockPlan): Block {
  const { number, threads, shared, tensor, barriers, collectives, turn, idleTurns, idleRounds, stops } = state;
  const block = beginBlock(number, plan);
  if (block.threads.length !== threads.length) throw new Error('the state belongs to a block of a different shape');
  block.shared.take(shared);
  if (tensor !== null) block.tensor?.take(tensor);
  block.barriers.take(barriers);
  block.collectives.take(collectives);
  block.nextThread = turn.thread;
  block.tried = turn.tried;
  block.looks = turn.looks;
  block.idleTurns = idleTurns;
  block.idleRounds = idleRounds;
  block.stops = stops;
  block.hasEnded = threads.every(({ activity }) => activity === 'exited');
  threads.forEach((saved, i) => {
    const thread = block.threads[i];
    if (thread !== undefined) putThread(thread, saved);
  });
  return block;
}

function putThread(thread: Thread, saved: ThreadState): void {
  const { frame, shadow, local, base, calls, pc, activity, awaited, isReleased, before } = saved;
  if (local !== null) thread.local?.take(local);
  thread.frame = frame.slice();
  thread.shadow = copyOf(shadow);
  thread.base = base;
  thread.calls = calls.map(copyOfCall);
  thread.pc = pc;
  thread.activity = activity;
  thread.awaited = awaited;
  thread.isReleased = isReleased;
  thread.before = before;
  thread.saved = saved;
}
