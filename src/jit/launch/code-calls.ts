/**
 * Handles the calls that compiled code makes to the engine, and remembers the thread and the PTX line of the last call.
 */
import { elementAt } from '../../base/element-at.ts';
import type { Dim3 } from '../../machine/extents.ts';
import type { EngineCall } from '../engine-call.ts';
import type { EngineFunctions } from '../helpers.ts';
import { context } from '../layout.ts';
import { clocks } from '../specials.ts';
import type { Arena, BlockRoom } from './arena.ts';
import type { BlockLaunch } from './block-launch.ts';
import { copyBoxFor } from './box-copy.ts';
import { callBuiltin } from './builtin-call.ts';
import { type Areas, type BlockOfCluster, raised, resolveAccess } from './faults.ts';
import type { Fuel } from './fuel.ts';
import type { Ledger } from './ledger.ts';
import { callForTensor } from './tensor-call.ts';
import { TextureCalls } from './texture-calls.ts';
import { ThreadMemory } from './thread-memory.ts';

/** Number of calls from compiled code between two checks of the clock. */
const callsPerLook = 256;

interface CallParts {
  readonly launch: BlockLaunch;
  readonly ledger: Ledger;
  readonly arena: Arena;
  readonly fuel: Fuel;
  /**
   * Cancels the next cluster that has not started. Returns whether there was such a cluster, and the index of its first
   * block.
   */
  readonly cancelBlocks: () => readonly [0 | 1, ...Dim3];
}

/** A block of a cluster. */
interface Member {
  readonly room: BlockRoom;
  readonly hasEnded: boolean;
}

export class CodeCalls {
  private readonly parts: CallParts;
  private readonly textures: TextureCalls;
  private readonly memory: ThreadMemory;
  /** Number of calls from compiled code. */
  private calls = 0;
  /**
   * The memory of the block that is running or, if none is, of the block that ran last; null before the first block.
   */
  room: BlockRoom | null = null;
  /** The blocks of the current cluster, in the order of their ranks; may be empty if clusters have only one block. */
  cluster: readonly Member[] = [];
  /** The thread that made the last call, and the PTX line of that call. */
  thread: number | null = null;
  line: number | null = null;

  constructor(parts: CallParts) {
    const { launch, arena } = parts;
    this.parts = parts;
    this.textures = new TextureCalls(launch.memory);
    this.memory = new ThreadMemory(launch, arena, (rank) => this.blockInCluster(rank));
  }

  imports(): EngineFunctions {
    const { launch, arena, fuel: counter, cancelBlocks } = this.parts;
    const { memory } = launch;
    return {
      resolve: (call: number, address: bigint, thread: number, fuel: number): number => {
        const found = this.at(call, thread, fuel);
        if (found.kind !== 'access') throw new Error(`call ${call} is not an access`);
        const areas = this.areas(thread, this.memory.baseOf(this.running(), thread) + found.localBytes);
        return resolveAccess(found, BigInt.asUintN(64, address), memory, areas);
      },
      raise: (call: number, address: bigint, thread: number, fuel: number): void => {
        const found = this.at(call, thread, fuel);
        const depth = (): number => this.openCalls(this.running(), thread).length;
        throw raised(found, BigInt.asUintN(64, address), launch.compiled, depth);
      },
      clock: (kind: number, fuel: number): bigint =>
        BigInt(kind === clocks.executed ? counter.executedAt(fuel) : Math.round(performance.now() * 1e6)),
      builtin: (call: number, base: number, thread: number, fuel: number): void => {
        const found = this.at(call, thread, fuel);
        if (found.kind !== 'builtin') throw new Error(`call ${call} is not a call to a built-in function`);
        this.callBuiltin(found.fn, base, thread);
      },
      box: (call: number, thread: number, fuel: number, ...operands: readonly (number | bigint)[]): void =>
        copyBoxFor(this.at(call, thread, fuel), operands, memory, this.areas(thread, 0)),
      tensor: (call: number, thread: number, fuel: number, ...operands: readonly (number | bigint)[]): void =>
        callForTensor(this.at(call, thread, fuel), operands, memory, this.areas(thread, 0)),
      texture: (call: number, thread: number, fuel: number, texture: number, sampler: number): void =>
        this.textures.read(this.at(call, thread, fuel), texture, sampler, this.running().context),
      surface: (call: number, thread: number, fuel: number, surface: number): number =>
        this.textures.access(this.at(call, thread, fuel), surface, this.running().context),
      cancel: (call: number, thread: number, fuel: number): void => {
        this.at(call, thread, fuel);
        arena.contextOf(this.running()).set(cancelBlocks(), context.results / 4);
      },
      refuel: (call: number, thread: number, fuel: number): number => {
        this.at(call, thread, fuel);
        return counter.refill(arena.blockOf(this.running()));
      },
    };
  }

  /** The regions to which a thread's open calls return, beginning with the outermost call. */
  openCalls(room: BlockRoom, thread: number): readonly number[] {
    return this.memory.openCalls(room, thread);
  }

  private at(call: number, thread: number, fuel: number): EngineCall {
    const { launch, ledger } = this.parts;
    const found = elementAt(launch.compiled.engineCalls, call);
    this.thread = thread;
    this.line = found.line === 0 ? null : found.line;
    this.parts.fuel.left = fuel;
    // In addition to this check, every call to a built-in function checks the clock.
    if (++this.calls % callsPerLook === 0) ledger.look();
    return found;
  }

  private callBuiltin(index: number, base: number, thread: number): void {
    const { launch, ledger } = this.parts;
    const { compiled, memory, services } = launch;
    const called = compiled.functions[index];
    const areas = this.areas(thread, base + (called?.localBytes ?? 0));
    if (called?.builtin == null || services === null) throw new Error('built-in functions cannot be called here');
    callBuiltin(called.builtin, base, memory, areas, { ...services, look: () => ledger.look() });
  }

  private running(): BlockRoom {
    if (this.room === null) throw new Error('no block is running');
    return this.room;
  }

  private areas(thread: number, localEnd: number): Areas {
    return this.memory.areas(this.running(), thread, localEnd);
  }

  /** The block with the given rank in the current block's cluster. */
  private blockInCluster(rank: number): BlockOfCluster {
    // If each cluster has only one block, the blocks run inside compiled code, one after the other.
    if (this.cluster.length <= 1) return { ...this.running(), hasEnded: false };
    const { room, hasEnded } = elementAt(this.cluster, rank);
    return { shared: room.shared, tensor: room.tensor, hasEnded };
  }
}
