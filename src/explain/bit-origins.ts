/** Finds where the bits of a value come from, by running an instruction's steps on symbolic bits. */
import { lastOf } from '../base/element-at.ts';
import { inputsOf } from '../isa/steps/effects.ts';
import { operandRef, type Ref, refName } from '../isa/steps/ref.ts';
import type { Step, StepOf } from '../isa/steps/step.ts';
import { formats } from '../numerics/formats.ts';
import type { OperandBits } from './operand-bits.ts';

/** Some bits of an operand that contribute to a value. */
export interface Read {
  readonly operand: string;
  readonly low: number;
  readonly width: number;
}

/** A run of bits in a value: copied from an operand, zero, or computed by a step. */
export type Piece =
  | {
      readonly kind: 'bits';
      readonly width: number;
      readonly operand: string;
      readonly low: number;
      readonly of: number;
    }
  | { readonly kind: 'zero'; readonly width: number }
  | { readonly kind: 'made'; readonly width: number; readonly label: string; readonly reads: readonly Read[] };

/** The pieces of a value, topmost first. */
export type Value = readonly Piece[];

/** Runs the steps and returns the value of each operand and intermediate result, expressed in terms of operand bits. */
export function follow(operands: readonly OperandBits[], steps: readonly Step[]): ReadonlyMap<Ref, Value> {
  const values = new Map<Ref, Value>();
  for (const { name, role, type } of operands) {
    if (role !== 'read') continue;
    values.set(operandRef(name), [{ kind: 'bits', width: type.width, operand: name, low: 0, of: type.width }]);
  }
  for (const step of steps) run(step, values);
  return values;
}

function run(step: Step, values: Map<Ref, Value>): void {
  const get = (ref: Ref): Value => values.get(ref) ?? [made(widthless, refName(ref), [])];
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
      const address = refName(step.address);
      const label = i === 0 ? `[${address}]` : `[${address}+${i * bytes}]`;
      values.set(to, [made(step.width, label, readsOf(get(step.address)))]);
    });
    return;
  }
  if (step.kind === 'texture-read') {
    const reads = [step.texture, ...step.coordinates].flatMap((ref) => readsOf(get(ref)));
    const width = step.read.narrows ? 16 : 32;
    step.to.forEach((to, i) => values.set(to, [made(width, texelLabel(step, i), reads)]));
    return;
  }
  if (!('to' in step) || typeof step.to !== 'string') return;
  const from: readonly Ref[] = 'from' in step ? [step.from].flat() : [];
  const given = [...('condition' in step ? [step.condition] : []), ...from].map((ref) => describe(get(ref))).join(', ');
  const label = step.kind === 'constant' ? nameOf(step) : `${nameOf(step)}(${given})`;
  const reads = inputsOf(step).flatMap((ref) => readsOf(get(ref)));
  values.set(step.to, [made(resultWidth(step, from.map(get)), label, reads)]);
}

/** The label of a result of a texture read: `texel.r` or, if four texels are gathered, `texel 2.r`. */
function texelLabel({ read: { gathers } }: StepOf<'texture-read'>, i: number): string {
  const channel = (number: number): string => 'rgba'.charAt(number);
  return gathers === null ? `texel.${channel(i)}` : `texel ${i}.${channel(gathers)}`;
}

/**
 * Stands for a width that is not known yet. The width of a result depends on the type of the operand to which the
 * result is written.
 */
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
    case 'mufu':
      return `mufu.${step.fn}`;
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
      return formats[step.format].width;
    case 'mufu':
      return 32;
    case 'integer':
      return (step.fn.endsWith('.wide') ? 2 : 1) * formats[step.type].width;
    case 'bits':
      return step.fn === 'popc' || step.fn === 'clz' ? 32 : step.width;
    case 'window':
      return step.width;
    case 'compare':
    case 'in-window':
      return 1;
    default:
      return from.length === 0 ? widthless : widthOf(lastOf(from));
  }
}

// --- bits of values -------------------------------------------------------------------------------------------------

export function widthOf(value: Value): number {
  return value.reduce((sum, piece) => sum + piece.width, 0);
}

/** The low `width` bits of a value, extended with zeros to `total` bits. */
export function fit(value: Value, width: number, total: number = width): Value {
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

/** The operand bits that contribute to a value. */
export function readsOf(value: Value): Read[] {
  return value.flatMap((piece): readonly Read[] => {
    if (piece.kind === 'zero') return [];
    if (piece.kind === 'made') return piece.reads;
    return [{ operand: piece.operand, low: piece.low, width: piece.width }];
  });
}

function describe(value: Value): string {
  return value.map(describePiece).join(' ');
}

/** `a`, `a[31:16]`, `f16(a)`, `0`. */
export function describePiece(piece: Piece): string {
  if (piece.kind === 'zero') return '0';
  if (piece.kind === 'made') return piece.label;
  return piece.width === piece.of ? piece.operand : piece.operand + range(piece.low + piece.width - 1, piece.low);
}

/** Writes a range of bits as `[31:16]`, or a single bit as `[3]`. */
export function range(high: number, low: number): string {
  return high === low ? `[${low}]` : `[${high}:${low}]`;
}
