/**
 * The spans of the basic block that is being written. A span is a range of memory that several accesses share. The
 * first of these accesses checks the whole span and stores the result in locals. All further accesses only read these
 * locals.
 */
import { type AccessPlace, accessPlaces, type AccessSpan } from '../../program/access-spans.ts';
import type { FunctionProgram, ProgramInstruction } from '../../program/function-program.ts';
import type { Code } from '../../wasm/code.ts';

export interface CheckedSpan {
  readonly span: AccessSpan;
  /** Local that is nonzero if all accesses of the span are valid. */
  readonly valid: number;
  /**
   * Locals that hold the address of the span's start in global memory: either a single local with the address for the
   * first thread, or one local for each of four threads.
   */
  readonly at: readonly number[];
}

/** The expected pattern of the addresses of threads that run together: all the same, consecutive, or unknown. */
export type SpanKind = 'same' | 'row' | 'scattered';

/** Returns the expected pattern of the addresses in a register, for accesses of `size` bytes. */
export type KindOf = (register: number, size: number) => SpanKind;

/** An access that shares a span with other accesses. */
export interface SharedAccess {
  readonly checked: CheckedSpan;
  /** Offset in bytes from the start of the span. */
  readonly offset: number;
  /** Whether this is the first access of the span, which has to check it. */
  readonly isFirst: boolean;
}

export class CheckedSpans {
  private readonly code: Code;
  private readonly program: FunctionProgram;
  private readonly kindOf: KindOf;
  private places: ReadonlyMap<ProgramInstruction, AccessPlace> = new Map();
  private readonly checked = new Map<AccessSpan, CheckedSpan>();
  /** Locals for the spans of a basic block. The next basic block reuses them. */
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

  /**
   * Returns the span that contains an instruction's access; null if the access is checked on its own. `addresses` is
   * the number of locals for the span's start address: 1, or the number of threads if each thread has its own start
   * address.
   */
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
