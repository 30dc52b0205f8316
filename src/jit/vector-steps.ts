/**
 * Steps on four threads at once. Each function gives what writes the step, or null where it has no form on vectors: the
 * instruction is then done for one thread after the other.
 */
import type { Step } from '../isa/steps.ts';
import { formats, type FixedFormat } from '../numerics/formats.ts';
import type { VectorOpcode } from '../wasm/simd-opcodes.ts';
import type { StepOf } from './lowering.ts';
import { vectorAccess } from './vector-access.ts';
import { integerOrders } from './integer.ts';
import { extendWords, maskWords, pushTruth, setWord, type VectorLowering, type Writer } from './vector-lowering.ts';
import { vectorConverter } from './vector-convert.ts';
import { vectorFloat, vectorFloatComparison } from './vector-float.ts';
import type { Vector } from './vectors.ts';
import { splat } from './vector-words.ts';
import { holder, type IntegerType } from './values.ts';

export function vectorStep(step: Step, lowering: VectorLowering): Writer | null {
  const { vectors, code } = lowering;
  switch (step.kind) {
    case 'copy':
      return () => vectors.set(step.to, vectors.get(step.from, vectors.typeOf(step.from)));
    case 'constant':
      return () => {
        const { value } = step;
        if (typeof value === 'bigint') {
          const constant = vectors.made('i64', () => code.i64(value).vector('i64x2.splat'));
          vectors.set(step.to, constant);
        } else
          vectors.set(
            step.to,
            vectors.made('i32', () => code.i32(value).vector('i32x4.splat')),
          );
      };
    case 'convert':
      return vectorConvert(step, lowering);
    case 'integer':
      return vectorInteger(step, lowering);
    case 'bits':
      return vectorBits(step, lowering);
    case 'compare':
      return vectorComparison(step, lowering);
    case 'select':
      return () => select(step, lowering);
    case 'float':
      return vectorFloat(step, lowering);
    case 'unpack':
      if (step.stride !== step.lane) return null;
      return () =>
        step.to.forEach((to, i) => extract(to, step.from, (step.to.length - 1 - i) * step.stride, step.lane, lowering));
    case 'extract':
      return () => extract(step.to, step.from, step.low, step.width, lowering);
    case 'pack':
      return step.from.length * step.stride > 32 ? null : () => pack(step, lowering);
    case 'load':
    case 'store':
      return vectorAccess(step, lowering);
    case 'branch':
    case 'switch':
    case 'return':
    case 'exit':
      return () => undefined;
    case 'yield':
      return () => {
        if (lowering.scalar.layout.concurrent) code.fence();
      };
    default:
      return null;
  }
}

// --- conversions ----------------------------------------------------------------------------------------------------

/** The scale of 1, where none is given. */
const unitScale = 0x7f;

function vectorConvert(step: StepOf<'convert'>, lowering: VectorLowering): Writer | null {
  const { code, vectors, scalar } = lowering;
  const { conversion, from, to, random, scale } = step;
  const [source, target] = [formats[conversion.from], formats[conversion.to]];
  if (source.width > 32 || target.width > 32) return widened(step, lowering);
  const index = vectorConverter(scalar.helpers, conversion);
  if (index === null) return null;
  return () => {
    code.get(vectors.get(from, 'i32').locals[0]);
    const given = [
      [random, 0],
      [scale, unitScale],
    ] as const;
    for (const [ref, otherwise] of given) {
      if (ref === null) splat(code, otherwise);
      else code.get(vectors.get(ref, 'i32').locals[0]);
    }
    code.call(index);
    setWord(to, lowering);
  };
}

/** Integers to or from 64 bits. */
function widened({ conversion, from, to }: StepOf<'convert'>, { code, vectors }: VectorLowering): Writer | null {
  const [source, target] = [formats[conversion.from], formats[conversion.to]];
  if (source.kind !== 'integer' || target.kind !== 'integer' || conversion.sat) return null;
  if (source.width === 64) {
    return () => {
      const [words] = vectors.converted(vectors.get(from, 'i64'), holder(target.width)).locals;
      if (target.width === 64) vectors.set(to, vectors.get(from, 'i64'));
      else {
        const chopped = vectors.made('i32', () => {
          code.get(words);
          maskWords(code, target.width);
        });
        vectors.set(to, chopped);
      }
    };
  }
  return () => {
    const [words] = vectors.get(from, 'i32').locals;
    const extended = vectors.made('i32', () => {
      code.get(words);
      if (source.signed) extendWords(code, source.width);
    });
    const suffix = source.signed ? 's' : 'u';
    const wide = vectors.made('i64', (half) =>
      code.get(extended.locals[0]).vector(`i64x2.extend_${half === 0 ? 'low' : 'high'}_i32x4_${suffix}`),
    );
    vectors.set(to, wide);
  };
}

