/**
 * A function's instructions as functions over a frame, made once for a launch. Operands, constants, spaces and numeric
 * modes are bound in advance, so running an instruction takes a few calls.
 */
import { chop } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import { isGroupStep, isValueStep, looksAtOthers } from '../isa/steps/effects.ts';
import type { GroupSteps } from '../isa/steps/group.ts';
import type { Step, StepKind, StepOf } from '../isa/steps/step.ts';
import type { ValueSteps } from '../isa/steps/value.ts';
import { machineFault } from '../machine/fault.ts';
import {
  type AddressSource,
  type FunctionProgram,
  type ProgramInstruction,
  type SpecialRead,
  type SymbolAddress,
  type Transfer,
  isCounted,
} from '../program/function-program.ts';
import { isOnStack } from '../program/layout.ts';
import type { KernelProgram } from '../program/link.ts';
import { prepareCall, prepareReturn } from './call-steps.ts';
import { readAs, writeAs } from './evaluate.ts';
import { prepareBarrier } from './barrier-steps.ts';
import { prepareCollective } from './collective-steps.ts';
import {
  type Memories,
  prepareAtomic,
  prepareInWindow,
  prepareLoad,
  prepareStore,
  prepareTransfer,
  prepareWindow,
} from './memory-steps.ts';
import { type LaunchFacts, specialReader } from './specials.ts';
import type { Cpu, Prepared, Rest, Stopping } from './thread.ts';
import { traced, type Tracing } from './trace.ts';
import { type Action, type PlaceOf, prepareStep, valueIn } from './value-steps.ts';

/** Facts about the launch that instructions may need. */
export interface LaunchContext {
  readonly kernel: KernelProgram;
  readonly memories: Memories;
  readonly facts: LaunchFacts;
  readonly cpu: Cpu;
  /** Address or offset of a module's variable. */
  readonly addressOf: (symbol: VariableSymbol) => number | null;
  /** Null if the launch is not traced. */
  readonly tracing: Tracing | null;
}

/** All functions of a kernel, the kernel first, each ended by a return. */
export interface PreparedKernel {
  readonly code: readonly Prepared[];
  /** Line in the PTX text of each piece of code; null for the return at a function's end. */
  readonly lines: readonly (number | null)[];
}

export function prepareKernel(launch: LaunchContext): PreparedKernel {
  const { functions } = launch.kernel;
  const lengths = functions.map((fn) => (fn.kind === 'program' ? fn.program.instructions.length + 1 : 0));
  let end = 0;
  const starts = lengths.map((length) => (end += length) - length);
  const code: Prepared[] = [];
  const lines: (number | null)[] = [];
  functions.forEach((fn, i) => {
    if (fn.kind !== 'program') return;
    const { program } = fn;
    const context: FunctionContext = { ...launch, program, starts, start: elementAt(starts, i) };
    for (const instruction of program.instructions) {
      code.push(prepareInstruction(instruction, context));
      lines.push(instruction.line);
    }
    code.push({ guard: -1, guardValue: 0, run: prepareReturn(program, launch.cpu), counted: false, rest: null });
    lines.push(null);
  });
  return { code, lines };
}

interface FunctionContext extends LaunchContext {
  readonly program: FunctionProgram;
  /** Where the functions of the kernel begin in the code, and where this one does. */
  readonly starts: readonly number[];
  readonly start: number;
}

function prepareInstruction(instruction: ProgramInstruction, context: FunctionContext): Prepared {
  const { guard } = instruction;
  const placeOf: PlaceOf = (ref) => {
    const place = instruction.places.get(ref);
    if (place === undefined) throw new Error(`no place for '${ref}' in ${instruction.text}`);
    return place;
  };
  const operands: readonly Action[] = [
    ...instruction.symbols.map((source) => symbolAction(source, context)),
    ...instruction.specials.map((source) => specialAction(source, context)),
    ...instruction.addresses.map((source) => addressAction(source, context)),
    ...instruction.reads.map(readAction),
  ];
  const results = instruction.writes.map(writeAction);
  const { actions, rest } = body(results, instruction, placeOf, context);
  const prepared: Prepared = {
    guard: guard?.register ?? -1,
    guardValue: guard?.negated === true ? 0 : 1,
    run: sequence([...operands, ...actions]),
    counted: isCounted(instruction),
    rest,
  };
  return traced(prepared, instruction, context);
}

