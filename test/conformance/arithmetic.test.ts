/**
 * Tests every legal variant of integer arithmetic, logic, shifts, comparisons and selp, and of float arithmetic that
 * rounds to nearest. The operands are edge cases. For each variant, the result of executing the form's steps is
 * compared with the result of a model that uses only the mnemonic and the operands.
 */
import { namedEnvironment } from '../../src/isa/environment.ts';
import { describe, expect, test } from 'vitest';
import type { Bits } from '../../src/base/bits.ts';
import { evaluator } from '../../src/interp/evaluate.ts';
import { expandForm } from '../../src/isa/expand.ts';
import type { InstructionForm, Variant } from '../../src/isa/form.ts';
import { allForms } from '../../src/isa/table.ts';
import { caseName } from './case-name.ts';

const environment = namedEnvironment('sm_100', '9.0');

function variantsOf(opcodes: readonly string[], kinds: RegExp): readonly Variant[] {
  const named = allForms().filter(({ syntax }: InstructionForm) => opcodes.includes(/^\w+/.exec(syntax)?.[0] ?? ''));
  return named.flatMap((form) => [...expandForm(form)]).filter(({ mnemonic }) => kinds.test(mnemonic));
}

/** Yields every combination of one value from each of the given lists. */
function* tuples<T>(values: readonly (readonly T[])[]): Generator<readonly T[]> {
  const [first, ...rest] = values;
  if (first === undefined) yield [];
  else for (const head of first) for (const tail of tuples(rest)) yield [head, ...tail];
}

const asBits = (value: bigint, width: number): Bits => {
  const low = BigInt.asUintN(width, value);
  return width > 32 ? low : Number(low);
};

// --- integers -------------------------------------------------------------------------------------------------------

interface IntegerType {
  readonly signed: boolean;
  readonly width: number;
}

function integerType(mnemonic: string): IntegerType {
  const found = /\.([usb])(\d+)(?:x[24])?$/.exec(mnemonic);
  return { signed: found?.[1] === 's', width: Number(found?.[2] ?? 1) };
}

function edges(width: number): readonly bigint[] {
  const top = 1n << BigInt(width);
  return [0n, 1n, 2n, 5n, top / 2n - 1n, top / 2n, top / 2n + 1n, top - 2n, top - 1n, (top / 3n) | 1n];
}

const least = ({ signed, width }: IntegerType): bigint => (signed ? -(1n << BigInt(width - 1)) : 0n);
const most = ({ signed, width }: IntegerType): bigint => (1n << BigInt(signed ? width - 1 : width)) - 1n;
const value = ({ signed, width }: IntegerType, bits: bigint): bigint =>
  signed ? BigInt.asIntN(width, bits) : BigInt.asUintN(width, bits);

/**
 * Models an integer instruction on types without lanes. The model computes with integers of unlimited size. Returns
 * null if PTX does not define the result.
 */
function integerModel(mnemonic: string, operands: readonly bigint[]): bigint | null {
  const type = integerType(mnemonic);
  const [x = 0n, y = 0n, z = 0n] = operands.map((bits) => value(type, bits));
  const width = BigInt(type.width);
  const clamped = (exact: bigint): bigint => {
    if (!mnemonic.includes('.sat')) return exact;
    return exact < least(type) ? least(type) : exact > most(type) ? most(type) : exact;
  };
  const relu = (exact: bigint): bigint => (mnemonic.includes('.relu') && exact < 0n ? 0n : exact);
  const [opcode = '', half = ''] = mnemonic.split('.');
  const product = half === 'hi' ? (x * y) >> width : x * y;
  switch (opcode) {
    case 'add':
      return clamped(x + y);
    case 'sub':
      return clamped(x - y);
    case 'mul':
      return product;
    case 'mad':
      return clamped(product + (half === 'wide' ? (operands[2] ?? 0n) : z));
    case 'div':
      return y === 0n ? null : x / y;
    case 'abs':
      return x < 0n ? -x : x;
    case 'neg':
      return -x;
    case 'min':
      return relu(x < y ? x : y);
    case 'max':
      return relu(x > y ? x : y);
    case 'and':
      return x & y;
    case 'or':
      return x | y;
    case 'xor':
      return x ^ y;
    case 'not':
      return ~x;
    case 'shl':
      return (operands[1] ?? 0n) >= width ? 0n : x << (operands[1] ?? 0n);
    case 'shr':
      return x >> (operands[1] ?? 0n);
    default:
      throw new Error(opcode);
  }
}

