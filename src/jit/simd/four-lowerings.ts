/**
 * Provides the contexts for lowering an instruction for four threads: one for code that handles all four threads with
 * vectors, one for code that handles only the first thread, and one for code that handles one thread after the other.
 */
import type { FunctionProgram, ProgramInstruction } from '../../program/function-program.ts';
import type { Code } from '../../wasm/code.ts';
import { constantAt } from '../../program/constant-at.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { recorder, type RecordEngineCall } from '../engine-call.ts';
import type { CheckedSpans, KindOf } from '../memory/checked-spans.ts';
import type { Lowering, RegionLocals } from '../lowering.ts';
import type { Values } from '../regions/values.ts';
import type { FourLowering } from './vector-instruction.ts';
import type { VectorLowering } from './vector-lowering.ts';
import type { Vectors } from './vectors.ts';

interface FourLocals {
  readonly code: Code;
  readonly values: Values;
  /**
   * The locals for code that handles only the first of the four threads. `ofLane` are the locals for code that handles
   * one lane at a time.
   */
  readonly locals: RegionLocals;
  readonly ofLane: RegionLocals;
  /** Writes a call to a direct function for one lane. The operands are in the scalar locals. */
  readonly callLane: (instruction: ProgramInstruction, recordCall: RecordEngineCall) => void;
  readonly spans: CheckedSpans;
  readonly kindOf: KindOf;
}

export class FourLowerings {
  private readonly shape: KernelShape;
  private readonly program: FunctionProgram;
  private readonly vectors: Vectors;
  private readonly written: FourLocals;
  private hidden: ReadonlySet<ProgramInstruction> = new Set();

  constructor(shape: KernelShape, program: FunctionProgram, vectors: Vectors, written: FourLocals) {
    this.shape = shape;
    this.program = program;
    this.vectors = vectors;
    this.written = written;
  }

  /** Begins a block. `hidden` contains the instructions for which a NaN result may have arbitrary bits. */
  begin(hidden: ReadonlySet<ProgramInstruction>): void {
    this.hidden = hidden;
  }

  of(instruction: ProgramInstruction): FourLowering {
    const { shape, vectors } = this;
    const { code, locals, ofLane, spans } = this.written;
    const advance = (from: number, lane: number, to: number): Code => code.get(from).i32(lane).op('i32.add').set(to);
    return {
      vectors,
      scalar: this.scalar(instruction, locals, spans),
      ofLane: this.scalar(instruction, ofLane, null),
      enterLane: (lane) => {
        advance(locals.thread, lane, ofLane.thread);
        advance(locals.index[0], lane, ofLane.index[0]);
      },
      constantOf: this.constantsOf(instruction),
      kindOf: this.written.kindOf,
      hidesNan: this.hidden.has(instruction),
      hasLocal: shape.layout.localBytes > 0,
    };
  }

  /**
   * Returns the context for an instruction at which threads stop to wait. Such an instruction is always lowered to
   * vector code; in regions where this is not possible, threads run one after the other.
   */
  onVectors(instruction: ProgramInstruction): VectorLowering {
    const { vectors, written } = this;
    return {
      code: written.code,
      vectors,
      scalar: this.scalar(instruction, written.locals, written.spans),
      constantOf: this.constantsOf(instruction),
      kindOf: written.kindOf,
      hidesNan: false,
    };
  }

  private scalar(instruction: ProgramInstruction, locals: RegionLocals, spans: CheckedSpans | null): Lowering {
    const { code, values } = this.written;
    const { helpers, layout, engineCalls } = this.shape;
    const recordCall = recorder(engineCalls, instruction.line);
    return {
      code,
      values,
      helpers,
      layout,
      locals,
      instruction,
      program: this.program,
      spans,
      hidesNan: this.hidden.has(instruction),
      recordCall,
      callDirectly: () => this.written.callLane(instruction, recordCall),
    };
  }

  private constantsOf({ places }: ProgramInstruction): VectorLowering['constantOf'] {
    return (ref) => constantAt(this.program, places.get(ref) ?? -1);
  }
}
