import { elementAt } from '../base/element-at.ts';
import { leadingCount } from '../base/leading-count.ts';
import type { Span } from '../base/span.ts';
import type { Role } from '../isa/operand-patterns.ts';
import { liveCounts } from '../program/liveness.ts';
import { type BlockOutline, blockOutlines } from './block-outline.ts';
import { requireOffset } from './chunk-list.ts';
import { type FlowGraph, layOutBlocks } from './flow-graph.ts';
import type { FunctionBody } from './function-body.ts';
import type { Occurrence } from './occurrences.ts';
import { type Hover, hoverAt } from './hover.ts';
import { Reaching } from './reaching.ts';
import { Values } from './values.ts';

/** A register in the text, and whether it is read or written there. */
export interface RegisterOccurrence extends Span {
  readonly role: Role;
}

/** The definitions, reads and value of a register at one position. */
export interface RegisterFacts {
  readonly name: string;
  readonly role: Role;
  /**
   * The places where the value at this position may have been written. If the instruction at this position writes the
   * register, this position is the only definition. Compilers reuse registers, so other writes to the register may
   * belong to other values.
   */
  readonly definitions: readonly Span[];
  /** Whether the register may be read at this position before anything has been written to it. */
  readonly mayBeUnwritten: boolean;
  /** The places that may read a value written by one of the definitions. */
  readonly reads: readonly Span[];
  /**
   * An expression for the value in terms of parameters, special registers and constants; null if the value cannot be
   * expressed in this way.
   */
  readonly value: string | null;
}

export interface LiveRegisters extends Span {
  /**
   * The number of registers whose values are still needed just before this instruction. These are PTX registers, not
   * the hardware registers that ptxas allocates.
   */
  readonly count: number;
}

/** Answers questions about one function. Offsets refer to the document as it was when the view was created. */
export class FunctionView {
  readonly name: string;
  private readonly body: FunctionBody;
  private readonly byStart: ReadonlyMap<number, Occurrence>;
  private readonly reaching: Reaching;
  private readonly values: Values;

  constructor(body: FunctionBody) {
    this.name = body.checked.item.name;
    this.body = body;
    this.byStart = new Map(body.occurrences.map((one) => [one.start, one]));
    this.reaching = new Reaching(body);
    this.values = new Values(body, this.reaching, (offset) => this.byStart.get(offset)?.place ?? null);
  }

  /** Every read and write of the register at an offset, in the order of the text; empty if there is no register. */
  occurrences(offset: number): readonly RegisterOccurrence[] {
    const found = this.at(offset);
    if (found === null) return [];
    return this.reaching.history(found.place).map((one) => ({ ...this.placed(one), role: one.role }));
  }

  /** The definitions, reads and value of the register that is named at an offset; null if there is no register. */
  register(offset: number): RegisterFacts | null {
    const found = this.at(offset);
    if (found === null) return null;
    const { place, role, instruction, name } = found;
    const before = this.reaching.before(instruction, place);
    const writers = role === 'write' ? [instruction] : before.writers;
    return {
      name,
      role,
      definitions: this.writesBy(new Set(writers), place),
      mayBeUnwritten: role === 'read' && before.fromStart,
      reads: this.reaching.after(writers, place).map((one) => this.placed(one)),
      value: role === 'write' ? this.values.writtenBy(instruction) : this.values.before(instruction, place, name),
    };
  }

  /**
   * Describes the instruction, name or constant at an offset. Null if there is nothing to describe, or if the
   * instruction has errors.
   */
  hover(offset: number): Hover | null {
    requireOffset(offset);
    const found = hoverAt(this.body, offset - this.body.start, this.body.environment);
    return found === null ? null : { ...this.placed(found), subject: found.subject };
  }

  /** The basic blocks, in the order of the text. */
  blocks(): readonly BlockOutline[] {
    return blockOutlines(this.body);
  }

  /** The blocks as boxes with arrows between them. */
  flowGraph(): FlowGraph {
    return layOutBlocks(this.blocks(), (start, end) =>
      this.body.source.slice(start - this.body.start, end - this.body.start),
    );
  }

  /** One entry for each instruction, in the order of the text. */
  liveRegisters(): readonly LiveRegisters[] {
    const { program, blocks, instructions } = this.body;
    const counts = liveCounts(program, blocks);
    return instructions.map(({ node }, i) => ({ ...this.placed(node), count: elementAt(counts, i) }));
  }

  private at(offset: number): Occurrence | null {
    requireOffset(offset);
    const within = offset - this.body.start;
    const { occurrences } = this.body;
    const found = occurrences[leadingCount(occurrences.length, (i) => elementAt(occurrences, i).end < within)];
    return found !== undefined && found.start <= within ? found : null;
  }

  private placed({ start, end }: Span): Span {
    return { start: start + this.body.start, end: end + this.body.start };
  }

  private writesBy(writers: ReadonlySet<number>, place: number): readonly Span[] {
    return this.reaching
      .history(place)
      .filter(({ role, instruction }) => role === 'write' && writers.has(instruction))
      .map((one) => this.placed(one));
  }
}