/** Like `integerModel`, but also supports packed types, which are processed lane by lane. */
function lanewiseModel(mnemonic: string, operands: readonly bigint[]): bigint | null {
  const { width } = integerType(mnemonic);
  const lanes = Number(/x([24])$/.exec(mnemonic)?.[1] ?? 1);
  if (lanes === 1) return integerModel(mnemonic, operands);
  const lane = (i: number): bigint => {
    const shift = BigInt(i * width);
    const own = operands.map((bits) => BigInt.asUintN(width, bits >> shift));
    return BigInt.asUintN(width, integerModel(mnemonic, own) ?? 0n) << shift;
  };
  return Array.from({ length: lanes }, (_, i) => lane(i)).reduce((all, one) => all | one, 0n);
}

function mismatches(variant: Variant): readonly string[] {
  const made = evaluator(variant, environment);
  if (made === null) return [`${variant.mnemonic} is not evaluated`];
  const wrong: string[] = [];
  const inputs = made.inputs.map((input) => edges(input.width));
  for (const operands of tuples(
    inputs.length > 2 ? inputs.map((list) => list.filter((_, i) => i % 2 === 0)) : inputs,
  )) {
    const wanted = lanewiseModel(variant.mnemonic, operands);
    if (wanted === null) continue;
    const found = made.run(operands.map((bits, i) => asBits(bits, made.inputs[i]?.width ?? 0)));
    const width = made.outputs[0]?.width ?? 0;
    if (found[0] !== asBits(wanted, width)) wrong.push(`${variant.mnemonic} ${operands.join(' ')}: ${found[0]}`);
  }
  return wrong;
}

describe('integers and bits', () => {
  const opcodes = [
    'add',
    'sub',
    'mul',
    'mad',
    'div',
    'abs',
    'neg',
    'min',
    'max',
    'and',
    'or',
    'xor',
    'not',
    'shl',
    'shr',
  ];
  const variants = variantsOf(opcodes, /^(?!.*\.cc\b).*\.([usb](16|32|64)(x2)?|[us]8x4|pred)$/);

  test.each(variants.map((variant) => [caseName(variant), variant] as const))('%s', (_, variant) => {
    expect(mismatches(variant)).toEqual([]);
  });

  test('the number of variants matches the ISA', () => {
    expect(variants.length).toBe(127);
  });
});

// --- comparisons ----------------------------------------------------------------------------------------------------

type Truth = (x: number | bigint, y: number | bigint) => boolean;

const comparisons: Readonly<Record<string, Truth>> = {
  eq: (x, y) => x === y,
  ne: (x, y) => x !== y && !isNan(x) && !isNan(y),
  lt: (x, y) => x < y,
  le: (x, y) => x <= y,
  gt: (x, y) => x > y,
  ge: (x, y) => x >= y,
  lo: (x, y) => x < y,
  ls: (x, y) => x <= y,
  hi: (x, y) => x > y,
  hs: (x, y) => x >= y,
  equ: (x, y) => x === y || isNan(x) || isNan(y),
  neu: (x, y) => x !== y,
  ltu: (x, y) => !(x >= y),
  leu: (x, y) => !(x > y),
  gtu: (x, y) => !(x <= y),
  geu: (x, y) => !(x < y),
  num: (x, y) => !isNan(x) && !isNan(y),
  nan: (x, y) => isNan(x) || isNan(y),
};

const isNan = (x: number | bigint): boolean => typeof x === 'number' && Number.isNaN(x);

const booleans: Readonly<Record<string, (t: boolean, c: boolean) => boolean>> = {
  and: (t, c) => t && c,
  or: (t, c) => t || c,
  xor: (t, c) => t !== c,
};

const floatEdges = [0, -0, 1, -1, 1.5, 2 ** -140, -(2 ** -140), 2 ** -126, Infinity, -Infinity, Number.NaN];

function f32Bits(x: number): number {
  return new Uint32Array(Float32Array.of(x).buffer)[0] as number;
}

function f64Bits(x: number): bigint {
  return new BigUint64Array(Float64Array.of(x).buffer)[0] as bigint;
}

/** Returns the edge cases for operands of an instruction, each as bits and as a value. */
function comparable(mnemonic: string): readonly (readonly [Bits, number | bigint])[] {
  const flush = mnemonic.includes('.ftz');
  if (mnemonic.endsWith('.f32')) {
    return floatEdges.map((x) => [f32Bits(x), flush && Math.abs(x) < 2 ** -126 ? 0 : x]);
  }
  if (mnemonic.endsWith('.f64')) return floatEdges.map((x) => [f64Bits(x), x]);
  const type = integerType(mnemonic);
  return edges(type.width).map((bits) => [asBits(bits, type.width), value(type, bits)]);
}

