/**
 * Which bits of a result come from which bits of the operands, found by following an instruction's steps. Nothing here
 * knows an instruction: a new form is drawn by what its steps say.
 */
import type { OperandPattern, TypeRef, ValuePattern, Variant } from '../isa/form.ts';
import type { Ref, Step } from '../isa/steps.ts';
import { type PtxType, typeOf } from '../isa/types.ts';
import { formats, type FormatName } from '../numerics/formats.ts';

/** Bits `[high:low]` of an operand and what they are. */
export interface Field {
  readonly high: number;
  readonly low: number;
  /** `e4m3(a)` in a result, the fields it serves in a source; `0` for padding, `unused` for bits nobody reads. */
  readonly label: string;
}

/** The fields of one operand, topmost first, without gaps. */
export interface LanePicture {
  readonly operand: string;
  readonly width: number;
  readonly fields: readonly Field[];
}

/** An operand or a component of one, with the bits it has in the instruction. */
export interface OperandBits {
  readonly name: string;
  readonly role: 'read' | 'write';
  readonly type: PtxType;
}

interface Read {
  readonly operand: string;
  readonly low: number;
  readonly width: number;
}

/** Some bits of a value: copied from an operand, zero, or made by a step. */
type Piece =
  | {
      readonly kind: 'bits';
      readonly width: number;
      readonly operand: string;
      readonly low: number;
      readonly of: number;
    }
  | { readonly kind: 'zero'; readonly width: number }
  | { readonly kind: 'made'; readonly width: number; readonly label: string; readonly reads: readonly Read[] };

/** Topmost piece first. */
type Value = readonly Piece[];

/** The operands of a variant by the names its steps use, in instruction order. */
export function operandBits(variant: Variant): readonly OperandBits[] {
  return variant.form.operands.flatMap((pattern) => patternBits(variant, pattern));
}

/** The operands that one pattern stands for: several for a brace list, none for a label. */
export function patternBits(variant: Variant, pattern: OperandPattern): readonly OperandBits[] {
  const of = (value: ValuePattern, name = value.name): OperandBits => ({
    name,
    role: value.role,
    type: resolveType(variant, value.type),
  });
  switch (pattern.kind) {
    case 'value':
      return [of(pattern)];
    case 'vector':
      return pattern.elements.map((element) => of(element));
    case 'lanes': {
      const count = Number(variant.modifiers['vec']?.slice(2) ?? 1);
      return Array.from({ length: count }, (_, lane) => of(pattern.value, `${pattern.name}.${lane}`));
    }
    case 'window':
      return [{ name: pattern.name, role: 'read', type: resolveType(variant, pattern.type) }];
    case 'address':
    case 'pointer':
      return [{ name: pattern.name, role: 'read', type: typeOf('.b64') }];
    case 'pair':
      return [of(pattern.first), of(pattern.second)];
    case 'label':
      return [];
  }
}

/** The type behind a form's reference. */
export function resolveType(variant: Variant, type: TypeRef): PtxType {
  return typeof type === 'number' ? (variant.types[type] as PtxType) : typeOf(type);
}

/** Pictures of the results, then of every source that is not used as a whole; empty where steps make no bits. */
export function lanePictures(variant: Variant, steps: readonly Step[]): readonly LanePicture[] {
  const operands = operandBits(variant);
  const values = follow(operands, steps);
  const results = operands.filter(({ name, role }) => role === 'write' && values.has(name));
  const pictures = results.map(({ name, type }) => pictureOf(name, fit(values.get(name) as Value, type.width)));
  const reads = results.flatMap(({ name, type }) => readsByField(name, fit(values.get(name) as Value, type.width)));
  const sources = operands.filter(({ role }) => role === 'read');
  return [...pictures, ...sources.flatMap((source) => sourcePicture(source, reads))];
}

// --- following the steps --------------------------------------------------------------------------------------------

function follow(operands: readonly OperandBits[], steps: readonly Step[]): ReadonlyMap<Ref, Value> {
  const values = new Map<Ref, Value>();
  for (const { name, role, type } of operands) {
    if (role !== 'read') continue;
    values.set(name, [{ kind: 'bits', width: type.width, operand: name, low: 0, of: type.width }]);
  }
  for (const step of steps) run(step, values);
  return values;
}

function run(step: Step, values: Map<Ref, Value>): void {
  const get = (ref: Ref): Value => values.get(ref) ?? [made(widthless, ref, [])];
  switch (step.kind) {
    case 'unpack':
      step.to.forEach((to, i) => {
        values.set(to, slice(get(step.from), (step.to.length - 1 - i) * step.stride, step.lane));
      });
      return;
    case 'pack':
      values.set(
        step.to,
        step.from.flatMap((from) => fit(get(from), step.lane, step.stride)),
      );
      return;
    case 'extract':
      values.set(step.to, slice(get(step.from), step.low, step.width));
      return;
    case 'join':
      values.set(step.to, fit([...get(step.high), ...fit(get(step.low), step.shift)], step.width));
      return;
    case 'copy':
      values.set(step.to, get(step.from));
      return;
    default:
      runMade(step, values, get);
  }
}

type MakingStep = Exclude<Step, { readonly kind: 'unpack' | 'pack' | 'extract' | 'join' | 'copy' }>;

