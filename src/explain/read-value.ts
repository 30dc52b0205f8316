/** Parses values as people write them, and returns the bits that represent them in a given type. */
import { type Bits, chop } from '../base/bits.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { PtxType } from '../isa/types.ts';
import { formatValue } from '../numerics/describe.ts';
import { decode, fromInteger, fromRatio } from '../numerics/exact.ts';
import { type FormatName, formats } from '../numerics/formats.ts';
import { type NearestBits, nearestBits } from '../numerics/nearest-bits.ts';

type Reading = Result<NearestBits, string>;

/**
 * The properties of a type that are needed to read a value. These properties may also describe a format that has no PTX
 * type.
 */
type ReadableType = Pick<PtxType, 'class' | 'format' | 'width' | 'lanes' | 'laneStride'> & { readonly name: string };

const exactly = (bits: Bits): Reading => ok({ bits, rounded: false });

/**
 * Reads a value of a type. `0x3c00` and `0b101` are the bits themselves. `0f3F800000` and `0d...` are floating-point
 * constants, whose value is converted to the type. `nan`, `inf` and decimal numbers are values of the type. For a
 * packed type, the lanes are separated by commas, topmost lane first. If the text cannot be read, the error message
 * lists what is accepted.
 */
export function readValue(text: string, type: ReadableType): Reading {
  const word = text.trim().replace(/^\u2212/, '-');
  const pattern = /^0[xX]([\da-fA-F]+)$|^0[bB]([01]+)$/.exec(word);
  if (pattern !== null) return readPattern(BigInt(word), type);
  if (type.lanes > 1 && type.format !== null) return readLanes(word, type, type.format);
  if (type.class === 'predicate') return readPredicate(word);
  if (type.format !== null) return readScalar(word, type.format, type);
  const constant = /^0[fF]([\da-fA-F]{8})$|^0[dD]([\da-fA-F]{16})$/.exec(word);
  return constant === null ? readInteger(word, type) : readPattern(BigInt(`0x${word.slice(2)}`), type);
}

function readPattern(bits: bigint, { name, width }: ReadableType): Reading {
  if (bits >= 1n << BigInt(width)) return err(`0x${bits.toString(16)} does not fit in the ${width} bits of ${name}`);
  return exactly(chop(bits, width));
}

function readPredicate(word: string): Reading {
  if (word === '1' || word === 'true') return exactly(1);
  return word === '0' || word === 'false' ? exactly(0) : err(`'${inMessage(word)}' is not a predicate; use 0 or 1`);
}

function readLanes(text: string, { name, lanes, laneStride, width }: ReadableType, format: FormatName): Reading {
  const words = text.replace(/^\{(.*)\}$/, '$1').split(',');
  if (words.length !== lanes)
    return err(`${name} requires ${lanes} values separated by commas, topmost lane first, or raw bits as 0x...`);
  let bits = 0n;
  let rounded = false;
  for (const word of words) {
    const lane = readScalar(word.trim(), format, null);
    if (!lane.ok) return lane;
    bits = (bits << BigInt(laneStride)) | BigInt(lane.value.bits);
    rounded ||= lane.value.rounded;
  }
  return ok({ bits: chop(bits, width), rounded });
}

function readScalar(word: string, format: FormatName, type: ReadableType | null): Reading {
  const { width, kind } = formats[format];
  if (kind === 'integer' && type !== null) return readInteger(word, type);
  if (/^0[xX][\da-fA-F]+$/.test(word)) return exactly(chop(BigInt(word), width));
  const constant = /^0(?:[fF]([\da-fA-F]{8})|[dD]([\da-fA-F]{16}))$/.exec(word);
  if (constant !== null)
    return readConstant(BigInt(`0x${word.slice(2)}`), constant[1] === undefined ? 'f64' : 'f32', format);
  const special = /^([+-]?)(nan|inf|infinity)$/i.exec(word);
  if (special === null) return readDecimal(word, format);
  const sign = special[1] === '-' ? 1 : 0;
  return nearestBits(/nan/i.test(word) ? { kind: 'nan', sign, payload: 0 } : { kind: 'infinity', sign }, format, word);
}

/**
 * Reads an integer as a value of an integer or bit-size type. Signed and unsigned integers are accepted, as long as the
 * type has enough bits for them.
 */
function readInteger(word: string, { name, width }: ReadableType): Reading {
  if (!/^[+-]?\d+$/.test(word))
    return err(`${name} requires an integer, but got '${inMessage(word)}'; use 0x... to give raw bits`);
  const value = BigInt(word.replace(/^\+/, ''));
  if (value < -(1n << BigInt(width - 1)) || value >= 1n << BigInt(width)) {
    return err(`${inMessage(word)} does not fit in the ${width} bits of ${name}`);
  }
  return exactly(chop(BigInt.asUintN(width, value), width));
}

/** A constant in the operand's own format keeps its bits; a constant in any other format is converted by value. */
function readConstant(bits: bigint, from: 'f32' | 'f64', format: FormatName): Reading {
  const own = chop(bits, formats[from].width);
  return from === format ? exactly(own) : nearestBits(decode(from, own), format, formatValue(from, own));
}

/** A word as it is shown in messages; a long word is shortened. */
const inMessage = (word: string): string => (word.length > 50 ? `${word.slice(0, 40)}...` : word);

/** Maximum number of digits in a number; longer numbers are refused. */
const longest = 1_000;

function readDecimal(word: string, format: FormatName): Reading {
  const parts = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,6}))?$/.exec(word);
  const [, signText = '', whole = '', fraction = '', power = '0'] = parts ?? [];
  const digits = whole + fraction;
  if (digits === '') return err(`'${inMessage(word)}' is not a number; write it like 1.5, -3, 0x3c00, nan or inf`);
  if (digits.length > longest)
    return err(`${inMessage(word)} has ${digits.length} digits; at most ${longest} are read`);
  const sign = signText === '-' ? 1 : 0;
  const significand = BigInt(digits);
  if (significand === 0n) return nearestBits({ kind: 'zero', sign }, format, word);
  // The exponent is limited. This does not change the result: no format has a wider range than f64, so a value whose
  // exponent is beyond the limit is too large or too small for every format.
  const exponent = Math.max(-longest * 2, Math.min(longest * 2, Number(power) - fraction.length));
  const value =
    exponent >= 0
      ? fromInteger(sign, significand * 10n ** BigInt(exponent), 0)
      : fromRatio(sign, significand, 10n ** BigInt(-exponent));
  return nearestBits(value, format, word);
}
