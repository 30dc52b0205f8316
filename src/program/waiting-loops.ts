/**
 * Finds loops in which a thread may be waiting for another thread: loops that yield to other threads, or read memory to
 * which other threads may write. Such a loop must let other threads run from time to time.
 */
import { append } from '../base/append.ts';
import { elementAt } from '../base/element-at.ts';
import { flowOf, isGroupStep, looksAtOthers, memoryUses } from '../isa/steps/effects.ts';
import type { AccessSpace } from '../isa/spaces.ts';
import type { Step } from '../isa/steps/step.ts';
import { type BasicBlock, followersOf, predecessorsOf } from './flow.ts';
import type { FunctionProgram, ProgramInstruction } from './function-program.ts';
import type { KernelProgram } from './link.ts';
import { usesOf } from './uses.ts';

/**
 * In an `idle` loop, each iteration does nothing but reread values that other threads may write, sleep, or test an
 * mbarrier object. A thread that keeps repeating the loop is therefore waiting. In a `busy` loop, a thread may be
 * waiting, but may also be doing work. A `spin` loop is an idle loop that changes nothing and reads only memory of its
 * own cluster, so it never ends unless another thread of the cluster does something.
 */
export type Waiting = 'spin' | 'idle' | 'busy';

/** Number of iterations after which a thread in an idle loop lets other threads run. */
export const idleRounds = 8;

/**
 * Number of stops (barriers and collectives) after which a block that may be waiting for other blocks lets them run.
 */
export const stopsPerTurn = 1024;

/** Whether a kernel, or a function that it may call, reads memory to which other blocks may write at any time. */
export function looksAtBlocks({ functions }: KernelProgram): boolean {
  const isOutside = (step: Step): boolean =>
    memoryUses(step).some(({ space }) => space !== 'shared' && space !== 'local');
  return functions.some(
    (fn) =>
      fn.kind === 'program' &&
      fn.program.instructions.some(({ steps }) => steps.some((step) => looksAtOthers(step) && isOutside(step))),
  );
}

/** Maps the first block of each waiting loop to the loop. */
export function waitingLoops(
  program: FunctionProgram,
  blocks: readonly BasicBlock[],
): ReadonlyMap<number, WaitingLoop> {
  return new Map([...eachWaitingLoop(program, blocks)].map((loop) => [loop.start, loop]));
}

/** Returns the blocks of all idle loops. */
export function idleBlocks(program: FunctionProgram, blocks: readonly BasicBlock[]): ReadonlySet<number> {
  const loops = [...eachWaitingLoop(program, blocks)];
  return new Set(loops.flatMap(({ waiting, body }) => (waiting === 'busy' ? [] : body)));
}

/**
 * A waiting loop. `start` is its first block, and `body` lists its blocks; an inner loop is represented by its first
 * block.
 */
export interface WaitingLoop {
  readonly start: number;
  readonly waiting: Waiting;
  readonly body: readonly number[];
}

function* eachWaitingLoop(program: FunctionProgram, blocks: readonly BasicBlock[]): Generator<WaitingLoop> {
  const looks = looksOf(program, blocks);
  if (!looks.includes(true)) return;
  const walk = walkOf(blocks);
  const before = predecessorsOf(blocks);
  const heads = new Heads(blocks.length);
  // Inner loops are examined first. In the loops that contain them, they are then treated as single blocks.
  for (const start of walk.order.toReversed()) {
    const sources = walk.backTo.get(start);
    if (sources === undefined) continue;
    const body = bodyOf(start, sources, (block) => (walk.isBelow(block, start) ? heads.of(block) : null), before);
    if (body.some((block) => looks[block])) {
      looks[start] = true;
      const own = body.filter((block) => block === start || !walk.backTo.has(block));
      yield { start, waiting: kindOf(program, blocks, { body, own }, before), body };
    }
    for (const block of body) heads.join(block, start);
  }
}