interface Body {
  readonly actions: readonly Action[];
  readonly rest: Rest | null;
}

/** The steps and the code that writes their results. After a step that waits, the rest runs later. */
function body(
  results: readonly Action[],
  instruction: ProgramInstruction,
  placeOf: PlaceOf,
  context: FunctionContext,
): Body {
  const { steps } = instruction;
  const step: StepContext = { instruction, placeOf, context };
  const prepare = (one: Step): Action => stepAction(one, step);
  const waiting = steps.find(isWaiting);
  if (waiting === undefined) return { actions: [...steps.map(prepare), ...results], rest: null };
  const at = steps.indexOf(waiting);
  const after = sequence([...steps.slice(at + 1).map(prepare), ...results]);
  const { stop, rest } = stopping(waiting, after, step);
  return { actions: [...steps.slice(0, at).map(prepare), stop], rest };
}

/** Steps in which a thread can wait: for its group, or for the function that it calls. */
type WaitingKind = keyof GroupSteps | 'call';

function isWaiting(step: Step): step is StepOf<WaitingKind> {
  return isGroupStep(step) || step.kind === 'call';
}

type PrepareStop<Kind extends WaitingKind> = (step: StepOf<Kind>, after: Action, context: StepContext) => Stopping;

const stops: { readonly [Kind in WaitingKind]: PrepareStop<Kind> } = {
  barrier: (step, after, { instruction, placeOf, context }) =>
    prepareBarrier(step, after, instruction.line, placeOf, context.cpu),
  collective: (step, after, { instruction, placeOf, context }) =>
    prepareCollective(step, after, instruction.line, placeOf, context.cpu),
  call: (_, __, { instruction: { call, text }, context }) => {
    if (call === null) throw new Error(`no facts are known about ${text}`);
    return prepareCall(call, context.program, context);
  },
};

/** The step, and `after` it the rest of its instruction. */
function stopping<Kind extends WaitingKind>(step: StepOf<Kind>, after: Action, context: StepContext): Stopping {
  return stops[step.kind](step, after, context);
}

/** Joins several functions into one; short lists are unrolled, because most instructions have one to three. */
function sequence(actions: readonly Action[]): Action {
  const [a, b, c] = actions;
  if (a === undefined) return () => undefined;
  if (b === undefined) return a;
  if (c === undefined) {
    return (frame) => {
      a(frame);
      b(frame);
    };
  }
  if (actions.length === 3) {
    return (frame) => {
      a(frame);
      b(frame);
      c(frame);
    };
  }
  return (frame) => {
    for (const action of actions) action(frame);
  };
}

// --- operands -------------------------------------------------------------------------------------------------------

function readAction({ operand, register, type, negated }: Transfer): Action {
  if (negated) {
    return (frame) => {
      frame[operand] = frame[register] === 0 ? 1 : 0;
    };
  }
  return (frame) => {
    frame[operand] = readAs(type, valueIn(frame, register));
  };
}

function writeAction({ operand, register, registerWidth, type }: Transfer): Action {
  return (frame) => {
    frame[register] = writeAs(type, valueIn(frame, operand), registerWidth);
  };
}

function specialAction(source: SpecialRead, { cpu, facts }: FunctionContext): Action {
  const { place } = source;
  const read = specialReader(source, cpu, facts);
  return (frame) => {
    frame[place] = read();
  };
}

function symbolAction({ place, base, offset, width }: SymbolAddress, context: FunctionContext): Action {
  if (base.kind === 'function') {
    const value = chop(BigInt(base.address) + offset, width);
    return (frame) => {
      frame[place] = value;
    };
  }
  const { symbol } = base;
  const start = baseOf(symbol, context);
  if (start === null) {
    return () => {
      throw machineFault('PTX6030', { what: `the address of ${symbol.name}` });
    };
  }
  const address = BigInt(start) + offset;
  if (isRelative(symbol, context)) {
    const { cpu } = context;
    return (frame) => {
      frame[place] = chop(address + BigInt(cpu.thread.base), width);
    };
  }
  const value = chop(address, width);
  return (frame) => {
    frame[place] = value;
  };
}

function baseOf(symbol: VariableSymbol, { program, addressOf }: FunctionContext): number | null {
  return program.offsetOf(symbol) ?? addressOf(symbol);
}

