/**
 * Loads and stores of four threads with consecutive addresses. They are checked together and use whole vectors. All
 * other addresses branch to the path for single threads.
 */
import { elementAt } from '../../base/element-at.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Code } from '../../wasm/code.ts';
import { firstNearAddress } from '../../machine/address-space.ts';
import { bases, sizeOf } from '../memory/access.ts';
import { pushField } from '../context-field.ts';
import type { VectorLowering, Writer } from './vector-lowering.ts';
import { laneCount, type Vector, wordsAt } from './vectors.ts';
import { holder } from '../regions/values.ts';
import { pairOf } from '../../base/tuples.ts';

type Access = StepOf<'load'> | StepOf<'store'>;

export function vectorAccess(step: Access, lowering: VectorLowering): Writer | null {
  const refs = step.kind === 'load' ? step.to : step.from;
  const { width, space } = step;
  const whole = refs.length === 1 || (width === 32 && (refs.length === 2 || refs.length === 4));
  if (!whole || width > 64 || space === 'local') return null;
  if (step.watched) return null;
  if (step.kind === 'store' && (space === 'param' || space === 'const')) return null;
  const { vectors } = lowering;
  return () => {
    const at = locate(step, refs.length, lowering);
    if (step.kind === 'load') {
      const loaded = load(step, at, refs.length, lowering);
      refs.forEach((ref, i) => vectors.set(ref, elementAt(loaded, i)));
    } else {
      store(
        step,
        at,
        refs.map((ref) => vectors.get(ref, holder(width))),
        lowering,
      );
    }
  };
}

// --- addresses ------------------------------------------------------------------------------------------------------

/**
 * Returns a local with the global address of the first access. Branches to the path for single threads unless all four
 * accesses are valid.
 */
function locate(step: Access, count: number, lowering: VectorLowering): number {
  const { code, vectors, scalar, leave } = lowering;
  const { values } = scalar;
  const size = (step.width / 8) * count;
  const first = values.temporary('i64');
  const at = values.temporary('i32');
  const [low, high] = pairOf(vectors.get(step.address, 'i64').locals);
  leave(() => {
    code.get(low).lane('i64x2.extract_lane', 0).set(first);
    const follows = (vector: number, lane: number): void => {
      code.get(first).vector('i64x2.splat');
      code
        .words(lane * size, 0, (lane + 1) * size, 0)
        .vector('i64x2.add')
        .get(vector)
        .vector('i64x2.eq');
    };
    follows(low, 0);
    follows(high, 2);
    code.vector('v128.and', 'i64x2.all_true').op('i32.eqz');
  });
  if (step.space === 'global' || step.space === 'generic') inGlobal(first, at, size, lowering);
  else inSpace(step.space, first, at, size, lowering);
  return at;
}

/**
 * Checks accesses to global memory. Allocations are farther apart than four accesses reach, so if the first and the
 * last access are allocated, everything between them is. An access may extend into the next granule only if its own
 * granule is full.
 */
function inGlobal(first: number, at: number, size: number, { code, scalar, leave }: VectorLowering): void {
  if (!scalar.layout.checked) {
    leave(() => code.get(first).i64(BigInt(firstNearAddress)).op('i64.ge_u'));
    code.get(first).op('i32.wrap_i64').set(at);
    return;
  }
  const reach = laneCount * size;
  const beyond = BigInt(scalar.layout.origin) * 16n - BigInt(reach);
  leave(() => {
    code.get(first).i64(beyond).op('i64.ge_u');
    code
      .get(first)
      .i64(BigInt(size - 1))
      .op('i64.and', 'i64.eqz', 'i32.eqz', 'i32.or');
  });
  code.get(first).op('i32.wrap_i64').set(at);
  const outside = (offset: number, bytes: number): Code => {
    const address = (): Code => (offset === 0 ? code.get(at) : code.get(at).i32(offset).op('i32.add'));
    address().i32(4).op('i32.shr_u').memory('i32.load8_u', 0);
    return address().i32(15).op('i32.and').i32(bytes).op('i32.add', 'i32.lt_u');
  };
  if (reach <= 16) {
    outside(0, reach);
    code.if(() => leave(() => bothOutside(outside, size, code)));
  } else leave(() => bothOutside(outside, size, code));
}

function bothOutside(outside: (offset: number, bytes: number) => Code, size: number, code: Code): void {
  outside(0, size);
  outside((laneCount - 1) * size, size);
  code.op('i32.or');
}

