/**
 * A reference engine for tests that records everything that a step does: the names that it reads and writes, the memory
 * that it accesses, where its thread continues, and the group of threads that it joins. Tests compare this record with
 * the facts that are declared for the step's kind.
 */
import type { Bits } from '../../src/base/bits.ts';
import { elementAt } from '../../src/base/element-at.ts';
import { loadModule } from '../../src/check/check.ts';
import { patternBits } from '../../src/explain/operand-bits.ts';
import { placeholderThread, placeholderBlock } from '../../src/interp/block.ts';
import { completeGroup } from '../../src/interp/collective-steps.ts';
import type { LaunchContext } from '../../src/interp/launch-context.ts';
import { prepareKernel } from '../../src/interp/prepare-kernel.ts';
import type { Block, Cpu, Thread } from '../../src/interp/thread.ts';
import type { Variant } from '../../src/isa/form.ts';
import type { AccessSpace } from '../../src/isa/spaces.ts';
import { refsOf } from '../../src/isa/steps/effects.ts';
import type { GroupScope } from '../../src/isa/collective.ts';
import type { Flow, MemoryAccess } from '../../src/isa/steps/facts.ts';
import { clusterBarrier, clusterPhases, operandRef, type Ref, stackBase, stackTop } from '../../src/isa/steps/ref.ts';
import type { Step } from '../../src/isa/steps/step.ts';
import { texelTypes } from '../../src/isa/texture-fields.ts';
import { tensorAllocation, tensorMemoryBytes } from '../../src/isa/tensor-memory.ts';
import { Barriers } from '../../src/machine/barriers.ts';
import { Collectives } from '../../src/machine/collectives.ts';
import { MachineFault } from '../../src/machine/fault.ts';
import { Segment } from '../../src/machine/memory/segment.ts';
import { encodeTexture } from '../../src/machine/textures/description.ts';
import { Textures } from '../../src/machine/textures/textures.ts';
import { builtins } from '../../src/program/builtins.ts';
import { FunctionTable } from '../../src/program/function-table.ts';
import { type KernelProgram, linkKernel } from '../../src/program/link.ts';
import { shapeOf } from '../device/shape-of.ts';

/** Everything that was read, written or affected when a step was executed once. */
export interface Touched {
  readonly reads: ReadonlySet<Ref>;
  readonly writes: ReadonlySet<Ref>;
  readonly memory: ReadonlyMap<string, MemoryAccess>;
  readonly flow: Flow;
  readonly group: GroupScope | null;
  /** For each thread, the values that the names in `writes` have after the step, in the same order. */
  readonly results: readonly (readonly Bits[])[];
}

/**
 * A thread that executes the step. The threads run one after the other. `value` returns the value of a name before the
 * step is executed.
 */
export interface Player {
  readonly thread: number;
  readonly block: number;
  readonly value: (ref: Ref) => Bits;
}

const [branchTarget, switchTargets, returnPlace] = [41, [51, 52, 53], 61] as const;

const skeleton = kernelOf('.entry k() { ret; }');

function kernelOf(body: string): KernelProgram {
  const { module } = loadModule(`.version 9.1\n.target sm_100a\n.address_size 64\n${body}`, {});
  if (module === null) throw new Error('the skeleton does not load');
  return linkKernel(module, new FunctionTable(module), 'k', []);
}

/**
 * Executes a step once for each player. Depending on the state space, all players use the same memory, or each of them
 * uses its own. The result describes what the first player did.
 */
export function record(step: Step, players: readonly Player[]): Touched {
  const run = new Recording(step);
  return run.play(players);
}

class Recording {
  private readonly step: Step;
  private readonly places: ReadonlyMap<Ref, number>;
  private readonly reads = new Set<Ref>();
  private readonly writes = new Set<Ref>();
  private readonly memory = new Map<string, MemoryAccess>();
  /** The values of each player. The value of a name is stored at the position that `places` specifies. */
  private readonly frames: Bits[][] = [];
  private group: GroupScope | null = null;
  private builtinCalled = false;
  private readonly segments = new Map<string, Segment>();

  constructor(step: Step) {
    this.step = step;
    this.places = new Map([...new Set(refsOf(step))].map((ref, place) => [ref, place]));
  }