/** Whether a variable is at an offset from the activation's base; the base of a kernel is 0. */
function isRelative({ space }: VariableSymbol, { program }: FunctionContext): boolean {
  return !program.entry && isOnStack(space);
}

/** The effective address in 64 bits, including the immediate offset, before any check. */
function addressAction(source: AddressSource, context: FunctionContext): Action {
  const { place, base, offset } = source;
  switch (base.kind) {
    case 'none':
      return fixedAddress(place, offset);
    case 'variable': {
      const start = baseOf(base.symbol, context);
      if (start === null) throw new Error(`no address for variable '${base.symbol.name}'`);
      const address = BigInt(start) + offset;
      if (!isRelative(base.symbol, context)) return fixedAddress(place, address);
      const { cpu } = context;
      return (frame) => {
        frame[place] = BigInt.asUintN(64, address + BigInt(cpu.thread.base));
      };
    }
    case 'register': {
      const { register } = base;
      // 32-bit addresses wrap at 32 bits: compilers subtract first and add the offset in the operand.
      const width = base.width <= 32 ? 32 : 64;
      if (offset === 0n) {
        return (frame) => {
          frame[place] = BigInt(valueIn(frame, register));
        };
      }
      return (frame) => {
        frame[place] = BigInt.asUintN(width, BigInt(valueIn(frame, register)) + offset);
      };
    }
  }
}

function fixedAddress(place: number, offset: bigint): Action {
  const address = BigInt.asUintN(64, offset);
  return (frame) => {
    frame[place] = address;
  };
}

// --- steps ----------------------------------------------------------------------------------------------------------

/** Arguments of the handlers of steps besides the step. */
interface StepContext {
  readonly instruction: ProgramInstruction;
  readonly placeOf: PlaceOf;
  readonly context: FunctionContext;
}

/** Steps that need more than the frame. Steps that wait are prepared together with their instruction. */
type MachineKind = Exclude<StepKind, keyof ValueSteps | WaitingKind>;

type Prepare<Kind extends StepKind> = (step: StepOf<Kind>, context: StepContext) => Action;

const prepares: { readonly [Kind in MachineKind]: Prepare<Kind> } = {
  load: (step, { placeOf, context: { memories, cpu } }) => prepareLoad(step, placeOf, memories, cpu),
  store: (step, { placeOf, context: { memories, cpu } }) => prepareStore(step, placeOf, memories, cpu),
  transfer: (step, { placeOf, context: { memories, cpu } }) => prepareTransfer(step, placeOf, memories, cpu),
  window: (step, { placeOf }) => prepareWindow(step, placeOf),
  'in-window': (step, { placeOf }) => prepareInWindow(step, placeOf),
  branch: (_, { instruction, context: { start, cpu } }) => {
    const target = start + instruction.target;
    return () => {
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
  atomic: (step, { placeOf, context: { memories, cpu } }) => {
    const combine = sequence(step.steps.map((one) => prepareStep(one, placeOf)));
    return prepareAtomic(step, placeOf, memories, cpu, combine);
  },
  trap: () => () => {
    throw machineFault('PTX6031', {});
  },
  yield: () => () => undefined,
  unsupported: ({ what }) => {
    return () => {
      throw machineFault('PTX6030', { what });
    };
  },
};

function stepAction(step: Step, context: StepContext): Action {
  if (isValueStep(step)) return prepareStep(step, context.placeOf);
  if (isWaiting(step)) throw new Error('an instruction waits once');
  const action = machineAction(step, context);
  return looksAtOthers(step) ? look(action, context.context.cpu) : action;
}

function machineAction<Kind extends MachineKind>(step: StepOf<Kind>, context: StepContext): Action {
  return prepares[step.kind](step, context);
}

/** The ISA does not define an index beyond the list; here it is a fault. */
function switchAction(index: number, { targets }: ProgramInstruction, { start, cpu }: FunctionContext): Action {
  const starts = targets.map((target) => start + target);
  return (frame) => {
    const number = Number(frame[index]);
    const target = starts[number];
    if (target === undefined) throw machineFault('PTX6015', { index: String(number), count: String(starts.length) });
    cpu.thread.pc = target;
  };
}

/** The action counts as a read of memory that others may write. */
function look(action: Action, cpu: Cpu): Action {
  return (frame) => {
    cpu.looks++;
    action(frame);
  };
}
