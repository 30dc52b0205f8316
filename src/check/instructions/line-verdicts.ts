/**
 * Checks instructions without parsing them if the shapes of their lines are known. For each line shape, the checker
 * stores the meanings of all registers and names in the line, because the verdict depends on them. Another line gets
 * the same verdict if it has the same shape and its registers and names have the same meanings. All other lines are
 * parsed and checked in the usual way.
 */
import type { LineShape } from '../../syntax/line-shapes.ts';
import type { Instruction, KnownLines, LineSource, LocationDirective } from '../../syntax/tree.ts';
import type { Places, SourcePosition } from '../declarations/debug-places.ts';
import { VisibleFamilies } from './families.ts';
import type { VerdictCache, Verdict } from './verdicts.ts';
import type { ModuleRequirements } from '../requirements.ts';
import type { CheckMemory, KnownInstruction, KnownLine, KnownLocation } from '../memory.ts';
import type { Shape } from './shape.ts';
import type { Scope } from '../symbols.ts';
import { signedAt, codeAt } from '../../base/typed-reads.ts';

/** Markers for slots that contain something other than a register number. */
const integerSlot = -1;
const nameStart = -2;
const nameEnd = -3;

/** Maximum number of integers that are stored for a shape whose verdict depends on the values of its constants. */
const mostValues = 64;

/**
 * If nothing had to be stored for this many consecutive lines with the same verdict, no more lines with this verdict
 * are stored. Most modules have only a few different lines for each verdict, and storing all lines took up a fifth of
 * the time.
 */
const enoughRepeats = 8;

/** The facts about a module that are needed to check lines whose shapes are known. */
export interface LineContext {
  readonly source: string;
  /** The verdicts for the module's environment. */
  verdicts(): VerdictCache;
  /** Parses and checks a statement in the usual way. */
  checkKnown(statement: Instruction | LocationDirective, scope: Scope): void;
  readonly requirements: ModuleRequirements;
  readonly debug: Places;
}

/** Checks the lines of a module that have known shapes. */
export class LineChecker {
  private readonly context: LineContext;
  private readonly memory: CheckMemory;
  private readonly visible: VisibleFamilies;
  private readonly module: number;
  private scopeSeen = 0;
  /** For each verdict, the number of consecutive lines for which nothing had to be stored. */
  private readonly repeats = new Map<Verdict, number>();
  /**
   * The number of consecutive `.loc` directives for which nothing had to be stored. Directives with `inlined_at` are
   * counted separately.
   */
  private readonly locationRepeats = new Map<boolean, number>();

  constructor(context: LineContext, memory: CheckMemory) {
    this.context = context;
    this.memory = memory;
    this.visible = new VisibleFamilies(memory.families);
    this.module = memory.nextNumber();
  }

  check(lines: KnownLines, scope: Scope): void {
    const { from, to, source } = lines;
    const { words, slotCounts } = source.shapes;
    const byShape = this.memory.knownLines();
    this.enter(scope);
    for (let at = from; at < to; ) {
      const id = signedAt(words, at);
      const known = byShape[id];
      if (known === undefined || !this.holds(known, words, at + 2, scope)) {
        this.context.checkKnown(source.statementAt(signedAt(words, at + 1)), scope);
      }
      at += 2 + codeAt(slotCounts, id);
    }
  }

  /** Stores the shape of an instruction for which nothing was reported. */
  learn(node: Instruction, scope: Scope, verdict: Verdict, source: LineSource): void {
    const repeats = this.repeats.get(verdict) ?? 0;
    if (repeats >= enoughRepeats) return;
    this.repeats.set(verdict, this.store(node, scope, verdict, source) ? 0 : repeats + 1);
  }

  /** Returns true if something new was stored. */
  private store(node: Instruction, scope: Scope, verdict: Verdict, source: LineSource): boolean {
    // An instruction with a subscript is not stored, because the shape of the line does not determine whether the
    // variable is an array.
    if (node.operands.some((operand) => operand.kind === 'offset' && operand.subscript)) return false;
    const shape = source.learn(node);
    if (shape === null) return false;
    const byShape = this.memory.knownLines();
    const made = this.describe(node, scope, verdict, shape);
    if (made === null) return false;
    const known = byShape[shape.id];
    const isKnown =
      known?.kind === 'instruction' &&
      known.mnemonic === made.mnemonic &&
      known.shapes.every((one, i) => one === made.shapes[i]) &&
      known.slots.every((slot, i) => slot === made.slots[i]);
    if (isKnown && known.values === null) return false;
    const hasRoom = isKnown && known.values !== null && known.values.length < mostValues;
    if (hasRoom && made.values !== null) known.values.push(...made.values);
    else byShape[shape.id] = made;
    return true;
  }