describe('setp', () => {
  const variants = variantsOf(['setp'], /\.([usb](16|32|64)|f32|f64)$/);

  test.each(variants.map((variant) => [caseName(variant), variant] as const))('%s', (_, variant) => {
    const { mnemonic } = variant;
    const made = evaluator(variant, environment);
    const [, name = '', operation = ''] = mnemonic.split('.');
    const holds = comparisons[name] as Truth;
    const combine = booleans[operation] ?? ((t: boolean) => t);
    const wrong: string[] = [];
    for (const [[a, x], [b, y]] of tuples([comparable(mnemonic), comparable(mnemonic)]) as Iterable<
      readonly [readonly [Bits, number | bigint], readonly [Bits, number | bigint]]
    >) {
      for (const c of [0, 1]) {
        const truth = holds(x, y);
        const wanted = [combine(truth, c === 1), combine(!truth, c === 1)].map(Number);
        const found = made?.run([a, b, c]);
        if (JSON.stringify(found) !== JSON.stringify(wanted)) wrong.push(`${x} ${y} ${c}: ${String(found)}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

// --- floats rounded to nearest --------------------------------------------------------------------------------------

/**
 * The operations on f32 and f64, for finite results. They are computed in f64, even for f32: rounding the f64 result to
 * f32 gives the same value as rounding the exact result to f32 directly.
 */
const operations: Readonly<Record<string, (x: number, y: number) => number>> = {
  add: (x, y) => x + y,
  sub: (x, y) => x - y,
  mul: (x, y) => x * y,
  div: (x, y) => x / y,
  rcp: (x) => 1 / x,
  abs: (x) => Math.abs(x),
  neg: (x) => -x,
  min: (x, y) => Math.min(x, y),
  max: (x, y) => Math.max(x, y),
};

const samples = [0, -0, 1, -1.5, 3.25, 1e-3, -7e10, 2 ** -126, 2 ** -130, -(2 ** -149), 1.9999999, 3e38, Infinity];

function floatMismatches(variant: Variant): readonly string[] {
  const { mnemonic } = variant;
  const made = evaluator(variant, environment);
  if (made === null) return ['not evaluated'];
  const single = mnemonic.endsWith('.f32');
  const compute = operations[/^\w+/.exec(mnemonic)?.[0] ?? ''] as (x: number, y: number) => number;
  const leastNormal = single ? 2 ** -126 : 2 ** -1022;
  const ftz = (x: number): number => {
    if (!mnemonic.includes('.ftz') || !(Math.abs(x) < leastNormal)) return x;
    return x < 0 || Object.is(x, -0) ? -0 : 0;
  };
  const finish = (x: number): number => {
    const result = ftz(single ? Math.fround(x) : x);
    return mnemonic.includes('.sat') ? Math.max(0, Math.min(1, result)) : result;
  };
  const encode = (x: number): Bits => (single ? f32Bits(x) : f64Bits(x));
  const inputs = samples.map((x) => (single ? Math.fround(x) : x));
  return [...tuples(made.inputs.map(() => inputs))].flatMap((operands) => {
    const [x = 0, y = 0] = operands.map(ftz);
    const wanted = finish(compute(x, y));
    if (Number.isNaN(wanted)) return [];
    const [found] = made.run(operands.map(encode));
    return found === encode(wanted)
      ? []
      : [`${mnemonic} ${operands.join(' ')}: ${String(found)}, not ${String(encode(wanted))}`];
  });
}

describe('floats', () => {
  const opcodes = Object.keys(operations);
  const plain = /^(?!.*\.(rz|rm|rp|approx|full|NaN|xorsign)\b).*\.(f32|f64)$/;
  const variants = variantsOf(opcodes, plain).filter(
    ({ form }) => form.operands.length <= 3 && !form.id.endsWith('.unrounded'),
  );

  test.each(variants.map((variant) => [caseName(variant), variant] as const))('%s', (_, variant) => {
    expect(floatMismatches(variant)).toEqual([]);
  });

  test('every rounding, flush and clamp of the mnemonic is in the steps', () => {
    const all = variantsOf(
      ['add', 'sub', 'mul', 'fma', 'mad', 'div', 'rcp', 'min', 'max', 'abs', 'neg'],
      /f(16|32|64)(x2)?$/,
    );
    const wrong = all.flatMap((variant) => {
      const modes = variant.form.steps(variant, environment).flatMap((step) => (step.kind === 'float' ? [step] : []));
      const { mnemonic } = variant;
      const [first] = modes;
      if (first === undefined) return mnemonic.includes('.oob') ? [] : [mnemonic];
      const { rounding, flush, sat, nan, xorSign } = first.mode;
      const agree =
        rounding === (/\.(r[nzmp])\b/.exec(mnemonic)?.[1] ?? 'rn') &&
        // In f64, rcp.ftz is the same as rcp.
        flush === (mnemonic.includes('.ftz') && !/^rcp\.r.*f64$/.test(mnemonic)) &&
        sat === mnemonic.includes('.sat') &&
        nan === mnemonic.includes('.NaN') &&
        xorSign === mnemonic.includes('.xorsign');
      return agree ? [] : [mnemonic];
    });
    expect(wrong).toEqual([]);
  });
});