/** Returns, for each block, whether it may read values that other threads write. */
function looksOf(program: FunctionProgram, blocks: readonly BasicBlock[]): boolean[] {
  const { instructions, registers } = program;
  if (!instructions.some(({ steps }) => steps.some(looksAtOthers))) return blocks.map(() => false);
  const read = new Set(instructions.flatMap((instruction) => usesOf(instruction).reads));
  const readRegisters = new Set(registers.map(({ place }) => place).filter((place) => read.has(place)));
  return blocks.map(({ start, end }) =>
    instructions.slice(start, end).some((instruction) => sees(instruction, readRegisters)),
  );
}

/**
 * True if an instruction may load a value that is written by other threads, and if the register that receives the value
 * is read later. Atomic updates whose old value is not used are excluded, because the thread learns nothing from them
 * about what other threads have done.
 */
function sees(instruction: ProgramInstruction, readRegisters: ReadonlySet<number>): boolean {
  const looking = instruction.steps.filter(looksAtOthers);
  if (looking.length === 0) return false;
  const onlyUpdates = looking.every((step) => memoryUses(step).some(({ access }) => access === 'update'));
  return !onlyUpdates || usesOf(instruction).writes.some((place) => readRegisters.has(place));
}

/** A depth-first walk through the blocks. */
interface Walk {
  /** Blocks in the order in which they are reached. */
  readonly order: readonly number[];
  /**
   * Maps the first block of each loop to the blocks that have a back edge to it. The walk finds these edges before it
   * has finished with the first block.
   */
  readonly backTo: ReadonlyMap<number, readonly number[]>;
  /** Whether `block` is `top` itself, or was reached from `top` during the walk. */
  readonly isBelow: (block: number, top: number) => boolean;
}

/** Walks in a loop instead of recursively, because kernels can be long. */
function walkOf(blocks: readonly BasicBlock[]): Walk {
  const order: number[] = [];
  const backTo = new Map<number, number[]>();
  const first = new Int32Array(blocks.length).fill(-1);
  const last = new Int32Array(blocks.length).fill(-1);
  const stack: { readonly block: number; readonly rest: number[] }[] = [];
  const enter = (block: number): void => {
    first[block] = order.length;
    order.push(block);
    stack.push({ block, rest: [...followersOf(elementAt(blocks, block))] });
  };
  enter(0);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.rest.pop();
    if (next === undefined) {
      last[top.block] = order.length - 1;
      stack.pop();
    } else if (first[next] === -1) enter(next);
    else if (last[next] === -1) {
      append(backTo, next, top.block);
    }
  }
  const isBelow = (block: number, top: number): boolean => {
    const at = elementAt(first, block);
    return at >= elementAt(first, top) && at <= elementAt(last, top);
  };
  return { order, backTo, isBelow };
}

/** For each block, the first block of the outermost loop found so far that contains it. */
class Heads {
  private readonly above: Int32Array;

  constructor(blocks: number) {
    this.above = Int32Array.from({ length: blocks }, (_, i) => i);
  }

  of(block: number): number {
    let at = block;
    for (let up = elementAt(this.above, at); up !== at; up = elementAt(this.above, at)) {
      this.above[at] = elementAt(this.above, up);
      at = up;
    }
    return at;
  }

  join(block: number, start: number): void {
    this.above[block] = start;
  }
}

/**
 * Returns the body of a loop: the blocks from which control can reach one of `sources` without passing through `start`.
 * An inner loop is represented by its first block.
 */
function bodyOf(
  start: number,
  sources: readonly number[],
  headOf: (block: number) => number | null,
  before: readonly (readonly number[])[],
): readonly number[] {
  const body = new Set([start]);
  const open = [...sources];
  for (let block = open.pop(); block !== undefined; block = open.pop()) {
    const head = headOf(block);
    if (head === null || body.has(head)) continue;
    body.add(head);
    open.push(...(before[head] ?? []));
  }
  return [...body];
}

function polls(program: FunctionProgram, blocks: readonly BasicBlock[], body: readonly number[]): boolean {
  return body.some((block) =>
    instructionsOf(program, elementAt(blocks, block)).some(({ variant }) => variant.form.polls === true),
  );
}

