/**
 * Instructions of known shape, judged without being parsed. A shape is remembered with the verdict on the instruction
 * that it came from, and with all that this verdict hung on: what each register and name in it was. Where a line
 * of the same shape finds the same, there is as little to say about it; every other line is parsed and judged as usual.
 */
import type { LineShape, ShapeName } from '../syntax/line-shapes.ts';
import type { Instruction, KnownLines, LineSource, Operand } from '../syntax/tree.ts';
import { VisibleFamilies } from './families.ts';
import type { Judge, Verdict } from './judge.ts';
import type { Needs } from './needs.ts';
import type { CheckMemory, LineVerdict, LineVerdicts } from './memory.ts';
import { type Shape, shapeOfName } from './shapes.ts';
import type { Scope } from './symbols.ts';

/** Slots that hold no register's number. */
const integerSlot = -1;
const nameStart = -2;
const nameEnd = -3;

/** Values of integers remembered for a shape whose constants have limits. */
const mostValues = 64;

/** What lines of known shape need of the module they stand in. */
export interface LineContext {
  readonly source: string;
  /** The judge of the module's environment. */
  ownJudge(): Judge;
  /** An instruction judged as usual. */
  checkInstruction(node: Instruction, scope: Scope): void;
  readonly needs: Needs;
}

/** Judges the known lines of one module. */
export class LineChecker {
  private readonly context: LineContext;
  private readonly memory: CheckMemory;
  private readonly visible: VisibleFamilies;
  private readonly module: number;
  private scopeSeen = 0;
  private verdicts: LineVerdicts | null = null;

  constructor(context: LineContext, memory: CheckMemory) {
    this.context = context;
    this.memory = memory;
    this.visible = new VisibleFamilies(memory.families);
    this.module = memory.nextNumber();
  }

  check(lines: KnownLines, scope: Scope): void {
    const { from, to, source } = lines;
    const { words, slotCounts } = source.shapes;
    const byShape = this.byShape();
    this.enter(scope);
    for (let at = from; at < to; ) {
      const id = words[at] as number;
      const known = byShape[id];
      if (known === undefined || !this.holds(known, words, at + 2, scope)) {
        this.context.checkInstruction(source.instructionAt(words[at + 1] as number), scope);
      }
      at += 2 + (slotCounts[id] as number);
    }
  }

  /** Remembers an instruction about which there was nothing to say. */
  learn(node: Instruction, scope: Scope, verdict: Verdict, source: LineSource): void {
    const shape = source.learn(node.start);
    if (shape?.end !== node.end || !sameNames(shape.names, namesIn(node))) return;
    const byShape = this.byShape();
    const made = this.describe(node, scope, verdict, shape);
    if (made === null) return;
    const known = byShape[shape.id];
    const isKnown = known?.verdict === verdict && known.slots.every((slot, i) => slot === made.slots[i]);
    if (isKnown && known.values !== null && made.values !== null && known.values.length < mostValues) {
      known.values.push(...made.values);
    } else byShape[shape.id] = made;
  }

  private byShape(): (LineVerdict | undefined)[] {
    this.verdicts ??= this.memory.verdictsOf(this.context.ownJudge());
    return this.verdicts.of(this.memory.shapes.generation);
  }

  private describe(node: Instruction, scope: Scope, verdict: Verdict, shape: LineShape): LineVerdict | null {
    const slots = new Int32Array(shape.slots.length).fill(integerSlot);
    const names: { name: string; shape: Shape }[] = [];
    let folded: Shape | null = null;
    for (const { kind, start, end, slot } of shape.names) {
      const name = this.context.source.slice(start, end);
      if (kind === 'register') {
        slots[slot] = this.familyOf(name, scope);
        if (slots[slot] === -1) return null;
      } else if (kind === 'kept') names.push({ name, shape: shapeOfName(name, scope) });
      else {
        const found = shapeOfName(name, scope);
        if (folded !== null && folded !== found) return null;
        folded = found;
        slots[slot] = nameStart;
        slots[slot + 1] = nameEnd;
      }
    }
    const values = verdict.ranged ? valuesOf(node, shape, slots) : null;
    if (verdict.ranged && values === null) return null;
    const { module } = this;
    return { verdict, slots, names, folded, values: values === null ? null : [values], namesSeen: 0, module };
  }

  /** The index of the family that a register belongs to; -1 for one that is declared by itself. */
  private familyOf(name: string, scope: Scope): number {
    const symbol = scope.lookup(name);
    return symbol?.kind === 'register' && symbol.count !== null ? this.memory.families.indexOf(symbol) : -1;
  }

  private enter(scope: Scope): void {
    if (this.visible.enter(scope)) this.scopeSeen = this.memory.nextNumber();
  }

  /** True where all that the verdict hung on is as it was. */
  private holds(known: LineVerdict, words: Int32Array, at: number, scope: Scope): boolean {
    const { slots } = known;
    const { counts } = this.visible;
    for (let i = 0; i < slots.length; i++) {
      const family = slots[i] as number;
      if (family >= 0) {
        if ((words[at + i] as number) >= (counts[family] as number)) return false;
      } else if (family === nameStart && !this.isFolded(known, words, at + i, scope)) return false;
    }
    if (known.values !== null && !hasValues(known.values, slots, words, at)) return false;
    if (known.namesSeen !== this.scopeSeen && !this.seeNames(known, scope)) return false;
    return known.module === this.module || this.meet(known);
  }

  private isFolded({ folded }: LineVerdict, words: Int32Array, at: number, scope: Scope): boolean {
    return shapeOfName(this.context.source.slice(words[at], words[at + 1]), scope) === folded;
  }

  private seeNames(known: LineVerdict, scope: Scope): boolean {
    for (const { name, shape } of known.names) if (shapeOfName(name, scope) !== shape) return false;
    known.namesSeen = this.scopeSeen;
    return true;
  }

  /** The first line of its shape in a module; where the table lacks the opcode, this is said once for each module. */
  private meet(known: LineVerdict): boolean {
    if (known.verdict.unchecked) return false;
    known.module = this.module;
    this.context.needs.met(known.verdict);
    return true;
  }
}

/** The integers of a line whose constants have limits; null where some value is not among the slots. */
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

/** True where the names of a shape are those of the tree, so that the numbers folded away stand where they seem to. */
function sameNames(names: readonly ShapeName[], places: readonly number[]): boolean {
  return (
    names.length * 2 === places.length &&
    names.every(({ start, end }, i) => start === places[i * 2] && end === places[i * 2 + 1])
  );
}

/** Where the names of an instruction start and end, in the order of the text. */
function namesIn({ guard, operands }: Instruction): readonly number[] {
  const places: number[] = [];
  if (guard !== null) addNames(guard.predicate, places);
  for (const operand of operands) addNames(operand, places);
  return places;
}

function addNames(operand: Operand, places: number[]): void {
  switch (operand.kind) {
    case 'name':
      places.push(operand.start, operand.end);
      return;
    case 'member':
      places.push(operand.start, operand.start + operand.base.length);
      return;
    case 'offset':
      addNames(operand.base, places);
      if (operand.index !== null) addNames(operand.index, places);
      return;
    case 'address':
      if (operand.base !== null) addNames(operand.base, places);
      for (const part of operand.rest) addNames(part, places);
      return;
    case 'unary':
      addNames(operand.operand, places);
      return;
    case 'pair':
      addNames(operand.first, places);
      addNames(operand.second, places);
      return;
    case 'vector':
    case 'list':
      for (const element of operand.elements) addNames(element, places);
      return;
    case 'integer':
    case 'float':
    case 'sink':
      return;
  }
}
