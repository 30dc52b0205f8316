/** Prepares the instructions of all functions of a kernel, once per launch. */
import { elementAt, valueAt } from '../base/element-at.ts';
import { blocksOf, callsBuiltin } from '../program/flow.ts';
import { type FunctionProgram, isCounted, type ProgramInstruction } from '../program/function-program.ts';
import { builtinsOf } from '../program/link.ts';
import { lockstepPoints } from '../program/lockstep.ts';
import { waitingLoops } from '../program/waiting-loops.ts';
import { prepareReturn } from './call-steps.ts';
import type { FunctionContext, LaunchContext } from './launch-context.ts';
import { canWait, prepareInstruction } from './prepare.ts';
import type { Executable, Prepared } from './thread.ts';

/**
 * The code of all functions of a kernel, beginning with the code of the kernel itself. The code of each function ends
 * with a return.
 */
export interface PreparedKernel {
  readonly code: readonly Prepared[];
  /**
   * PTX source line of each entry in the code; null for the return at the end of a function, and for the code of
   * libraries.
   */
  readonly lines: readonly (number | null)[];
}

export function prepareKernel(launch: LaunchContext): PreparedKernel {
  const { functions } = launch.kernel;
  const lengths = functions.map((fn) => (fn.kind === 'program' ? fn.program.instructions.length + 1 : 0));
  let end = 0;
  const starts = lengths.map((length) => (end += length) - length);
  const code: Prepared[] = [];
  const lines: (number | null)[] = [];
  const builtins = builtinsOf(launch.kernel);
  const pointsOf = functions.map((fn) =>
    fn.kind === 'program' ? lockstepPoints(fn.program, builtins, launch.inLockstep) : new Map<number, number>(),
  );
  const catchesUp = pointsOf.some(({ size }) => size > 0);
  functions.forEach((fn, i) => {
    if (fn.kind !== 'program') return;
    const { program } = fn;
    const registers = new Set(program.registers.map(({ place }) => place));
    const { idleLoops, spins } = loopsOf(program);
    const context: FunctionContext = { ...launch, program, starts, start: elementAt(starts, i), registers, idleLoops };
    const points = elementAt(pointsOf, i);
    // The fast engine begins a region at the start of a called function and after a call, so threads wait for each
    // other there, too.
    const follows = (at: number): boolean => {
      const before = program.instructions[at - 1];
      return before === undefined ? i > 0 : before.call !== null && !callsBuiltin(before, builtins);
    };
    program.instructions.forEach((instruction, at) => {
      if (code.length % 64 === 0) launch.look();
      const place = context.start + (points.get(at) ?? at);
      const facts = {
        catchesUp: points.has(at) || (catchesUp && follows(at)),
        place,
        spin: spins.has(at) ? context.start + valueAt(spins, at) : null,
      };
      code.push(preparedWhenRun(instruction, facts, () => prepareInstruction(instruction, context)));
      lines.push(instruction.line === 0 ? null : instruction.line);
    });
    const run = prepareReturn(program, launch.cpu);
    const facts = { catchesUp: false, place: code.length, spin: null };
    code.push({ run, careful: run, rest: null, guard: -1, guardValue: 0, counted: false, ...facts });
    lines.push(null);
  });
  return { code, lines };
}

/**
 * Prepares an instruction when it first runs, because most instructions of long kernels never run. An instruction at
 * which threads wait is prepared up front, because a thread may already be waiting at it when a launch continues.
 */
function preparedWhenRun(
  instruction: ProgramInstruction,
  facts: Pick<Prepared, 'catchesUp' | 'place' | 'spin'>,
  prepare: () => Executable,
): Prepared {
  const { guard } = instruction;
  const now = canWait(instruction) ? prepare() : null;
  let later: Executable | null = null;
  const prepared: { -readonly [Field in keyof Prepared]: Prepared[Field] } = {
    run:
      now?.run ??
      ((frame) => {
        prepared.run = (later ??= prepare()).run;
        prepared.run(frame);
      }),
    careful:
      now?.careful ??
      ((frame, thread) => {
        prepared.careful = (later ??= prepare()).careful;
        prepared.careful(frame, thread);
      }),
    rest: now?.rest ?? null,
    guard: guard?.register ?? -1,
    guardValue: guard?.negated === true ? 0 : 1,
    counted: isCounted(instruction),
    ...facts,
  };
  return prepared;
}

interface Loops {
  /** The first instruction of each loop in which a thread only waits. */
  readonly idleLoops: ReadonlySet<number>;
  /**
   * Maps each instruction of a loop in which a thread only waits for its cluster to the first instruction of the loop.
   */
  readonly spins: ReadonlyMap<number, number>;
}

function loopsOf(program: FunctionProgram): Loops {
  const blocks = blocksOf(program);
  const idleLoops = new Set<number>();
  const spins = new Map<number, number>();
  for (const { start, waiting, body } of waitingLoops(program, blocks).values()) {
    const head = elementAt(blocks, start).start;
    if (waiting !== 'busy') idleLoops.add(head);
    if (waiting !== 'spin') continue;
    for (const block of body) {
      const { start: first, end } = elementAt(blocks, block);
      for (let at = first; at < end; at++) spins.set(at, head);
    }
  }
  return { idleLoops, spins };
}
