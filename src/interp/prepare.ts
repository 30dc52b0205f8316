/**
 * Turns an instruction of a PTX function into a JavaScript function that operates on a frame. Operands, constants,
 * spaces and numeric modes are bound in advance, so running an instruction takes only a few calls.
 */
import { assertNever } from '../base/assert-never.ts';
import { startedBy, inputsOf, isGroupStep, isValueStep, looksAtOthers } from '../isa/steps/effects.ts';
import type { GroupSteps } from '../isa/steps/group.ts';
import type { Ref } from '../isa/steps/ref.ts';
import type { Step, StepKind, StepOf } from '../isa/steps/step.ts';
import type { ValueStep, ValueSteps } from '../isa/steps/value.ts';
import { machineFault } from '../machine/fault.ts';
import type { ProgramInstruction } from '../program/function-program.ts';
import { idleRounds } from '../program/waiting-loops.ts';
import { prepareBarrier } from './barrier-steps.ts';
import { prepareBox } from './box-steps.ts';
import { prepareTensorCopy, prepareTensorLoad, prepareTensorProduct, prepareTensorStore } from './tensor-steps.ts';
import { prepareSurfaceAddress, prepareSurfaceStore, prepareTextureRead } from './texture-steps.ts';
import { prepareCall, prepareReturn } from './call-steps.ts';
import { prepareCollective } from './collective-steps.ts';
import type { FunctionContext } from './launch-context.ts';
import { prepareBulk, prepareBulkAtomic, prepareClear, prepareTransfer } from './copy-steps.ts';
import type { AccessContext } from './memory-access.ts';
import { prepareAtomic, prepareInWindow, prepareLoad, prepareStore, prepareWindow } from './memory-steps.ts';
import { operandPieces, writePiece } from './operand-pieces.ts';
import { carefulOf, type Piece, plain, runOf, tidyPiece } from './pieces.ts';
import { clockIn } from './race-watch.ts';
import { type CarefulAction, requireDefined, type Use } from './shadow.ts';
import { type Cpu, type Executable, looksPerTurn, type Remainder, type Rest, type Stopping } from './thread.ts';
import { traced } from './trace.ts';
import { careful, everything, prepareCarefully } from './undefined-values.ts';
import { type Action, type PlaceOf, prepareStep } from './value-steps.ts';

export function prepareInstruction(instruction: ProgramInstruction, context: FunctionContext): Executable {
  const placeOf: PlaceOf = (ref) => {
    const place = instruction.places.get(ref);
    if (place === undefined) throw new Error(`no slot for '${ref}' in ${instruction.text}`);
    return place;
  };
  const operands = operandPieces(instruction, context);
  const results = instruction.writes.map(writePiece);
  const { pieces, rest } = body(results, instruction, placeOf, context);
  const all = [...operands, ...pieces];
  return traced({ run: runOf(all, context), careful: carefulOf(all), rest }, instruction, context);
}

interface Body {
  readonly pieces: readonly Piece[];
  readonly rest: Rest | null;
}

/**
 * The pieces for the steps, followed by those that write the results. After a step that waits, the remaining pieces run
 * when the wait is over.
 */
function body(
  results: readonly Piece[],
  instruction: ProgramInstruction,
  placeOf: PlaceOf,
  context: FunctionContext,
): Body {
  const { steps } = instruction;
  const step: StepContext = { instruction, placeOf, context };
  const prepare = (one: Step): Piece => stepPiece(one, step);
  const end = tidyPiece(instruction, context);
  const waiting = steps.find(isWaiting);
  if (waiting === undefined) return { pieces: [...steps.map(prepare), ...results, end], rest: null };
  const at = steps.indexOf(waiting);
  const pieces = [...steps.slice(at + 1).map(prepare), ...results, end];
  const after: Remainder = { run: runOf(pieces, context), careful: carefulOf(pieces) };
  const { stop, rest } = stopping(waiting, after, step);
  return { pieces: [...steps.slice(0, at).map(prepare), plain(stop)], rest };
}

/** Steps in which a thread can wait: for its group, for a barrier, or for the function it calls. */
type WaitingKind = keyof GroupSteps | 'call';

/** Whether an instruction can make a thread wait. */
export function canWait({ steps }: ProgramInstruction): boolean {
  return steps.some(isWaiting);
}

function isWaiting(step: Step): step is StepOf<WaitingKind> {
  return isGroupStep(step) || step.kind === 'call';
}

type PrepareStop<Kind extends WaitingKind> = (step: StepOf<Kind>, after: Remainder, context: StepContext) => Stopping;

const stops: { readonly [Kind in WaitingKind]: PrepareStop<Kind> } = {
  barrier: (step, after, { instruction, placeOf, context }) =>
    prepareBarrier(step, after, instruction.line, placeOf, context.cpu),
  collective: (step, after, { instruction, placeOf, context }) =>
    prepareCollective(step, after, instruction.line, placeOf, context.cpu),
  call: (_, __, { instruction: { call, text, line }, context }) => {
    if (call === null) throw new Error(`the callee of ${text} is unknown`);
    return prepareCall(call, context.program, line, context);
  },
};

