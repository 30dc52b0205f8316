/**
 * Executed instructions of one thread with the values of their registers. An instruction that is traced is wrapped when it
 * is prepared, so that a launch without a trace pays nothing.
 */
import type { Bits } from '../base/bits.ts';
import type { SourcePlace } from '../base/source-place.ts';
import type { TypeName } from '../isa/types.ts';
import type { Dim3 } from '../machine/fault.ts';
import type { FunctionProgram, ProgramInstruction } from '../program/function-program.ts';
import type { Cpu, Thread } from './thread.ts';
import type { Action, Frame } from './value-steps.ts';

export interface TraceRegister {
  readonly name: string;
  /** The type that the instruction sees it with. */
  readonly type: TypeName;
  /** Bits of the register itself, unsigned; a `bigint` where it has more than 32. */
  readonly before: Bits;
  readonly after: Bits;
  readonly read: boolean;
  readonly written: boolean;
}

/** One instruction that a thread has executed, or tried to: the last one of a launch that ends with a fault. */
export interface TraceEvent {
  readonly block: Dim3;
  readonly thread: Dim3;
  readonly function: string;
  /** 1-based line in the PTX text. */
  readonly line: number;
  /** As written, from its guard to its semicolon. */
  readonly text: string;
  readonly source: SourcePlace | null;
  /** In the order guard, addresses, sources, results; a register that is read and written occurs once. */
  readonly registers: readonly TraceRegister[];
  /** Effective addresses of its address operands. */
  readonly addresses: readonly bigint[];
}

/** What is traced. */
export interface Tracing {
  /** Numbers of the block in the grid and of the thread in the block. */
  readonly block: number;
  readonly thread: number;
  /** Lines of the PTX text, both inclusive. */
  readonly lines: readonly [first: number, last: number];
  readonly emit: (event: TraceEvent) => void;
}

/** The action of an instruction, with an event for each time the traced thread runs it. */
export function traced(
  instruction: ProgramInstruction,
  program: FunctionProgram,
  run: Action,
  tracing: Tracing | null,
  cpu: Cpu,
): Action {
  const { line, text, source } = instruction;
  if (tracing === null || line < tracing.lines[0] || line > tracing.lines[1]) return run;
  const registers = registersOf(instruction, program);
  return (frame) => {
    const { thread, block } = cpu;
    if (thread.linear !== tracing.thread || block.linear !== tracing.block) {
      run(frame);
      return;
    }
    const before = registers.map(({ place }) => frame[place] as Bits);
    const emit = (): void =>
      tracing.emit({
        block: block.index,
        thread: thread.index,
        function: program.name,
        line,
        text,
        source,
        registers: registers.map(({ place, ...register }, i) => ({
          ...register,
          before: before[i] as Bits,
          after: frame[place] as Bits,
        })),
        addresses: instruction.addresses.map(({ place }) => BigInt(frame[place] as Bits)),
      });
    runThen(run, frame, thread, emit);
  };
}

/** Emits when the instruction is over: for a thread that waits, when it goes on. */
function runThen(run: Action, frame: Frame, thread: Thread, emit: () => void): void {
  try {
    run(frame);
  } catch (error) {
    emit();
    throw error;
  }
  if (thread.state !== 'waiting') {
    emit();
    return;
  }
  const { offer, pass } = thread;
  if (offer !== null) {
    thread.offer = {
      ...offer,
      take: (results) => {
        offer.take(results);
        emit();
      },
    };
  } else {
    thread.pass = (opened) => {
      pass?.(opened);
      emit();
    };
  }
}

type Named = Pick<TraceRegister, 'name' | 'type' | 'read' | 'written'> & { readonly place: number };

function registersOf(instruction: ProgramInstruction, program: FunctionProgram): readonly Named[] {
  const found = new Map<number, Named>();
  const note = (place: number, type: TypeName | null, written: boolean): void => {
    const register = program.registers.find((candidate) => candidate.place === place);
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
