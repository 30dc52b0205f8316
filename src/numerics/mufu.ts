/**
 * Models the special function unit of an H200 bit for bit: the machine instructions `MUFU.x`, to which ptxas lowers
 * approximate functions (isa/forms/float/mufu-steps.ts). The model was derived from recorded results, and produces the
 * same results as the GPU for all 2^32 arguments of every function.
 *
 * The range of each function is divided into pieces. For each piece, a table contains the coefficients of a polynomial
 * in x; x consists of the 17 bits after those that select the piece. x^2 is truncated (`squareOf`); the sum of the
 * products is exact, and is then truncated as well. This is the interpolator of Oberman and Siu (A High-Performance
 * Area-Efficient Multifunction Interpolator, 2005).
 */
import { elementAt } from '../base/element-at.ts';
import { inverseTurn, type MufuFunction, mufuTables, type MufuTableName, tangentRows } from './mufu-tables.ts';

/** Returns one of the unit's functions. Its operand and its result are 32-bit patterns, given as unsigned numbers. */
export function mufu(fn: MufuFunction): (bits: number) => number {
  return functions[fn];
}

const functions: Readonly<Record<MufuFunction, (bits: number) => number>> = {
  rcp: (bits) => reciprocal(bits, single),
  rcp64h: (bits) => reciprocal(bits, upperHalf),
  rsqrt: (bits) => reciprocalRoot(bits, single),
  rsqrt64h: (bits) => reciprocalRoot(bits, upperHalf),
  sqrt: squareRoot,
  ex2: power,
  lg2: logarithm,
  sin: (bits) => circular(bits, 0),
  cos: (bits) => circular(bits, 1),
  tanh: tangent,
};

const nan = 0x7fffffff;

/** The layout of a floating-point number in 32 bits. Of an f64, only the upper 32 bits are used. */
interface Layout {
  readonly fractionBits: number;
  readonly bias: number;
}

const single: Layout = { fractionBits: 23, bias: 127 };
const upperHalf: Layout = { fractionBits: 20, bias: 1023 };

interface Parts {
  readonly sign: number;
  /** The bits of the exponent. */
  readonly exponent: number;
  /** The fraction as a 23-bit integer. */
  readonly fraction: number;
  readonly isSpecial: boolean;
}

function partsOf(bits: number, { fractionBits, bias }: Layout): Parts {
  const exponent = (bits >>> fractionBits) & (2 * bias + 1);
  const fraction = (bits & (2 ** fractionBits - 1)) * 2 ** (23 - fractionBits);
  return { sign: bits >= 2 ** 31 ? 2 ** 31 : 0, exponent, fraction, isSpecial: exponent === 2 * bias + 1 };
}

/** Assembles a number from its parts. The significand has 24 bits; bits that do not fit into the layout are dropped. */
function joined(sign: number, exponent: number, significand: number, { fractionBits }: Layout): number {
  if (exponent <= 0) return sign;
  return sign + exponent * 2 ** fractionBits + Math.floor((significand - 2 ** 23) / 2 ** (23 - fractionBits));
}

/**
 * The square of a 17-bit number, in units of 2^19. Partial products x_i * x_j that are below 2^19 are left out of the
 * sum: for each bit i from 10 upward, the sum contains x_i * 2^(2i) and the products with all lower bits j for which i
 * + j is at least 18.
 */
function squareOf(x: number): number {
  let sum = 0;
  for (let i = 10; i < 17; i++) {
    if (((x >> i) & 1) === 0) continue;
    sum += ((x >> (18 - i)) & (2 ** (2 * i - 18) - 1)) + 2 ** (2 * i - 19);
  }
  return sum;
}

/** The value of a row's polynomial at x, in units of 2^-18 of the last place. All sums and products are exact. */
function polynomial(name: MufuTableName, row: number, x: number): number {
  const { bias, rows } = mufuTables[name];
  const [c0, c1, c2] = [elementAt(rows, 3 * row), elementAt(rows, 3 * row + 1), elementAt(rows, 3 * row + 2)];
  return c0 * 2 ** 16 + bias + c1 * x * 2 + c2 * squareOf(x) * 4;
}

const truncated = (sum: number): number => Math.floor(sum / 2 ** 18);

/** A mask of the bits of x. The bits above them select the row. */
const lowBits = 0x1ffff;

function reciprocal(bits: number, layout: Layout): number {
  const { sign, exponent, fraction, isSpecial } = partsOf(bits, layout);
  const { fractionBits, bias } = layout;
  if (isSpecial) return fraction === 0 ? sign : nan;
  if (exponent === 0) return sign + (2 * bias + 1) * 2 ** fractionBits;
  // The reciprocal of a power of two is a power of two; the reciprocal of any other number has a lower exponent.
  if (fraction === 0) return joined(sign, 2 * bias - exponent, 2 ** 23, layout);
  const significand = truncated(polynomial('rcp', fraction >> 16, (fraction & 0xffff) * 2));
  return joined(sign, 2 * bias - 1 - exponent, significand, layout);
}

