/** The operands of an evaluated instruction: their bits, and the values of their lanes. */
import { type Bits, chop } from '../base/bits.ts';
import type { PtxType } from '../isa/types.ts';
import { formatValue } from '../numerics/describe.ts';
import { type FormatName, formats } from '../numerics/formats.ts';

/** An operand and the bits that it holds. */
export interface EvaluatedOperand {
  readonly name: string;
  readonly type: PtxType;
  readonly bits: Bits;
  /** True for an input that was rounded because the type cannot represent it exactly. */
  readonly rounded: boolean;
}

type Typed = Pick<EvaluatedOperand, 'type' | 'bits'>;

/** One element of an operand, in bits `high` to `low`. */
export interface Lane {
  readonly high: number;
  readonly low: number;
  readonly format: FormatName;
  readonly bits: Bits;
}

/** The lanes of an operand, topmost first; empty if the type of the operand is not a number format. */
export function lanesOf({ type, bits }: Typed): readonly Lane[] {
  const { format, lanes, laneStride } = type;
  if (format === null) return [];
  const width = formats[format].width;
  return Array.from({ length: lanes }, (_, i) => {
    const low = (lanes - 1 - i) * laneStride;
    return { high: low + width - 1, low, format, bits: chop(BigInt(bits) >> BigInt(low), width) };
  });
}

/**
 * The value that the bits of a type represent, as text. If there are several lanes, their values are listed in braces.
 */
export function valueOf(operand: Typed): string {
  const lanes = lanesOf(operand).map(({ format, bits }) => formatValue(format, bits));
  if (lanes.length > 1) return `{${lanes.join(', ')}}`;
  return lanes[0] ?? operand.bits.toString();
}
