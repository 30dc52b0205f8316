/**
 * The spans of the basic block that is being written. The first access of a span checks all of it and leaves two
 * locals; the others only look at these.
 */
import { type AccessPlace, accessPlaces, type AccessSpan } from '../../program/access-spans.ts';
import type { FunctionProgram, ProgramInstruction } from '../../program/function-program.ts';
import type { Code } from '../../wasm/code.ts';

export interface CheckedSpan {
  readonly span: AccessSpan;
  /** Nonzero if all accesses of the span are valid. */
  readonly valid: number;
  /** The address of its start in global memory: of the first thread, or of each of four. */
  readonly at: readonly number[];
}

/**
 * How the addresses of threads that are run together relate: they are the same, or follow each other, or are expected to
 * do neither.
 */
export type SpanKind = 'same' | 'row' | 'scattered';

/** The kind of an address in a register, for accesses of `size` bytes. */
export type KindOf = (register: number, size: number) => SpanKind;

/** An access that shares a span with others. */
export interface SharedAccess {
  readonly checked: CheckedSpan;
  /** Bytes from the start of the span. */
  readonly offset: number;
  /** Whether this access is the one that checks. */
  readonly isFirst: boolean;
}

export class CheckedSpans {
  private readonly code: Code;
  private readonly program: FunctionProgram;
  private readonly kindOf: KindOf;
  private places: ReadonlyMap<ProgramInstruction, AccessPlace> = new Map();
  private readonly checked = new Map<AccessSpan, CheckedSpan>();
  /** Locals for the spans of a block, which the next block uses again. */
  private readonly locals: Locals[] = [];

  constructor(code: Code, program: FunctionProgram, kindOf: KindOf) {
    this.code = code;
    this.program = program;
    this.kindOf = kindOf;
  }

  begin(block: { readonly start: number; readonly end: number }): void {
    this.checked.clear();
    this.places = accessPlaces(this.program, block, this.kindOf);
  }

  /** Null for an access that is checked alone. `addresses`: how many addresses the span has, one for each thread or one. */
  of(instruction: ProgramInstruction, addresses = 1): SharedAccess | null {
    const place = this.places.get(instruction);
    if (place === undefined) return null;
    const { span, offset } = place;
    const known = this.checked.get(span);
    if (known !== undefined) return { checked: known, offset, isFirst: false };
    const made = { span, ...this.nextLocals(addresses) };
    this.checked.set(span, made);
    return { checked: made, offset, isFirst: true };
  }

  private nextLocals(addresses: number): Locals {
    const index = this.checked.size;
    const known = this.locals[index] ?? { valid: this.code.local('i32'), at: [] };
    const missing = Array.from({ length: Math.max(0, addresses - known.at.length) }, () => this.code.local('i32'));
    const made = { valid: known.valid, at: [...known.at, ...missing] };
    this.locals[index] = made;
    return made;
  }
}

interface Locals {
  readonly valid: number;
  readonly at: readonly number[];
}