/** Prepares a step that waits. `after` is the remainder of its instruction. */
function stopping<Kind extends WaitingKind>(step: StepOf<Kind>, after: Remainder, context: StepContext): Stopping {
  return stops[step.kind](step, after, context);
}

// --- steps ----------------------------------------------------------------------------------------------------------

/** The information that step handlers receive in addition to the step. */
interface StepContext {
  readonly instruction: ProgramInstruction;
  readonly placeOf: PlaceOf;
  readonly context: FunctionContext;
}

/** Steps that need more than the thread's frame. Steps that wait are prepared together with their instruction. */
type MachineKind = Exclude<StepKind, keyof ValueSteps | WaitingKind>;

type Prepare<Kind extends StepKind> = (step: StepOf<Kind>, context: StepContext) => Action;

const prepares: { readonly [Kind in MachineKind]: Prepare<Kind> } = {
  load: (step, context) => prepareLoad(step, context.placeOf, accessContext(step, context)),
  store: (step, context) => prepareStore(step, context.placeOf, accessContext(step, context)),
  transfer: (step, context) => prepareTransfer(step, context.placeOf, accessContext(step, context)),
  bulk: (step, context) => prepareBulk(step, context.placeOf, accessContext(step, context)),
  clear: (step, context) => prepareClear(step, context.placeOf, accessContext(step, context)),
  'load-box': (step, context) => prepareBox(step, context.placeOf, accessContext(step, context)),
  'store-box': (step, context) => prepareBox(step, context.placeOf, accessContext(step, context)),
  'multicast-box': (step, context) => prepareBox(step, context.placeOf, accessContext(step, context)),
  'reduce-box': (step, context) => prepareBox(step, context.placeOf, accessContext(step, context)),
  'tensor-product': (step, context) => prepareTensorProduct(step, context.placeOf, accessContext(step, context)),
  'tensor-load': (step, context) => prepareTensorLoad(step, context.placeOf, accessContext(step, context)),
  'tensor-store': (step, context) => prepareTensorStore(step, context.placeOf, accessContext(step, context)),
  'tensor-copy': (step, context) => prepareTensorCopy(step, context.placeOf, accessContext(step, context)),
  'texture-read': (step, context) => prepareTextureRead(step, context.placeOf, accessContext(step, context)),
  'surface-address': (step, context) => prepareSurfaceAddress(step, context.placeOf, accessContext(step, context)),
  'surface-store': (step, context) => prepareSurfaceStore(step, context.placeOf, accessContext(step, context)),
  window: (step, { placeOf }) => prepareWindow(step, placeOf),
  'in-window': (step, { placeOf }) => prepareInWindow(step, placeOf),
  branch: (_, { instruction, context: { start, cpu, idleLoops } }) => {
    const target = start + instruction.target;
    if (!idleLoops.has(instruction.target)) {
      return () => {
        cpu.thread.pc = target;
      };
    }
    return () => {
      cpu.looks += looksPerTurn / idleRounds;
      cpu.thread.pc = target;
    };
  },
  switch: ({ index }, { instruction, placeOf, context }) => switchAction(placeOf(index), instruction, context),
  return: (_, { context: { program, cpu } }) => prepareReturn(program, cpu),
  exit: (_, { context: { cpu } }) => {
    return () => {
      cpu.thread.activity = 'exited';
    };
  },
  atomic: (step, context) => {
    const { placeOf } = context;
    return prepareAtomic(step, placeOf, combined(step.steps, context), accessContext(step, context));
  },
  'bulk-atomic': (step, context) => {
    const { placeOf } = context;
    return prepareBulkAtomic(step, placeOf, combined(step.steps, context), accessContext(step, context));
  },
  trap: () => () => {
    throw machineFault('PTX6031', {});
  },
  require: ({ condition, what }, { placeOf }) => {
    const place = placeOf(condition);
    return (frame) => {
      if (frame[place] === 0) throw machineFault('PTX6036', { what });
    };
  },
  'commit-group': ({ of }, { context: { cpu } }) => {
    const { races } = cpu;
    return () => races?.commit(clockIn(races, cpu), of);
  },
  'wait-group': ({ of, pending, onlyReads }, { placeOf, context: { cpu } }) => {
    const { races } = cpu;
    const place = pending === null ? -1 : placeOf(pending);
    return (frame) => {
      const groups = place < 0 ? null : Number(frame[place]);
      races?.wait(clockIn(races, cpu), of, groups, onlyReads);
    };
  },
  fence: ({ order }, { context: { cpu } }) => {
    const { races } = cpu;
    return () => races?.fence(clockIn(races, cpu), order);
  },
  yield: () => () => undefined,
  'cancel-blocks': ({ to }, { placeOf, context: { cpu } }) => {
    const places = to.map(placeOf);
    return (frame) => {
      const found = cpu.cancelBlocks();
      const words = found === null ? [0, 0, 0, 0] : [1, ...found];
      places.forEach((place, i) => {
        frame[place] = words[i] ?? 0;
      });
    };
  },
  unsupported: ({ what }) => {
    return () => {
      throw machineFault('PTX6030', { what });
    };
  },
};

