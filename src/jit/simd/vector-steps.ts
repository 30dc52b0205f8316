/**
 * Lowers steps for four threads at once. Each entry takes a step and returns a function that writes the code of this
 * step. If the step has no vector form, the entry returns null, and the instruction is executed for one thread at a
 * time.
 */
import { elementAt } from '../../base/element-at.ts';
import { pairOf } from '../../base/tuples.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import type { StepKind, StepOf } from '../../isa/steps/step.ts';
import type { LaneLayout } from '../../isa/steps/value.ts';
import { formats } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import { vectorAccess } from './vector-access.ts';
import { extendWords, maskWords, setWord, type VectorLowering, type Writer } from './vector-lowering.ts';
import { vectorChoice } from './vector-choices.ts';
import { convertInteger, vectorConverter } from './vector-convert.ts';
import { vectorShortConversion } from './vector-short-conversions.ts';
import { vectorDirected } from './vector-directed.ts';
import { vectorDouble } from './vector-double.ts';
import { vectorElementary } from './vector-elementary.ts';
import { vectorFloat } from './vector-float.ts';
import { vectorBits } from './vector-bits.ts';
import { vectorComparison, vectorInteger } from './vector-integer.ts';
import { vectorMufu } from './vector-mufu.ts';
import { vectorNarrow } from './vector-narrow.ts';
import { vectorRequire } from './vector-require.ts';
import { vectorTensorLoad, vectorTensorStore } from './vector-tensor.ts';
import { splat } from './vector-words.ts';
import { holder } from '../regions/values.ts';
import { wordsAt } from './word-shuffles.ts';

type Vectorize<Kind extends StepKind> = (step: StepOf<Kind>, lowering: VectorLowering) => Writer | null;

/** The entry for kinds of steps that have no vector form. */
const oneByOne = (): null => null;

/**
 * The entry for kinds of steps that only affect control flow. It writes nothing, because the code for such steps is
 * written along with the rest of their region.
 */
const byRegion = (): Writer => () => undefined;

const vectorizes: { readonly [Kind in StepKind]: Vectorize<Kind> } = {
  copy: ({ to, from }, { vectors }) => {
    return () => vectors.set(to, vectors.get(from, vectors.typeOf(from)));
  },
  constant: vectorConstant,
  convert: vectorConvert,
  clamp: vectorClamp,
  integer: vectorInteger,
  bits: vectorBits,
  compare: vectorComparison,
  select: (step, lowering) => () => select(step, lowering),
  float: vectorFloats,
  mufu: vectorMufu,
  unpack: ({ to, from, lane, stride }, lowering) => {
    if (stride !== lane) return null;
    return () => to.forEach((ref, i) => extract(ref, from, (to.length - 1 - i) * stride, lane, lowering));
  },
  extract: ({ to, from, low, width }, lowering) => {
    return () => extract(to, from, low, width, lowering);
  },
  pack: vectorPack,
  join: vectorJoin,
  load: vectorAccess,
  store: vectorAccess,
  transfer: oneByOne,
  bulk: oneByOne,
  clear: oneByOne,
  'bulk-atomic': oneByOne,
  'load-box': oneByOne,
  'store-box': oneByOne,
  'multicast-box': oneByOne,
  'reduce-box': oneByOne,
  'tensor-product': oneByOne,
  'tensor-copy': oneByOne,
  'tensor-load': vectorTensorLoad,
  'tensor-store': vectorTensorStore,
  'texture-read': oneByOne,
  'surface-address': oneByOne,
  'surface-store': oneByOne,
  'cancel-blocks': oneByOne,
  atomic: oneByOne,
  window: oneByOne,
  'in-window': oneByOne,
  branch: byRegion,
  switch: byRegion,
  return: byRegion,
  exit: byRegion,
  'commit-group': orderMemory,
  'wait-group': orderMemory,
  fence: orderMemory,
  yield: orderMemory,
  call: oneByOne,
  trap: oneByOne,
  require: vectorRequire,
  unsupported: oneByOne,
  barrier: oneByOne,
  collective: oneByOne,
};

function orderMemory(
  _: StepOf<'commit-group' | 'wait-group' | 'fence' | 'yield'>,
  { scalar, code }: VectorLowering,
): Writer {
  return () => {
    if (scalar.layout.concurrent) code.fence();
  };
}

export function vectorStep<Kind extends StepKind>(step: StepOf<Kind>, lowering: VectorLowering): Writer | null {
  return vectorizes[step.kind](step, lowering);
}

function vectorFloats(step: StepOf<'float'>, lowering: VectorLowering): Writer | null {
  const { fn, format } = step;
  if (fn === 'neg' || fn === 'abs' || fn === 'min' || fn === 'max') return vectorChoice(step, lowering);
  if (format === 'f64') return vectorDouble(step, lowering);
  const elementary = vectorElementary(step, lowering);
  if (elementary !== null) return elementary;
  if (format !== 'f32') return vectorNarrow(step, lowering);
  return vectorFloat(step, lowering) ?? vectorDirected(step, lowering);
}

/**
 * Sets both the vectors and the scalar local. Steps whose operands are the same for all threads run only once and read
 * the scalar local.
 */