function runMade(step: MakingStep, values: Map<Ref, Value>, get: (ref: Ref) => Value): void {
  if (step.kind === 'load') {
    const bytes = step.width / 8;
    step.to.forEach((to, i) => {
      const label = i === 0 ? `[${step.address}]` : `[${step.address}+${i * bytes}]`;
      values.set(to, [made(step.width, label, readsOf(get(step.address)))]);
    });
    return;
  }
  if (!('to' in step) || typeof step.to !== 'string') return;
  const from: readonly Ref[] = 'from' in step ? (typeof step.from === 'string' ? [step.from] : step.from) : [];
  const reads = from.flatMap((ref) => readsOf(get(ref)));
  if (step.kind === 'convert') {
    if (step.random !== null) reads.push(...readsOf(get(step.random)));
    if (step.scale !== null) reads.push(...readsOf(get(step.scale)));
  }
  const label = `${nameOf(step)}(${from.map((ref) => describe(get(ref))).join(', ')})`;
  values.set(step.to, [made(resultWidth(step, from.map(get)), label, reads)]);
}

/** The width of a result that only its operand's type tells. */
const widthless = 0;

function made(width: number, label: string, reads: readonly Read[]): Piece {
  return { kind: 'made', width, label, reads };
}

function nameOf(step: MakingStep): string {
  switch (step.kind) {
    case 'convert':
      return step.conversion.to;
    case 'clamp':
      return step.type;
    case 'float':
    case 'integer':
    case 'bits':
      return step.fn;
    case 'compare':
      return step.comparison;
    case 'window':
      return step.direction === 'to-generic' ? `generic(${step.space})` : step.space;
    case 'in-window':
      return `in ${step.space}`;
    case 'constant':
      return String(step.value);
    default:
      return step.kind;
  }
}

function resultWidth(step: MakingStep, from: readonly Value[]): number {
  switch (step.kind) {
    case 'convert':
      return formats[step.conversion.to].width;
    case 'clamp':
      return formats[step.type].width;
    case 'float':
      return formats[step.format as FormatName].width;
    case 'bits':
    case 'window':
      return step.width;
    case 'compare':
    case 'in-window':
      return 1;
    default:
      return from.length === 0 ? widthless : widthOf(from[from.length - 1] as Value);
  }
}

// --- bits of values -------------------------------------------------------------------------------------------------

function widthOf(value: Value): number {
  return value.reduce((sum, piece) => sum + piece.width, 0);
}

/** The low `width` bits of a value in `total` bits, zero above. */
function fit(value: Value, width: number, total = width): Value {
  const [only] = value;
  const known = value.length === 1 && only?.kind === 'made' && only.width === widthless ? [{ ...only, width }] : value;
  const kept = slice(known, 0, Math.min(width, widthOf(known)));
  const missing = total - widthOf(kept);
  return missing > 0 ? [{ kind: 'zero', width: missing }, ...kept] : kept;
}

/** Bits `[low + width - 1 : low]` of a value. */
function slice(value: Value, low: number, width: number): Value {
  const found: Piece[] = [];
  let top = widthOf(value);
  for (const piece of value) {
    const bottom = top - piece.width;
    const from = Math.max(bottom, low);
    const to = Math.min(top, low + width);
    if (to > from) found.push(cut(piece, from - bottom, to - from));
    top = bottom;
  }
  return found;
}

function cut(piece: Piece, low: number, width: number): Piece {
  if (width === piece.width) return piece;
  if (piece.kind === 'bits') return { ...piece, low: piece.low + low, width };
  if (piece.kind === 'zero') return { ...piece, width };
  return { ...piece, width, label: `${piece.label}${range(low + width - 1, low)}` };
}

function readsOf(value: Value): Read[] {
  return value.flatMap((piece): readonly Read[] => {
    if (piece.kind === 'zero') return [];
    if (piece.kind === 'made') return piece.reads;
    return [{ operand: piece.operand, low: piece.low, width: piece.width }];
  });
}

function describe(value: Value): string {
  return value.map(describePiece).join(' ');
}

function describePiece(piece: Piece): string {
  if (piece.kind === 'zero') return '0';
  if (piece.kind === 'made') return piece.label;
  return piece.width === piece.of ? piece.operand : piece.operand + range(piece.low + piece.width - 1, piece.low);
}

/** `[31:16]`, or `[3]` for one bit. */
export function range(high: number, low: number): string {
  return high === low ? `[${low}]` : `[${high}:${low}]`;
}

// --- pictures -------------------------------------------------------------------------------------------------------

function pictureOf(operand: string, value: Value): LanePicture {
  const width = widthOf(value);
  let top = width;
  const fields = value.map((piece): Field => {
    const field = { high: top - 1, low: top - piece.width, label: describePiece(piece) };
    top -= piece.width;
    return field;
  });
  return { operand, width, fields };
}

interface Served extends Read {
  /** The field of the result that the bits serve. */
  readonly target: string;
}

function readsByField(operand: string, value: Value): readonly Served[] {
  const whole = value.length === 1;
  let top = widthOf(value);
  return value.flatMap((piece) => {
    const target = whole ? operand : operand + range(top - 1, top - piece.width);
    top -= piece.width;
    return readsOf([piece]).map((read) => ({ ...read, target }));
  });
}

/** How a source is divided among the fields it serves; nothing where every reader takes all of it. */
function sourcePicture({ name, type }: OperandBits, reads: readonly Served[]): readonly LanePicture[] {
  const own = reads.filter((read) => read.operand === name);
  if (own.length === 0 || own.every((read) => read.low === 0 && read.width === type.width)) return [];
  const edges = [...new Set([0, type.width, ...own.flatMap((read) => [read.low, read.low + read.width])])];
  edges.sort((x, y) => y - x);
  const fields = edges.slice(1).map((low, i): Field => {
    const high = (edges[i] as number) - 1;
    const served = own.filter((read) => read.low <= low && read.low + read.width > high);
    return { high, low, label: served.length === 0 ? 'unused' : purpose(served) };
  });
  return [{ operand: name, width: type.width, fields }];
}

function purpose(served: readonly Served[]): string {
  return `\u2192 ${[...new Set(served.map(({ target }) => target))].join(' ')}`;
}