  play(players: readonly Player[]): Touched {
    const cpu: Cpu = {
      ...idle,
      neighbor: () => cpu.block,
      code: [],
      builtin: () => {
        this.builtinCalled = true;
      },
    };
    const [prepared] = prepareKernel(this.context(cpu)).code;
    if (prepared === undefined) throw new Error('nothing to run');
    const caller = { ...prepared, rest: { kind: 'call', go: () => undefined } } as const;
    cpu.code = Array.from({ length: returnPlace }, (_, i) => (i === returnPlace - 1 ? caller : prepared));
    const threads = players.map((player) => this.thread(player));
    const block = this.block(threads);
    let flow: Flow = 'next';
    players.forEach((player, i) => {
      const thread = threads[i];
      if (thread === undefined) throw new Error('a player without a thread');
      cpu.thread = thread;
      cpu.block = {
        ...block,
        shared: this.segment('shared', player.block),
        tensor: this.segment('tensor', player.block),
      };
      try {
        prepared.run(thread.frame);
      } catch (error) {
        if (!(error instanceof MachineFault) || !error.code.startsWith('PTX603')) throw error;
        flow = 'fault';
      }
      if (flow === 'next') flow = this.flowOf(thread);
    });
    const group = block.collectives.settle();
    if (group !== null) completeGroup(block, group, cpu);
    const { reads, writes, memory, frames } = this;
    const results = frames.map((frame) => [...writes].map((ref) => frame[this.placeOf(ref)] ?? 0));
    return { reads, writes, memory, flow, group: this.group, results };
  }

  private context(cpu: Cpu): LaunchContext {
    const { entry } = skeleton;
    const [pattern] = entry.instructions;
    const [builtin] = builtins;
    if (pattern === undefined || builtin === undefined) throw new Error('there is nothing to run');
    const call = {
      name: 'f',
      callee: { kind: 'direct', function: 1 },
      parameters: [],
      openBytes: 0,
      results: [],
    } as const;
    const instruction = {
      ...pattern,
      steps: [this.step],
      places: this.places,
      target: branchTarget,
      targets: this.step.kind === 'switch' ? switchTargets : [],
      call,
    };
    const program = { ...entry, instructions: [instruction], offsetOf: () => null };
    const kernel: KernelProgram = {
      ...skeleton,
      entry: program,
      stackBytes: 256,
      functions: [
        { kind: 'program', address: 16, program },
        { kind: 'builtin', address: 32, builtin, localBytes: 0 },
      ],
    };
    const global = this.segment('global', 0);
    const memories = {
      global,
      textures: new Textures(global),
      constants: this.segment('const', 0),
      parameters: this.segment('param', 0),
    };
    const shape = shapeOf(2, 64);
    return {
      kernel,
      memories,
      facts: { shape, sharedBytes: 0 },
      cpu,
      addressOf: () => null,
      tracing: null,
      tracksWrites: false,
      inLockstep: 'volatile',
      look: () => undefined,
    };
  }

  private thread({ thread, block, value }: Player): Thread {
    const frame = [...this.places.keys()].map(value);
    this.frames.push(frame);
    const names = [...this.places.keys()];
    const watched = new Proxy(frame, {
      get: (target, key, receiver): unknown => {
        const name = typeof key === 'string' ? names[Number(key)] : undefined;
        if (name !== undefined) this.reads.add(name);
        return Reflect.get(target, key, receiver);
      },
      set: (target, key, bits, receiver): boolean => {
        const name = typeof key === 'string' ? names[Number(key)] : undefined;
        if (name !== undefined) this.writes.add(name);
        return Reflect.set(target, key, bits, receiver);
      },
    });
    return {
      index: [thread, 0, 0],
      linear: thread,
      frame: watched,
      shadow: null,
      local: this.segment('local', block * 1024 + thread),
      base: 0,
      calls: [{ frame: watched, shadow: null, pc: returnPlace, base: 0 }],
      pc: 1,
      activity: 'running',
      awaited: 0,
      isReleased: false,
      before: null,
      saved: null,
    };
  }

  private block(threads: readonly Thread[]): Block {
    const count = 64;
    const barriers = new Barriers(threads.length);
    const collectives = new Collectives(count);
    const arriveAtBarrier = barriers.arrive.bind(barriers);
    barriers.arrive = (arrival) => {
      this.group = 'block';
      return arriveAtBarrier(arrival);
    };
    const arriveTogether = collectives.arrive.bind(collectives);
    collectives.arrive = (...arrival) => {
      this.group = 'warp';
      return arriveTogether(...arrival);
    };
    const byNumber: Thread[] = [];
    for (const thread of threads) byNumber[thread.linear] = thread;
    const index = [0, 0, 0] as const;
    const shared = this.segment('shared', 0);
    const turn = { nextThread: 0, tried: 0, looks: 0, idleTurns: 0, idleRounds: 0, stops: 0 };
    const tensor = this.segment('tensor', 0);
    return { index, number: 0, threads: byNumber, shared, tensor, barriers, collectives, hasEnded: false, ...turn };
  }

