/**
 * Video instructions, implemented on integers of any size as in the ISA's own pseudo-code (PTX ISA 9.1, section
 * 9.7.18). This module turns the text of an instruction into a function that takes three words. It shares no code with
 * src.
 */

/** Computes the result of the instruction from the words a, b and c. */
export type Word3 = (a: number, b: number, c: number) => number;

interface Operand {
  readonly selector: string;
  readonly negated: boolean;
}

interface Video {
  readonly opcode: string;
  readonly types: readonly string[];
  readonly words: ReadonlySet<string>;
  readonly d: Operand;
  readonly a: Operand;
  readonly b: Operand;
  readonly c: Operand;
}

function parse(text: string): Video {
  const [mnemonic = '', ...rest] = text.split(/[\s,]+/);
  const [opcode = '', ...parts] = mnemonic.split('.');
  const operand = (at: number): Operand => {
    const written = rest[at] ?? '';
    return { selector: written.split('.')[1] ?? '', negated: written.startsWith('-') };
  };
  const isType = (part: string): boolean => part === 'u32' || part === 's32';
  const types = parts.filter(isType);
  const words = new Set(parts.filter((part) => !isType(part)));
  return { opcode, types, words, d: operand(0), a: operand(1), b: operand(2), c: operand(3) };
}

const word = (value: bigint): number => Number(BigInt.asUintN(32, value));
const isSigned = (type: string | undefined): boolean => type === 's32';

function extend(bits: bigint, width: number, signed: boolean): bigint {
  return signed ? BigInt.asIntN(width, bits) : BigInt.asUintN(width, bits);
}

function clamp(value: bigint, width: number, signed: boolean): bigint {
  const bits = BigInt(width);
  const least = signed ? -(1n << (bits - 1n)) : 0n;
  const most = signed ? (1n << (bits - 1n)) - 1n : (1n << bits) - 1n;
  if (value < least) return least;
  return value > most ? most : value;
}

const smaller = (x: bigint, y: bigint): bigint => (x < y ? x : y);
const larger = (x: bigint, y: bigint): bigint => (x > y ? x : y);
const distance = (x: bigint, y: bigint): bigint => (x > y ? x - y : y - x);

function compare(x: bigint, y: bigint, words: ReadonlySet<string>): bigint {
  const holds =
    (words.has('eq') && x === y) ||
    (words.has('ne') && x !== y) ||
    (words.has('lt') && x < y) ||
    (words.has('le') && x <= y) ||
    (words.has('gt') && x > y) ||
    (words.has('ge') && x >= y);
  return holds ? 1n : 0n;
}

// --- scalar ---------------------------------------------------------------------------------------------------------

function partSelectSignExtend(register: number, type: string | undefined, selector: string): bigint {
  const width = selector === '' ? 32 : selector.startsWith('b') ? 8 : 16;
  const index = selector === '' ? 0 : Number(selector.slice(1));
  return extend(BigInt(register) >> BigInt(index * width), width, isSigned(type));
}

function optMerge(selector: string, value: bigint, c: number): bigint {
  if (selector === '') return value;
  const width = selector.startsWith('b') ? 8n : 16n;
  const low = BigInt(selector.slice(1)) * width;
  const mask = ((1n << width) - 1n) << low;
  return ((value << low) & mask) | (BigInt(c) & ~mask);
}

function primary({ opcode, words }: Video, x: bigint, y: bigint): bigint {
  const amount = words.has('clamp') ? smaller(y, 32n) : y & 31n;
  switch (opcode) {
    case 'vadd':
      return x + y;
    case 'vsub':
      return x - y;
    case 'vabsdiff':
      return distance(x, y);
    case 'vmin':
      return smaller(x, y);
    case 'vmax':
      return larger(x, y);
    case 'vshl':
      return x << amount;
    case 'vshr':
      return x >> amount;
    default:
      return compare(x, y, words);
  }
}