  private describe(node: Instruction, scope: Scope, verdict: Verdict, shape: LineShape): KnownInstruction | null {
    const slots = new Int32Array(shape.slots.length).fill(integerSlot);
    const names: { name: string; shape: Shape }[] = [];
    let folded: Shape | null = null;
    for (const { kind, start, end, slot } of shape.names) {
      const name = this.context.source.slice(start, end);
      if (kind === 'register') {
        slots[slot] = this.familyOf(name, scope);
        if (slots[slot] === -1) return null;
      } else if (kind === 'kept') names.push({ name, shape: this.memory.shapes.ofName(name, scope) });
      else {
        const found = this.memory.shapes.ofName(name, scope);
        if (folded !== null && folded !== found) return null;
        folded = found;
        slots[slot] = nameStart;
        slots[slot + 1] = nameEnd;
      }
    }
    const values = verdict.ranged ? valuesOf(node, shape, slots) : null;
    if (verdict.ranged && values === null) return null;
    return {
      kind: 'instruction',
      mnemonic: node.mnemonic,
      shapes: node.operands.map((operand) => this.memory.shapes.of(operand, scope)),
      slots,
      names,
      folded,
      values: values === null ? null : [values],
      namesSeen: 0,
      module: this.module,
    };
  }

  /** The index of the family that a register belongs to; -1 if it is declared individually. */
  private familyOf(name: string, scope: Scope): number {
    const symbol = scope.lookup(name);
    return symbol?.kind === 'register' && symbol.count !== null ? this.memory.families.indexOf(symbol) : -1;
  }

  private enter(scope: Scope): void {
    if (this.visible.enter(scope)) this.scopeSeen = this.memory.nextNumber();
  }

  /** Stores the shape of a `.loc` for which nothing was reported. */
  learnLocation(node: LocationDirective, source: LineSource): void {
    const inlined = node.inlined !== null;
    const repeats = this.locationRepeats.get(inlined) ?? 0;
    if (repeats >= enoughRepeats) return;
    const shape = source.learn(node);
    if (shape === null) return;
    const byShape = this.memory.knownLines();
    this.locationRepeats.set(inlined, byShape[shape.id]?.module === this.module ? repeats + 1 : 0);
    byShape[shape.id] = { kind: 'location', inlined, module: this.module };
  }

  /** True if a line has no findings. */
  private holds(known: KnownLine, words: Int32Array, at: number, scope: Scope): boolean {
    if (known.kind === 'instruction') return this.holdsInstruction(known, words, at, scope);
    return known.module === this.module && this.holdsLocation(known, words, at);
  }

  private holdsLocation({ inlined }: KnownLocation, words: Int32Array, at: number): boolean {
    const { debug, source } = this.context;
    const place = placeAt(words, at);
    if (!inlined) return debug.repeats(place);
    return debug.repeatsInlined(place, source.slice(words[at + 3], words[at + 4]), placeAt(words, at + 5));
  }

  /** True if the stored verdict still applies: everything that it depends on is unchanged. */
  private holdsInstruction(known: KnownInstruction, words: Int32Array, at: number, scope: Scope): boolean {
    const { slots } = known;
    const { counts } = this.visible;
    for (let i = 0; i < slots.length; i++) {
      const family = signedAt(slots, i);
      if (family >= 0) {
        if (signedAt(words, at + i) >= signedAt(counts, family)) return false;
      } else if (family === nameStart && !this.isFolded(known, words, at + i, scope)) return false;
    }
    if (known.values !== null && !hasValues(known.values, slots, words, at)) return false;
    if (known.namesSeen !== this.scopeSeen && !this.seeNames(known, scope)) return false;
    return known.module === this.module || this.meet(known);
  }

  private isFolded({ folded }: KnownInstruction, words: Int32Array, at: number, scope: Scope): boolean {
    return this.memory.shapes.ofName(this.context.source.slice(words[at], words[at + 1]), scope) === folded;
  }

  private seeNames(known: KnownInstruction, scope: Scope): boolean {
    for (const { name, shape } of known.names) if (this.memory.shapes.ofName(name, scope) !== shape) return false;
    known.namesSeen = this.scopeSeen;
    return true;
  }

  /**
   * Determines the verdict anew for the first line with this shape in a module, because the version and the target of
   * this module may differ from those of the previous module.
   */
  private meet(known: KnownInstruction): boolean {
    const verdict = this.context.verdicts().verdictOn(known.mnemonic, known.shapes);
    if (!verdict.clean && !isInRange(verdict)) return false;
    known.module = this.module;
    this.context.requirements.met(verdict);
    return true;
  }
}

/** The position given by three slots of a `.loc`. */
function placeAt(words: Int32Array, at: number): SourcePosition {
  return { file: signedAt(words, at), line: signedAt(words, at + 1), column: signedAt(words, at + 2) };
}

/**
 * True if nothing was reported, but the verdict depends on the values of constants. Such a verdict holds only for the
 * stored values.
 */
function isInRange({ ranged, problems, warnings, undeclared, calls, named }: Verdict): boolean {
  return ranged && problems.length + warnings.length === 0 && !undeclared && !calls && !named;
}

/**
 * Returns the integer constants in a line whose verdict depends on the values of its constants; null if the slots do
 * not contain all of these values.
 */
function valuesOf(node: Instruction, shape: LineShape, slots: Int32Array): readonly number[] | null {
  if (node.operands.some((operand) => operand.kind === 'float')) return null;
  const values = shape.slots.filter((_, i) => slots[i] === integerSlot);
  return values.includes(-1) ? null : values;
}

function hasValues(known: readonly (readonly number[])[], slots: Int32Array, words: Int32Array, at: number): boolean {
  return known.some((values) => {
    let next = 0;
    for (let i = 0; i < slots.length; i++) {
      if (slots[i] === integerSlot && words[at + i] !== values[next++]) return false;
    }
    return true;
  });
}