function reciprocalRoot(bits: number, layout: Layout): number {
  const { sign, exponent, fraction, isSpecial } = partsOf(bits, layout);
  const { fractionBits, bias } = layout;
  if (isSpecial && fraction !== 0) return nan;
  if (exponent === 0) return sign + (2 * bias + 1) * 2 ** fractionBits;
  if (sign !== 0) return nan;
  if (isSpecial) return 0;
  const odd = (exponent & 1) ^ 1;
  const half = (exponent - bias - odd) / 2;
  // For powers of four, the table would produce the next smaller number.
  const isPower = odd === 0 && fraction === 0;
  const significand = isPower
    ? 2 ** 24
    : truncated(polynomial('rsqrt', 64 * odd + (fraction >> 17), fraction & lowBits));
  return joined(0, bias - 1 - half, significand, layout);
}

function squareRoot(bits: number): number {
  const { sign, exponent, fraction, isSpecial } = partsOf(bits, single);
  if (isSpecial && fraction !== 0) return nan;
  if (exponent === 0) return sign;
  if (sign !== 0) return nan;
  if (isSpecial) return bits;
  const odd = (exponent & 1) ^ 1;
  const significand = truncated(polynomial('sqrt', 64 * odd + (fraction >> 17), fraction & lowBits));
  return joined(0, 127 + (exponent - 127 - odd) / 2, significand, single);
}

function power(bits: number): number {
  const { sign, exponent, fraction, isSpecial } = partsOf(bits, single);
  if (isSpecial && fraction !== 0) return nan;
  if (exponent >= 127 + 8) return sign === 0 ? 0x7f800000 : 0;
  // The magnitude in units of 2^-23. Negative numbers are complemented, unless they are integers.
  const magnitude = exponent === 0 ? 0 : Math.floor((2 ** 23 + fraction) * 2 ** (exponent - 127));
  const isWhole = magnitude % 2 ** 23 === 0;
  const argument = sign === 0 ? magnitude : isWhole ? -magnitude : -magnitude - 1;
  const whole = Math.floor(argument / 2 ** 23);
  const rest = argument - whole * 2 ** 23;
  if (127 + whole >= 255) return 0x7f800000;
  return joined(0, 127 + whole, truncated(polynomial('ex2', rest >> 17, rest & lowBits)), single);
}

const view = new DataView(new ArrayBuffer(8));

/**
 * Truncates a number to its upper 24 significant bits, and returns its bits as an f32. The number must not be subnormal
 * in f32.
 */
function cut(value: number): number {
  view.setFloat64(0, value);
  view.setUint32(4, view.getUint32(4) & 0xe0000000);
  view.setFloat32(0, view.getFloat64(0));
  return view.getUint32(0);
}

function logarithm(bits: number): number {
  const { sign, exponent, fraction, isSpecial } = partsOf(bits, single);
  if (isSpecial && fraction !== 0) return nan;
  if (exponent === 0) return 0xff800000;
  if (sign !== 0) return nan;
  if (isSpecial) return bits;
  if (bits === 0x3f800000) return 0;
  const sum = (exponent - 127) * 2 ** 42 + polynomial('lg2', fraction >> 17, fraction & lowBits);
  const result = Math.floor(sum / 2 ** 6);
  return result < 0 ? 2 ** 31 + cut((-result - 1) / 2 ** 36) : cut(result / 2 ** 36);
}

/** Computes the sine of an angle, to which `quarters` quarter turns are added. */
function circular(bits: number, quarters: 0 | 1): number {
  const { sign, isSpecial } = partsOf(bits, single);
  if (isSpecial) return nan;
  view.setUint32(0, bits & 0x7fffffff);
  view.setUint32(4, inverseTurn);
  view.setUint32(0, cut(view.getFloat32(0) * view.getFloat32(4)));
  const turns = view.getFloat32(0);
  const position = Math.floor((turns - Math.floor(turns)) * 2 ** 25);
  const quarter = (position >> 23) + quarters;
  const within = position & 0x7fffff;
  const angle = (quarter & 1) === 0 ? within : 0x7fffff - within;
  const given = quarters === 0 ? sign : 0;
  const result = (quarter & 2) === 0 ? given : 2 ** 31 - given;
  return result + cut(polynomial('sin', angle >> 17, angle & lowBits) / 2 ** 42);
}

function tangent(bits: number): number {
  const { sign, exponent, fraction, isSpecial } = partsOf(bits, single);
  if (isSpecial && fraction !== 0) return nan;
  if (exponent >= 127 + 3) return sign + 0x3f800000;
  const place = exponent - (127 - 8);
  if (place < 0) return bits;
  const position = (fraction * (tangentRows.factors[place] ?? 1)) >> 6;
  const sum = polynomial('tanh', (tangentRows.first[place] ?? 0) + (position >> 17), position & lowBits);
  return sign + cut(sum * 2 ** (exponent - 127 - 41));
}