// --- integers -------------------------------------------------------------------------------------------------------

/** Operands as a type's values, sign-extended where that is signed. */
function operands({ code, vectors }: VectorLowering, from: readonly string[], format: FixedFormat): readonly Vector[] {
  const type = holder(format.width);
  return from.map((ref) => {
    const found = vectors.get(ref, type);
    if (!format.signed || format.width >= 32) return found;
    return vectors.made('i32', () => {
      code.get(found.locals[0]);
      extendWords(code, format.width);
    });
  });
}

const binary: Readonly<Record<string, string>> = { add: 'add', sub: 'sub', 'mul.lo': 'mul' };

function vectorInteger(step: StepOf<'integer'>, lowering: VectorLowering): Writer | null {
  const format = formats[step.type] as FixedFormat;
  const { code, vectors } = lowering;
  const { fn, to, from } = step;
  const { width, signed } = format;
  if (step.sat) return null;
  const type = holder(width);
  const shape = type === 'i64' ? 'i64x2' : 'i32x4';
  const finish = (push: (half: number, all: readonly Vector[]) => void): Writer => {
    return () => {
      const all = operands(lowering, from, format);
      vectors.set(
        to,
        vectors.made(type, (half) => {
          push(half, all);
          if (type === 'i32') maskWords(code, width);
        }),
      );
    };
  };
  const local = (all: readonly Vector[], i: number, half: number): number => all[i]?.locals[half] as number;
  const operation = binary[fn];
  if (operation !== undefined) {
    const opcode = `${shape}.${operation}` as VectorOpcode;
    return finish((half, all) =>
      code
        .get(local(all, 0, half))
        .get(local(all, 1, half))
        .vector(opcode),
    );
  }
  if (fn === 'mad.lo') {
    return finish((half, all) => {
      code
        .get(local(all, 0, half))
        .get(local(all, 1, half))
        .vector(`${shape}.mul`);
      code.get(local(all, 2, half)).vector(`${shape}.add`);
    });
  }
  if ((fn === 'min' || fn === 'max') && type === 'i32') {
    const opcode: VectorOpcode = `i32x4.${fn}_${signed ? 's' : 'u'}`;
    return finish((half, all) =>
      code
        .get(local(all, 0, half))
        .get(local(all, 1, half))
        .vector(opcode),
    );
  }
  if (fn === 'neg' || fn === 'abs')
    return finish((half, all) => code.get(local(all, 0, half)).vector(`${shape}.${fn}`));
  if ((fn === 'mul.wide' || fn === 'mad.wide') && width === 32) return wideProduct(step, signed, lowering);
  return null;
}

function wideProduct(step: StepOf<'integer'>, signed: boolean, { code, vectors }: VectorLowering): Writer {
  const suffix = signed ? 's' : 'u';
  return () => {
    const [a, b, c] = step.from as readonly [string, string, string];
    const [one] = vectors.get(a, 'i32').locals;
    const [other] = vectors.get(b, 'i32').locals;
    const addend = step.fn === 'mad.wide' ? vectors.get(c, 'i64').locals : null;
    const product = vectors.made('i64', (half) => {
      code
        .get(one)
        .get(other)
        .vector(`i64x2.extmul_${half === 0 ? 'low' : 'high'}_i32x4_${suffix}`);
      if (addend !== null) code.get(addend[half] as number).vector('i64x2.add');
    });
    vectors.set(step.to, product);
  };
}

function vectorBits(step: StepOf<'bits'>, lowering: VectorLowering): Writer | null {
  const { code, vectors } = lowering;
  const { fn, width, from, to } = step;
  const type = holder(width);
  const [a, b] = from as readonly [string, string];
  switch (fn) {
    case 'and':
    case 'or':
    case 'xor':
      return () => {
        const one = vectors.get(a, type).locals;
        const other = vectors.get(b, type).locals;
        vectors.set(
          to,
          vectors.made(type, (half) =>
            code
              .get(one[half] as number)
              .get(other[half] as number)
              .vector(`v128.${fn}`),
          ),
        );
      };
    case 'not':
      return () => {
        const one = vectors.get(a, type).locals;
        vectors.set(
          to,
          vectors.made(type, (half) => {
            code.get(one[half] as number).vector('v128.not');
            if (type === 'i32') maskWords(code, width);
          }),
        );
      };
    case 'shl':
    case 'shr.u':
    case 'shr.s':
      return vectorShift(step, lowering);
    default:
      return null;
  }
}