function vectorConstant({ to, value }: StepOf<'constant'>, { code, vectors, scalar }: VectorLowering): Writer {
  const type = typeof value === 'bigint' ? 'i64' : 'i32';
  const push = (): Code => (typeof value === 'bigint' ? code.i64(value) : code.i32(value));
  return () => {
    const copies = vectors.made(type, () => push().vector(type === 'i64' ? 'i64x2.splat' : 'i32x4.splat'));
    vectors.set(to, copies);
    if (vectors.isVarying(vectors.placeOf(to))) return;
    push();
    scalar.values.set(to, type);
    vectors.markSame(to);
  };
}

// --- conversions ----------------------------------------------------------------------------------------------------

/** The ue8m0 code of the scale 1, which is used if the instruction has no scale operand. */
const unitScale = 0x7f;

function vectorConvert(step: StepOf<'convert'>, lowering: VectorLowering): Writer | null {
  const { code, vectors, scalar } = lowering;
  const { conversion, from, to, random, scale } = step;
  const [source, target] = [formats[conversion.from], formats[conversion.to]];
  const short = vectorShortConversion(step, lowering);
  if (short !== null) return short;
  if (source.width > 32 || target.width > 32) return widened(step, lowering);
  if (source.kind === 'integer' && target.kind === 'integer') {
    return () => {
      convertInteger(code, vectors.get(from, 'i32').locals[0], source, target, conversion.sat);
      setWord(to, lowering);
    };
  }
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

/** cvt.pack: clamps signed words to the range of a type. */
function vectorClamp({ type, from, to }: StepOf<'clamp'>, lowering: VectorLowering): Writer {
  const { code, vectors } = lowering;
  return () => {
    convertInteger(code, vectors.get(from, 'i32').locals[0], formats.s32, formats[type], true);
    setWord(to, lowering);
  };
}

/** Converts integers if the source or the result has 64 bits. */
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

// --- selecting -----------------------------------------------------------------------------------------------------

function select({ to, condition, from }: StepOf<'select'>, { code, vectors }: VectorLowering): void {
  const type = from.some((ref) => vectors.typeOf(ref) === 'i64') ? 'i64' : 'i32';
  const [one, other] = pairOf(from.map((ref) => vectors.get(ref, type)));
  const [truth] = vectors.get(condition, 'i32').locals;
  const mask = vectors.temporary();
  code.get(truth).vector('i32x4.neg').set(mask);
  const chosen = vectors.made(type, (half) => {
    code.get(elementAt(one.locals, half)).get(elementAt(other.locals, half)).get(mask);
    if (type === 'i64') code.vector(half === 0 ? 'i64x2.extend_low_i32x4_s' : 'i64x2.extend_high_i32x4_s');
    code.vector('v128.bitselect');
  });
  vectors.set(to, chosen);
}

// --- lanes of a value -----------------------------------------------------------------------------------------------

function extract(to: Ref, from: Ref, low: number, width: number, lowering: VectorLowering): void {
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
    code.get(elementAt(source.locals, half)).i32(low).vector('i64x2.shr_u'),
  );
  if (width > 32) {
    vectors.set(to, shifted);
    return;
  }
  code.get(vectors.converted(shifted, 'i32').locals[0]);
  maskWords(code, width);
  setWord(to, lowering);
}

function vectorPack(step: StepOf<'pack'>, lowering: VectorLowering): Writer | null {
  const { to, from, lane, stride } = step;
  const { code, vectors } = lowering;
  const width = from.length * stride;
  const packed = (refs: readonly Ref[]): number => {
    const local = vectors.temporary();
    pushPacked(refs, { lane, stride }, lowering);
    code.set(local);
    return local;
  };
  if (width <= 32) return () => vectors.set(to, { type: 'i32', locals: [packed(from)] });
  if (width !== 64 || from.length === 1) return null;
  return () => {
    const [high, low] = [packed(from.slice(0, from.length / 2)), packed(from.slice(from.length / 2))];
    const wide = vectors.made('i64', (half) =>
      code
        .get(low)
        .get(high)
        .shuffle(half === 0 ? wordsAt(0, 4, 1, 5) : wordsAt(2, 6, 3, 7)),
    );
    vectors.set(to, wide);
  };
}

/**
 * Packs several values into the lanes of each word, and pushes the words. The first value is placed in the topmost
 * lane.
 */
function pushPacked(from: readonly Ref[], { lane, stride }: LaneLayout, { code, vectors }: VectorLowering): void {
  const sources = from.map((ref) => vectors.get(ref, 'i32').locals[0]);
  sources.forEach((source, i) => {
    if (i > 0) code.i32(stride).vector('i32x4.shl');
    code.get(source);
    maskWords(code, lane);
    if (i > 0) code.vector('v128.or');
  });
}

function vectorJoin({ to, high, low, shift, width }: StepOf<'join'>, lowering: VectorLowering): Writer | null {
  const { code, vectors } = lowering;
  if (width > 32) return null;
  return () => {
    code.get(vectors.get(high, 'i32').locals[0]).i32(shift).vector('i32x4.shl');
    code.get(vectors.get(low, 'i32').locals[0]).vector('v128.or');
    maskWords(code, width);
    setWord(to, lowering);
  };
}