function scalar(video: Video): Word3 {
  const { opcode, types, words, d } = video;
  const [dtype, atype, btype] = opcode === 'vset' ? ['u32', ...types] : types;
  const width = d.selector === '' ? 32 : d.selector.startsWith('b') ? 8 : 16;
  return (a, b, c) => {
    const x = partSelectSignExtend(a, atype, video.a.selector);
    const y = partSelectSignExtend(b, btype, video.b.selector);
    const made = primary(video, x, y);
    const limited = words.has('sat') ? clamp(made, width, isSigned(dtype)) : BigInt.asIntN(33, made);
    const third = extend(BigInt(c), 32, isSigned(dtype));
    if (words.has('add')) return word(limited + third);
    if (words.has('min')) return word(smaller(limited, third));
    if (words.has('max')) return word(larger(limited, third));
    return word(optMerge(d.selector, limited, c));
  };
}

// --- vmad -----------------------------------------------------------------------------------------------------------

function multiply(video: Video): Word3 {
  const { types, words } = video;
  const [, atype, btype] = types;
  const minusProduct = video.a.negated !== video.b.negated;
  const minusThird = video.c.negated;
  const signed = isSigned(atype) || isSigned(btype) || minusProduct || minusThird;
  return (a, b, c) => {
    const x = partSelectSignExtend(a, atype, video.a.selector);
    const y = partSelectSignExtend(b, btype, video.b.selector);
    const third = minusThird ? ~c >>> 0 : c;
    const product = minusProduct ? ~(x * y) : x * y;
    const one = words.has('po') || minusProduct || minusThird ? 1n : 0n;
    const sum = product + extend(BigInt(third), 32, signed) + one;
    const scaled = sum >> (words.has('shr7') ? 7n : words.has('shr15') ? 15n : 0n);
    return word(words.has('sat') ? clamp(scaled, 32, signed) : scaled);
  };
}

// --- SIMD -----------------------------------------------------------------------------------------------------------

function lanePrimary(video: Video, x: bigint, y: bigint): bigint {
  switch (video.opcode.slice(0, -1)) {
    case 'vadd':
      return x + y;
    case 'vsub':
      return x - y;
    case 'vavrg':
      return x + y >= 0n ? (x + y + 1n) >> 1n : (x + y) >> 1n;
    case 'vabsdiff':
      return distance(x, y);
    case 'vmin':
      return smaller(x, y);
    case 'vmax':
      return larger(x, y);
    default:
      return compare(x, y, video.words);
  }
}

function simd(video: Video): Word3 {
  const lanes = Number(video.opcode.slice(-1));
  const width = 32 / lanes;
  const [dtype, atype, btype] = video.opcode.startsWith('vset') ? ['u32', ...video.types] : video.types;
  const chosen = ({ selector }: Operand, otherwise: string): readonly number[] =>
    (selector === '' ? otherwise : selector.slice(1)).split('').reverse().map(Number);
  const asel = chosen(video.a, lanes === 2 ? '10' : '3210');
  const bsel = chosen(video.b, lanes === 2 ? '32' : '7654');
  const mask = chosen(video.d, lanes === 2 ? '10' : '3210');
  return (a, b, c) => {
    const both = (BigInt(b) << 32n) | BigInt(a);
    const at = (index: number, type: string | undefined): bigint =>
      extend(both >> BigInt(index * width), width, isSigned(type));
    let sum = BigInt(c);
    let merged = 0n;
    for (let i = 0; i < lanes; i++) {
      const made = lanePrimary(video, at(asel[i] ?? 0, atype), at(bsel[i] ?? 0, btype));
      const value = video.words.has('sat') ? clamp(made, width, isSigned(dtype)) : made;
      const shift = BigInt(i * width);
      const isMasked = mask.includes(i);
      if (isMasked) sum += value;
      merged |= BigInt.asUintN(width, isMasked ? value : BigInt(c) >> shift) << shift;
    }
    return word(video.words.has('add') ? sum : merged);
  };
}

/** Returns a function that computes the result of an instruction such as `vadd.s32.u32.s32.sat d.b1, a.h0, b, c`. */
export function videoFunction(text: string): Word3 {
  const video = parse(text);
  if (/\d$/.test(video.opcode)) return simd(video);
  return video.opcode === 'vmad' ? multiply(video) : scalar(video);
}