/** Prepares the steps inside an atomic step, which compute the new values. */
function combined(steps: readonly ValueStep[], { placeOf, context }: StepContext): Remainder {
  const pieces = steps.map((one) => valuePiece(one, placeOf));
  return { run: runOf(pieces, context), careful: carefulOf(pieces) };
}

function accessContext(step: Step, { instruction: { line }, context: { memories, cpu } }: StepContext): AccessContext {
  return { memories, cpu, line, starts: startedBy(step), object: null };
}

function valuePiece(step: ValueStep, placeOf: PlaceOf): Piece {
  return { run: prepareStep(step, placeOf), careful: () => prepareCarefully(step, placeOf) };
}

function stepPiece(step: Step, context: StepContext): Piece {
  if (isValueStep(step)) return valuePiece(step, context.placeOf);
  if (isWaiting(step)) throw new Error('an instruction may contain only one step that waits');
  const action = machineAction(step, context);
  // A loop that calls a function to poll is not recognized as an idle loop. To compensate, each polling instruction
  // counts as several reads.
  const weight = context.instruction.variant.form.polls === true ? looksPerTurn / idleRounds : 1;
  const run = looksAtOthers(step) ? look(action, weight, context.context.cpu) : action;
  return { run, careful: () => carefulMachine(step, run, context), loads: mayLoadUndefined(step) };
}

function mayLoadUndefined(step: Step): boolean {
  if (step.kind === 'tensor-load') return true;
  if (step.kind !== 'load' && step.kind !== 'atomic') return false;
  return step.space === 'shared' || step.space === 'local' || step.space === 'generic' || step.space === 'tensor';
}

/** Adds checks to the action of a step. The checks throw if a value that must be defined is undefined. */
function carefulMachine(step: StepOf<MachineKind>, run: Action, { placeOf }: StepContext): CarefulAction {
  const places = (...refs: readonly Ref[]): readonly number[] => refs.map(placeOf);
  switch (step.kind) {
    case 'load':
    case 'store':
    case 'atomic':
    case 'tensor-load':
    case 'tensor-store':
      return requiring(places(step.address), 'an address', run);
    case 'transfer':
    case 'bulk':
    case 'clear':
    case 'bulk-atomic':
    case 'load-box':
    case 'store-box':
    case 'multicast-box':
    case 'reduce-box':
    case 'tensor-product':
    case 'tensor-copy':
    case 'surface-store':
      return requiring(inputsOf(step).map(placeOf), 'an address', run);
    case 'require':
      return requiring(places(step.condition), 'an address', run);
    case 'switch':
      return requiring(places(step.index), 'a branch', run);
    case 'texture-read': {
      const from = inputsOf(step).map(placeOf);
      return careful(
        places(...step.to).map((to) => ({ to, from, through: everything(32) })),
        run,
      );
    }
    case 'cancel-blocks':
      return careful(
        places(...step.to).map((to) => ({ to, from: [], through: everything(32) })),
        run,
      );
    case 'surface-address':
      return careful([{ to: placeOf(step.to), from: inputsOf(step).map(placeOf), through: everything(64) }], run);
    case 'window':
      return careful([{ to: placeOf(step.to), from: places(step.from), through: everything(step.width) }], run);
    case 'in-window':
      return careful([{ to: placeOf(step.to), from: places(step.from), through: everything(1) }], run);
    case 'branch':
    case 'return':
    case 'exit':
    case 'trap':
    case 'commit-group':
    case 'wait-group':
    case 'fence':
    case 'yield':
    case 'unsupported':
      return run;
    default:
      return assertNever(step);
  }
}

function requiring(places: readonly number[], use: Use, run: Action): CarefulAction {
  return (frame, thread) => {
    for (const place of places) requireDefined(thread, place, use);
    run(frame);
  };
}

function machineAction<Kind extends MachineKind>(step: StepOf<Kind>, context: StepContext): Action {
  return prepares[step.kind](step, context);
}

/**
 * The ISA does not define what happens if the index is beyond the end of the list. In ptxlab, such an index causes a
 * fault.
 */
function switchAction(index: number, { targets }: ProgramInstruction, { start, cpu }: FunctionContext): Action {
  const starts = targets.map((target) => start + target);
  return (frame) => {
    const number = Number(frame[index]);
    const target = starts[number];
    if (target === undefined) throw machineFault('PTX6015', { index: String(number), count: String(starts.length) });
    cpu.thread.pc = target;
  };
}

/** Wraps an action so that each execution counts as `weight` reads of memory that other threads may write. */
function look(action: Action, weight: number, cpu: Cpu): Action {
  return (frame) => {
    cpu.looks += weight;
    action(frame);
  };
}