/** Checks that the first and the last byte lie within the space. */
function inSpace(
  space: 'shared' | 'param' | 'const' | 'local',
  first: number,
  at: number,
  size: number,
  { code, scalar, leave }: VectorLowering,
): void {
  const pushSize = (): void => {
    if (space === 'shared') pushField(code, scalar.layout, 'sharedSize').op('i64.extend_i32_u');
    else code.i64(BigInt(sizeOf(scalar, space)));
  };
  if (scalar.layout.checked)
    leave(() => {
      code.get(first);
      pushSize();
      code.op('i64.ge_u');
      code
        .get(first)
        .i64(BigInt(laneCount * size - 1))
        .op('i64.add');
      pushSize();
      code.op('i64.ge_u', 'i32.or');
      code
        .get(first)
        .i64(BigInt(size - 1))
        .op('i64.and', 'i64.eqz', 'i32.eqz', 'i32.or');
    });
  code.get(first).op('i32.wrap_i64');
  pushField(code, scalar.layout, bases[space]).op('i32.add').set(at);
}

// --- elements -------------------------------------------------------------------------------------------------------

/** Loads the elements of each thread, as one vector for each element. */
function load({ width }: Access, at: number, count: number, { code, vectors, scalar }: VectorLowering): Vector[] {
  const { origin } = scalar.layout;
  const vector = (push: () => unknown): number => {
    const local = vectors.temporary();
    push();
    code.set(local);
    return local;
  };
  const part = (i: number): number => vector(() => code.get(at).vectorMemory('v128.load', origin + 16 * i));
  if (width === 64) return [{ type: 'i64', locals: [part(0), part(1)] }];
  const word = (local: number): Vector => ({ type: 'i32', locals: [local] });
  if (width === 16) return [word(vector(() => code.get(at).vectorMemory('v128.load16x4_u', origin)))];
  if (width === 8) {
    const bytes = (): Code => code.get(at).vectorMemory('v128.load32_zero', origin);
    return [word(vector(() => bytes().vector('i16x8.extend_low_i8x16_u', 'i32x4.extend_low_i16x8_u')))];
  }
  const parts = Array.from({ length: count }, (_, i) => part(i));
  return transposed(parts, vector, code).map(word);
}

function store(
  { width }: Access,
  at: number,
  values: readonly Vector[],
  { code, vectors, scalar }: VectorLowering,
): void {
  const { origin } = scalar.layout;
  const value = elementAt(values, 0);
  if (width === 64) {
    value.locals.forEach((local, i) =>
      code
        .get(at)
        .get(local)
        .vectorMemory('v128.store', origin + 16 * i),
    );
    return;
  }
  const [words] = value.locals;
  if (width === 16 || width === 8) {
    code.get(at).get(words).get(words).vector('i16x8.narrow_i32x4_u');
    if (width === 8) {
      const halves = vectors.temporary();
      code.set(halves).get(halves).get(halves).vector('i8x16.narrow_i16x8_u');
    }
    code.laneMemory(width === 16 ? 'v128.store64_lane' : 'v128.store32_lane', origin);
    return;
  }
  const vector = (push: () => unknown): number => {
    const local = vectors.temporary();
    push();
    code.set(local);
    return local;
  };
  const parts = interleaved(
    values.map(({ locals }) => locals[0]),
    vector,
    code,
  );
  parts.forEach((local, i) =>
    code
      .get(at)
      .get(local)
      .vectorMemory('v128.store', origin + 16 * i),
  );
}

type Make = (push: () => unknown) => number;

/**
 * Transposes vectors that each hold one thread's words into vectors of all threads' first words, second words, and so
 * on.
 */
function transposed(parts: readonly number[], make: Make, code: Code): readonly number[] {
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const mix = (one: number, other: number, words: readonly number[]): number =>
    make(() =>
      code
        .get(one)
        .get(other)
        .shuffle(wordsAt(...words)),
    );
  if (parts.length === 1) return parts;
  if (parts.length === 2) return [mix(a, b, [0, 2, 4, 6]), mix(a, b, [1, 3, 5, 7])];
  const [ab, cd] = [mix(a, b, [0, 4, 1, 5]), mix(c, d, [0, 4, 1, 5])];
  const [abHigh, cdHigh] = [mix(a, b, [2, 6, 3, 7]), mix(c, d, [2, 6, 3, 7])];
  return [
    mix(ab, cd, [0, 1, 4, 5]),
    mix(ab, cd, [2, 3, 6, 7]),
    mix(abHigh, cdHigh, [0, 1, 4, 5]),
    mix(abHigh, cdHigh, [2, 3, 6, 7]),
  ];
}

/** The inverse of `transposed`. */
function interleaved(values: readonly number[], make: Make, code: Code): readonly number[] {
  const [a = 0, b = 0] = values;
  if (values.length !== 2) return transposed(values, make, code);
  const mix = (words: readonly number[]): number =>
    make(() =>
      code
        .get(a)
        .get(b)
        .shuffle(wordsAt(...words)),
    );
  return [mix([0, 4, 1, 5]), mix([2, 6, 3, 7])];
}