/** The kind of a waiting loop. `own` lists the blocks of the loop, except those that represent inner loops. */
function kindOf(
  program: FunctionProgram,
  blocks: readonly BasicBlock[],
  { body, own }: { readonly body: readonly number[]; readonly own: readonly number[] },
  before: readonly (readonly number[])[],
): Waiting {
  const isSimple = own.length === body.length && idles(program, blocks, body, before);
  if (isSimple && spins(program, blocks, body)) return 'spin';
  return isSimple || polls(program, blocks, own) ? 'idle' : 'busy';
}

/** Spaces whose contents only threads of the cluster can change. */
const clusterSpaces: ReadonlySet<AccessSpace> = new Set(['shared', 'local', 'param', 'const']);

/** The special registers whose values change by themselves. */
const times: ReadonlySet<unknown> = new Set(['clock', 'clockHigh', 'timer', 'timerHigh']);

/** Whether an idle loop changes nothing and depends on nothing outside its cluster. */
function spins(program: FunctionProgram, blocks: readonly BasicBlock[], body: readonly number[]): boolean {
  const all = body.flatMap((block) => instructionsOf(program, elementAt(blocks, block)));
  return all.every(
    ({ steps, specials }) =>
      steps.every((step) =>
        memoryUses(step).every(({ access, space }) => access === 'read' && clusterSpaces.has(space)),
      ) && !specials.some(({ register }) => times.has(register.value)),
  );
}

/** Maximum number of instructions in a loop that is examined to find out whether it is idle. */
const shortLoop = 64;

/**
 * Whether a loop neither writes memory nor carries values in registers from one iteration to the next. The loop must
 * not contain another loop. `body` lists its blocks, starting with the first one.
 */
function idles(
  program: FunctionProgram,
  blocks: readonly BasicBlock[],
  body: readonly number[],
  before: readonly (readonly number[])[],
): boolean {
  const code = new Map(body.map((block) => [block, instructionsOf(program, elementAt(blocks, block))] as const));
  const all = [...code.values()].flat();
  if (all.length > shortLoop || !all.every(({ steps }) => steps.every((step) => !actsBeyond(step)))) return false;
  // A loop with one atomic update may be trying to take a lock, which changes memory only in the last iteration. A loop
  // with several updates may be doing work.
  const uses = all.flatMap(({ steps }) => steps.flatMap(memoryUses));
  if (uses.filter(({ access }) => access === 'update').length > 1) return false;
  // Only registers are considered, because the values in all other slots are used only within a single instruction.
  const isRegister = new Set(program.registers.map(({ place }) => place));
  const written = new Set(all.flatMap((instruction) => usesOf(instruction).writes).filter((at) => isRegister.has(at)));
  return !readsEarlierRound(code, before, written);
}

function instructionsOf(program: FunctionProgram, { start, end }: BasicBlock): readonly ProgramInstruction[] {
  return program.instructions.slice(start, end);
}

function actsBeyond(step: ProgramInstruction['steps'][number]): boolean {
  const flow = flowOf(step);
  return isGroupStep(step) || flow === 'call' || memoryUses(step).some(({ access }) => access === 'write');
}

/**
 * Whether, in any iteration, a loop may read one of these registers before writing it, and thus read a value from an
 * earlier iteration.
 */
function readsEarlierRound(
  code: ReadonlyMap<number, readonly ProgramInstruction[]>,
  before: readonly (readonly number[])[],
  registers: ReadonlySet<number>,
): boolean {
  const [start] = code.keys();
  const after = new Map<number, ReadonlySet<number>>();
  let found = false;
  const writtenAfter = (block: number): ReadonlySet<number> => {
    const known = after.get(block);
    if (known !== undefined) return known;
    const sources = block === start ? [] : elementAt(before, block).filter((source) => code.has(source));
    const [first = new Set<number>(), ...others] = sources.map(writtenAfter);
    const written = new Set([...first].filter((place) => others.every((other) => other.has(place))));
    for (const instruction of code.get(block) ?? []) {
      const { reads, writes } = usesOf(instruction);
      found ||= reads.some((place) => registers.has(place) && !written.has(place));
      if (instruction.guard === null) for (const place of writes) written.add(place);
    }
    after.set(block, written);
    return written;
  };
  for (const block of code.keys()) writtenAfter(block);
  return found;
}