/** By a constant: others differ in what happens beyond the width. */
function vectorShift(step: StepOf<'bits'>, { code, vectors, constantOf }: VectorLowering): Writer | null {
  const { fn, width, from, to } = step;
  const [a, b] = from as readonly [string, string];
  const amount = constantOf(b);
  if (amount === null || amount >= width) return null;
  const type = holder(width);
  const shape = type === 'i64' ? 'i64x2' : 'i32x4';
  const operation = fn === 'shl' ? 'shl' : fn === 'shr.u' ? 'shr_u' : 'shr_s';
  return () => {
    const one = vectors.get(a, type).locals;
    const shifted = vectors.made(type, (half) => {
      code.get(one[half] as number);
      if (fn === 'shr.s' && type === 'i32') extendWords(code, width);
      code.i32(amount).vector(`${shape}.${operation}`);
      if (fn !== 'shr.u' && type === 'i32') maskWords(code, width);
    });
    vectors.set(to, shifted);
  };
}

function vectorComparison(step: StepOf<'compare'>, lowering: VectorLowering): Writer | null {
  const format = formats[step.type];
  if (format.kind === 'float') return vectorFloatComparison(step, lowering);
  const { code, vectors } = lowering;
  const order = integerOrders[step.comparison];
  const { width, signed } = format;
  const equality = order === 'eq' || order === 'ne';
  if (order === undefined || (width > 32 && !signed && !equality)) return null;
  const opcode = (type: IntegerType): VectorOpcode => {
    if (equality) return `${type === 'i64' ? 'i64x2' : 'i32x4'}.${order}`;
    return type === 'i64' ? `i64x2.${order}_s` : `i32x4.${order}_${signed ? 's' : 'u'}`;
  };
  return () => {
    const [a, b] = operands(lowering, step.from, format) as [Vector, Vector];
    const type = holder(width);
    const truth = vectors.made(type, (half) =>
      code
        .get(a.locals[half] as number)
        .get(b.locals[half] as number)
        .vector(opcode(type)),
    );
    pushTruth(truth, lowering);
    setWord(step.to, lowering);
  };
}

function select({ to, condition, from }: StepOf<'select'>, { code, vectors }: VectorLowering): void {
  const type = from.some((ref) => vectors.typeOf(ref) === 'i64') ? 'i64' : 'i32';
  const [one, other] = from.map((ref) => vectors.get(ref, type)) as [Vector, Vector];
  const [truth] = vectors.get(condition, 'i32').locals;
  const mask = vectors.temporary();
  code.get(truth).vector('i32x4.neg').set(mask);
  const chosen = vectors.made(type, (half) => {
    code
      .get(one.locals[half] as number)
      .get(other.locals[half] as number)
      .get(mask);
    if (type === 'i64') code.vector(half === 0 ? 'i64x2.extend_low_i32x4_s' : 'i64x2.extend_high_i32x4_s');
    code.vector('v128.bitselect');
  });
  vectors.set(to, chosen);
}

// --- lanes of a value -----------------------------------------------------------------------------------------------

function extract(to: string, from: string, low: number, width: number, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const type = vectors.typeOf(from);
  const source = vectors.get(from, type);
  if (type === 'i32') {
    code.get(source.locals[0]).i32(low).vector('i32x4.shr_u');
    maskWords(code, width);
    setWord(to, lowering);
    return;
  }
  const shifted = vectors.made('i64', (half) =>
    code
      .get(source.locals[half] as number)
      .i32(low)
      .vector('i64x2.shr_u'),
  );
  if (width > 32) {
    vectors.set(to, shifted);
    return;
  }
  code.get(vectors.converted(shifted, 'i32').locals[0]);
  maskWords(code, width);
  setWord(to, lowering);
}

function pack({ to, from, lane, stride }: StepOf<'pack'>, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const sources = from.map((ref) => vectors.get(ref, 'i32').locals[0]);
  sources.forEach((source, i) => {
    if (i > 0) code.i32(stride).vector('i32x4.shl');
    code.get(source);
    maskWords(code, lane);
    if (i > 0) code.vector('v128.or');
  });
  setWord(to, lowering);
}