  /** Gives each thread its own local memory, and each block its own shared memory. */
  private segment(space: Exclude<AccessSpace, 'generic'>, owner: number): Segment {
    const key = `${space} ${owner}`;
    const known = this.segments.get(key);
    if (known !== undefined) return known;
    const pattern = Uint8Array.from({ length: 256 }, (_, i) => 17 * i + 29 * owner + space.length);
    const bytes = space === 'tensor' ? new Uint8Array(tensorMemoryBytes) : pattern;
    for (let at = 0; at < bytes.length; at += 256) bytes.set(pattern.subarray(0, bytes.length - at), at);
    if (space === 'global') bytes.set(textureFor(this.step), textureAddress);
    // Half of the columns of tensor memory are allocated.
    if (space === 'tensor') bytes.set([0xff, 0, 0, 0], tensorAllocation);
    const made = new Segment(space, bytes, { trackWrites: false, named: [] });
    const note = (access: 'read' | 'write', offset: number): void => {
      const at = `${space} ${offset & ~15}`;
      const before = this.memory.get(at);
      this.memory.set(at, before === undefined || before === access ? access : 'update');
    };
    /** The offsets of bytes that are about to be overwritten. */
    const marked = new Set<number>();
    const [load, store] = [made.load.bind(made), made.store.bind(made)];
    made.load = (offset, width) => {
      note('read', offset);
      return load(offset, width);
    };
    made.store = (offset, width, bits) => {
      note('write', offset);
      store(offset, width, bits);
    };
    const [bytesAt, mark] = [made.bytesAt.bind(made), made.mark.bind(made)];
    made.bytesAt = (offset, size) => {
      if (!marked.delete(offset)) note('read', offset);
      return bytesAt(offset, size);
    };
    made.mark = (offset, size) => {
      marked.add(offset);
      note('write', offset);
      mark(offset, size);
    };
    this.segments.set(key, made);
    return made;
  }

  private flowOf({ pc, activity, calls }: Thread): Flow {
    if (this.builtinCalled) return 'call';
    if (pc === branchTarget) return 'branch';
    if (switchTargets.some((target) => target === pc)) return 'switch';
    if (pc === returnPlace && calls.length === 0) return 'return';
    return activity === 'exited' ? 'exit' : 'next';
  }

  private placeOf(ref: Ref): number {
    return this.places.get(ref) ?? -1;
  }
}

/** The address of the description of the texture that a step accesses. The texels are at address 0. */
export const textureAddress = 64;

/** The bytes of the texture's description; none if the step does not access a texture. */
function textureFor(step: Step): Uint8Array {
  const isSurface = step.kind === 'surface-address' || step.kind === 'surface-store';
  if (step.kind !== 'texture-read' && !isSurface) return new Uint8Array(0);
  const { geometry } = step.kind === 'texture-read' ? step.read : step.place;
  const { dimensions, isCube } = geometry;
  return encodeTexture(step.kind === 'texture-read' ? 'texture' : 'surface', {
    ...geometry,
    address: 0n,
    texel: elementAt(texelTypes, 0),
    channels: 1,
    width: isCube ? 2 : 16,
    height: dimensions > 1 ? 2 : 1,
    depth: dimensions > 2 ? 2 : 1,
    layers: isCube ? 6 : 1,
    levels: 1,
    rowBytes: isCube ? 2 : 16,
    normalizesCoordinates: false,
    normalizesTexels: true,
    isLinear: true,
    mixesLevels: false,
    addressModes: ['wrap', 'wrap', 'wrap'],
    levelBias: 0,
    leastLevel: 0,
    greatestLevel: 0,
    border: [0, 0, 0, 0],
  });
}

/** The number of the block that is canceled next. */
let nextBlock = 0;

const idle: Omit<Cpu, 'code' | 'builtin'> = {
  thread: placeholderThread,
  block: placeholderBlock,
  looks: 0,
  executed: 0,
  races: null,
  timer: 0,
  blocksPerCluster: 2,
  neighbor: () => placeholderBlock,
  cancelBlocks: () => [nextBlock++, 0, 0],
  clusterBarrier: null,
};

/** The widths of the values that the steps of a variant can read, by their names. */
export function operandWidths(variant: Variant): ReadonlyMap<Ref, number> {
  const addresses = [stackBase, stackTop, clusterBarrier, clusterPhases].map((ref) => [ref, 64] as const);
  const operands = variant.form.operands
    .flatMap((pattern) => patternBits(variant, pattern))
    .map(({ name, type }) => [operandRef(name), type.width] as const);
  return new Map([...addresses, ...operands]);
}
