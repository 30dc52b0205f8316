/** Converts JavaScript values to bits of PTX types and back, for `evaluateValues`. */
import { type Bits, chop } from './base/bits.ts';
import { PtxlabError } from './base/error.ts';
import type { PtxType } from './isa/types.ts';
import { decode, numberFrom } from './numerics/exact.ts';
import { type FormatName, formats } from './numerics/formats.ts';
import { nearestBits } from './numerics/nearest-bits.ts';
import { numberBits } from './numerics/number-bits.ts';

/**
 * A value of a PTX type. Floats of every format, fixed-point numbers, and integers and bit types of up to 32 bits are
 * represented by a `number`, wider integers and bit types by a `bigint`, and predicates by a `boolean`. A value of a
 * packed type is a list of its lanes. The topmost lane comes first, as in the source operands of a `cvt` that packs
 * values.
 */
export type Value = number | bigint | boolean | readonly number[];

/**
 * The properties of a type that determine which values it has. They can also describe a number format that is not a PTX
 * type.
 */
export type ValueType = Pick<PtxType, 'class' | 'format' | 'lanes' | 'laneStride' | 'width'> & {
  readonly name: string;
};

const typeError = (message: string): PtxlabError => new PtxlabError('argument-type', message);
const sizeError = (message: string): PtxlabError => new PtxlabError('argument-size', message);

/** Returns the text that stands for a value in error messages. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
    case 'boolean':
    case 'undefined':
      return String(value);
    default:
      return value === null ? 'null' : `a ${typeof value}`;
  }
}

/**
 * Returns the bits of a value. A float is rounded to the nearest value of its format, ties to even.
 *
 * @param where the name of the input in error messages
 * @throws PtxlabError `argument-type` for a value of the wrong kind, `argument-size` for a value outside the type's
 * range
 */
export function bitsOfValue(value: unknown, type: ValueType, where: string): Bits {
  const { name, class: cls, format, lanes, width } = type;
  if (cls === 'predicate') {
    if (typeof value !== 'boolean') throw typeError(`${where} is ${shown(value)}; ${name} takes true or false`);
    return value ? 1 : 0;
  }
  if (format === null || cls === 'signed' || cls === 'unsigned') return integerBits(value, type, where);
  if (lanes === 1) return laneBits(value, format, where);
  const found: readonly unknown[] = Array.isArray(value) ? value : [];
  if (found.length !== lanes) throw typeError(`${where} is ${shown(value)}; ${name} takes a list of ${lanes} numbers`);
  const packed = found.reduce<bigint>(
    (bits, lane) => (bits << BigInt(type.laneStride)) | BigInt(laneBits(lane, format, where)),
    0n,
  );
  return chop(packed, width);
}

function integerBits(value: unknown, { name, width, class: cls }: ValueType, where: string): Bits {
  const isWhole = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
  if (!isWhole) throw typeError(`${where} is ${shown(value)}; ${name} takes an integer`);
  return wholeBits(BigInt(value), { name, width, signed: cls === 'signed' }, where);
}

/** The two's complement bits of a whole number; throws if the integer type cannot hold it. */
function wholeBits(
  whole: bigint,
  { name, width, signed }: { readonly name: string; readonly width: number; readonly signed: boolean },
  where: string,
): Bits {
  const least = signed ? -(1n << BigInt(width - 1)) : 0n;
  const most = least + (1n << BigInt(width)) - 1n;
  if (whole < least || whole > most) throw sizeError(`${where} is ${whole}; ${name} ranges from ${least} to ${most}`);
  return chop(BigInt.asUintN(width, whole), width);
}

function laneBits(value: unknown, format: FormatName, where: string): Bits {
  const { kind, signed, width } = formats[format];
  if (typeof value !== 'number') throw typeError(`${where} is ${shown(value)}; ${format} takes a number`);
  if (kind === 'integer') {
    if (!Number.isInteger(value)) throw typeError(`${where} is ${shown(value)}; ${format} takes an integer`);
    return wholeBits(BigInt(value), { name: format, width, signed }, where);
  }
  const nearest = nearestBits(decode('f64', numberBits('f64', value)), format, shown(value));
  if (!nearest.ok) throw sizeError(`${where}: ${nearest.error}`);
  return nearest.value.bits;
}

/** Interprets a bit pattern as a value of the given type. Every bit pattern of a NaN becomes `NaN`. */
export function valueOfBits(
  bits: Bits,
  { class: cls, format, lanes, laneStride, width }: Omit<ValueType, 'name'>,
): Value {
  if (cls === 'predicate') return bits === 1;
  if (format === null || cls === 'unsigned') return bits;
  if (cls === 'signed')
    return width > 32 ? BigInt.asIntN(width, BigInt(bits)) : Number(BigInt.asIntN(width, BigInt(bits)));
  if (lanes === 1) return numberFrom(format, bits);
  return Array.from({ length: lanes }, (_, i) => {
    const low = BigInt((lanes - 1 - i) * laneStride);
    return numberFrom(format, chop(BigInt(bits) >> low, formats[format].width));
  });
}

/**
 * Checks the bits that a caller has passed for an operand of `width` bits.
 *
 * @throws PtxlabError `argument-type` if `bits` is not a whole number, `argument-size` if it is negative or has too
 * many bits
 */
export function checkedBits(bits: unknown, width: number, where: string): Bits {
  const isWhole = typeof bits === 'bigint' || (typeof bits === 'number' && Number.isSafeInteger(bits));
  if (!isWhole)
    throw typeError(
      `${where} is ${shown(bits)}; evaluate takes bits as nonnegative whole numbers; evaluateValues takes values`,
    );
  if (bits < 0 || BigInt(bits) >> BigInt(width) !== 0n)
    throw sizeError(
      `${where} is ${bits}; it must fit in ${width} bits without a sign (evaluateValues takes signed values)`,
    );
  return chop(bits, width);
}
