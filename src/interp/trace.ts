/**
 * Reports the instructions that are executed by one thread, or by all threads of its warp, together with the values of
 * their registers. A traced instruction is wrapped when it is prepared, so launches without tracing are not slowed
 * down.
 */
import type { Bits } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import type { SourcePlace } from '../base/source-place.ts';
import type { TypeName } from '../isa/types.ts';
import { blockIndexOf, type Dim3 } from '../machine/extents.ts';
import type { FunctionProgram, ProgramInstruction } from '../program/function-program.ts';
import { registersByPlace } from '../program/registers-by-place.ts';
import type { LaunchFacts } from './specials.ts';
import type { Cpu, Executable, Rest, Thread, UndefinedResults } from './thread.ts';
import type { Frame } from './value-steps.ts';

export interface TraceRegister {
  readonly name: string;
  /** The type that the instruction uses to interpret the contents of the register. */
  readonly type: TypeName;
  /** Bits of the whole register, unsigned; a `bigint` if it is wider than 32 bits. */
  readonly before: Bits;
  readonly after: Bits;
  readonly read: boolean;
  readonly written: boolean;
}

/** One instruction that a thread has executed, or tried to execute if a fault ended the launch. */
export interface TraceEvent {
  readonly block: Dim3;
  readonly thread: Dim3;
  readonly function: string;
  /** The PTX source line, counted from 1. */
  readonly line: number;
  /** The instruction as written, from its guard to its semicolon. */
  readonly text: string;
  readonly source: SourcePlace | null;
  /**
   * The registers that the instruction uses: first the register of the guard, then the registers of addresses, sources
   * and results. A register that is both read and written appears once.
   */
  readonly registers: readonly TraceRegister[];
  /** Effective addresses of the instruction's address operands. */
  readonly addresses: readonly bigint[];
}

/** Selects what to trace. */
export interface Tracing {
  /** Linear index of the block in the grid. */
  readonly block: number;
  /** The linear indices, within the block, of the first and last threads to trace. */
  readonly threads: readonly [first: number, last: number];
  /** First and last line of the PTX text, inclusive. */
  readonly lines: readonly [first: number, last: number];
  readonly emit: (event: TraceEvent) => void;
}

/** The facts about the launch and the function that tracing needs. */
interface TraceContext {
  readonly program: FunctionProgram;
  readonly facts: LaunchFacts;
  readonly cpu: Cpu;
  readonly tracing: Tracing | null;
}

/**
 * Wraps an instruction so that it emits an event each time the traced thread runs it. If the instruction makes the
 * thread wait, the event is emitted when the thread continues.
 */
export function traced(prepared: Executable, instruction: ProgramInstruction, context: TraceContext): Executable {
  const { tracing, cpu } = context;
  const { line, isPart } = instruction;
  if (tracing === null || isPart || line < tracing.lines[0] || line > tracing.lines[1]) return prepared;
  const [first, last] = tracing.threads;
  const registers = registersOf(instruction, context.program);
  const eventOf = describer(instruction, registers, tracing, context);
  const emit = (thread: Thread, frame: Frame): void => {
    const { before } = thread;
    if (before === null) return;
    thread.before = null;
    tracing.emit(eventOf(thread, before, frame));
  };
  const around = (frame: Frame, execute: () => void): void => {
    const { thread, block } = cpu;
    if (thread.linear >= first && thread.linear <= last && block.number === tracing.block)
      thread.before = registers.map(({ place }) => elementAt(frame, place));
    try {
      execute();
    } catch (error) {
      emit(thread, frame);
      throw error;
    }
    if (thread.activity !== 'waiting') emit(thread, frame);
  };
  return {
    ...prepared,
    run: (frame) => around(frame, () => prepared.run(frame)),
    careful: (frame, thread) => around(frame, () => prepared.careful(frame, thread)),
    rest: tracedRest(prepared.rest, emit),
  };
}

/** The event for a call was already emitted when the call began. */
function tracedRest(rest: Rest | null, emit: (thread: Thread, frame: Frame) => void): Rest | null {
  if (rest === null) return null;
  switch (rest.kind) {
    case 'barrier':
      return {
        ...rest,
        go: (thread: Thread, result: number) => {
          rest.go(thread, result);
          emit(thread, thread.frame);
        },
      };
    case 'collective':
      return {
        ...rest,
        go: (thread: Thread, results: readonly Bits[], undefinedBits: UndefinedResults | null) => {
          rest.go(thread, results, undefinedBits);
          emit(thread, thread.frame);
        },
      };
    case 'call':
      return rest;
  }
}

function describer(
  { line, text, source, addresses }: ProgramInstruction,
  registers: readonly Named[],
  tracing: Tracing,
  { program, facts }: TraceContext,
): (thread: Thread, before: readonly Bits[], frame: Frame) => TraceEvent {
  const block = blockIndexOf(tracing.block, facts.shape);
  return (thread, before, frame) => ({
    block,
    thread: thread.index,
    function: program.name,
    line,
    text,
    source,
    registers: registers.map(({ place, ...register }, i) => ({
      ...register,
      before: elementAt(before, i),
      after: elementAt(frame, place),
    })),
    addresses: addresses.map(({ place }) => BigInt(elementAt(frame, place))),
  });
}

type Named = Pick<TraceRegister, 'name' | 'type' | 'read' | 'written'> & { readonly place: number };

function registersOf(instruction: ProgramInstruction, program: FunctionProgram): readonly Named[] {
  const named = registersByPlace(program);
  const found = new Map<number, Named>();
  const note = (place: number, type: TypeName | null, written: boolean): void => {
    const register = named.get(place);
    if (register === undefined) return;
    const before = found.get(place);
    found.set(place, {
      place,
      name: register.name,
      type: type ?? before?.type ?? register.type.name,
      read: before?.read === true || !written,
      written: before?.written === true || written,
    });
  };
  const { guard, addresses, registers, call } = instruction;
  if (guard !== null) note(guard.register, null, false);
  for (const { base } of addresses) if (base.kind === 'register') note(base.register, null, false);
  if (call?.callee.kind === 'indirect') note(call.callee.register, null, false);
  for (const { value } of call?.parameters ?? []) if (value.kind === 'register') note(value.place, null, false);
  for (const { register, type, role } of registers) note(register, type, role === 'write');
  return [...found.values()].sort((a, b) => Number(a.written) - Number(b.written));
}
