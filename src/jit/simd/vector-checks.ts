/**
 * Writes checks for accesses by four threads: consecutive accesses are checked together, and scattered accesses are
 * checked separately for each thread.
 */
import { elementAt } from '../../base/element-at.ts';
import { pairOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { AccessSpan } from '../../program/access-spans.ts';
import type { Code, Label } from '../../wasm/code.ts';
import { pushField } from '../context-field.ts';
import type { CheckedSpan } from '../memory/checked-spans.ts';
import { bases, type BoundedSpace, isBounded, pushUnallocated, sizeOf } from '../memory/checks.ts';
import { allValidFunction } from './scattered-access.ts';
import { pushDoubleWords, type VectorLowering } from './vector-lowering.ts';
import { splat } from './vector-words.ts';
import { laneCount, type Vector } from './vectors.ts';
import { oddWords, wordsAt } from './word-shuffles.ts';

export type AccessStep = StepOf<'load'> | StepOf<'store'>;

/**
 * For accesses that need no check, sets a local to the address that the first of the four threads accesses. Branches to
 * `scattered` unless the four threads access consecutive elements of `size` bytes.
 */
export function locateRow(
  step: AccessStep,
  size: number,
  at: number,
  lowering: VectorLowering,
  scattered: Label,
): void {
  const { code } = lowering;
  leaveUnlessConsecutive(step, size, lowering, scattered);
  pushFirst(step, lowering);
  code.op('i32.wrap_i64');
  if (isBounded(step.space)) pushField(code, lowering.scalar.layout, bases[step.space]).op('i32.add');
  code.set(at);
}

/** Sets four locals to the addresses of four accesses that need no check. */
export function locateEach(
  step: Pick<AccessStep, 'address' | 'space'>,
  at: readonly number[],
  lowering: VectorLowering,
): void {
  const { code, vectors, scalar } = lowering;
  const start = vectors.temporary();
  code.get(vectors.get(step.address, 'i32').locals[0]);
  if (isBounded(step.space)) pushField(code, scalar.layout, bases[step.space]).vector('i32x4.splat', 'i32x4.add');
  code.set(start);
  setLanes(start, at, code);
}

function setLanes(vector: number, locals: readonly number[], code: Code): void {
  locals.slice(0, laneCount).forEach((local, lane) => {
    code.get(vector).lane('i32x4.extract_lane', lane).set(local);
  });
}

/**
 * For accesses that are consecutive across the four threads, checks the spans of all threads as one span, and sets its
 * locals. The start of the span is computed from the addresses of one of its accesses. Branches to `slow` unless these
 * checks show that the whole span is valid.
 */
export function checkRow(
  step: AccessStep,
  checked: CheckedSpan,
  offset: number,
  lowering: VectorLowering,
  slow: Label,
): void {
  const { code, scalar } = lowering;
  const { span, valid } = checked;
  const at = elementAt(checked.at, 0);
  const { space, size } = span;
  const start = scalar.values.temporary('i64');
  const bytes = span.bytes + (laneCount - 1) * size;
  code.i32(0).set(valid);
  leaveUnlessConsecutive(step, size, lowering, slow);
  pushFirst(step, lowering);
  if (offset > 0) code.i64(BigInt(offset)).op('i64.sub');
  code.set(start);
  if (isBounded(space)) {
    pushOutsideSpace(space, start, size, bytes, lowering);
    code.unlikely().brIf(slow).get(start).op('i32.wrap_i64');
    pushField(code, scalar.layout, bases[space]).op('i32.add').set(at);
  } else {
    code
      .get(start)
      .i64(BigInt(scalar.layout.origin) * 16n - BigInt(bytes))
      .op('i64.ge_u')
      .unlikely()
      .brIf(slow);
    code.get(start).op('i32.wrap_i64').set(at);
    if (scalar.layout.checked) leaveUnlessAllocated(at, size, bytes, code, slow);
  }
  code.i32(1).set(valid);
}

/**
 * Given the addresses of one access, checks the span of each of the four threads separately, and sets the locals of the
 * spans. Branches to `slow` unless these checks show that all spans are valid.
 */
export function checkScattered(
  step: AccessStep,
  { span, valid, at }: CheckedSpan,
  offset: number,
  lowering: VectorLowering,
  slow: Label,
): void {
  const { code, vectors, scalar } = lowering;
  const { space } = span;
  const start = vectors.temporary();
  if (!isBounded(space)) {
    const given = vectors.get(step.address, 'i64');
    const starts = vectors.made('i64', (half) => {
      code.get(elementAt(given.locals, half));
      if (offset > 0) pushDoubleWords(code, BigInt(offset)).vector('i64x2.sub');
    });
    for (const local of starts.locals) code.get(local);
    code.call(allValidFunction(scalar, span)).tee(valid).op('i32.eqz').unlikely().brIf(slow);
    code.get(vectors.converted(starts, 'i32').locals[0]).set(start);
    setLanes(start, at, code);
    return;
  }
  code.i32(0).set(valid);
  code.get(vectors.get(step.address, 'i32').locals[0]);
  if (offset > 0) splat(code, offset).vector('i32x4.sub');
  code.set(start);
  leaveUnlessInside({ span, space }, start, vectors.present(step.address), lowering, slow);
  code.i32(1).set(valid).get(start);
  pushField(code, scalar.layout, bases[space]).vector('i32x4.splat', 'i32x4.add').set(start);
  setLanes(start, at, code);
}

/**
 * Branches to a label unless the spans of all four threads lie within a state space. `address` contains the four start
 * addresses.
 */
function leaveUnlessInside(
  { span, space }: { readonly span: AccessSpan; readonly space: BoundedSpace },
  start: number,
  address: Vector,
  { code, scalar }: VectorLowering,
  done: Label,
): void {
  const { bytes, size } = span;
  if (address.type === 'i64') {
    const [low, high] = address.locals;
    code.get(low).get(high).shuffle(oddWords).vector('v128.any_true').unlikely().brIf(done);
  }
  const pushSize = (): Code =>
    space === 'shared' ? pushField(code, scalar.layout, 'sharedSize') : code.i32(sizeOf(scalar, space));
  pushSize().i32(bytes).op('i32.lt_u').unlikely().brIf(done);
  code.get(start);
  pushSize().i32(bytes).op('i32.sub').vector('i32x4.splat', 'i32x4.gt_u');
  if (size > 1) {
    code.get(start);
    splat(code, size - 1).vector('v128.and', 'v128.or');
  }
  code.vector('v128.any_true').unlikely().brIf(done);
}

/** Branches to `scattered` unless each thread's address is `size` bytes above the address of the preceding thread. */
function leaveUnlessConsecutive(
  step: AccessStep,
  size: number,
  { code, vectors }: VectorLowering,
  scattered: Label,
): void {
  const address = vectors.present(step.address);
  if (address.type === 'i32') {
    const [words] = address.locals;
    code
      .get(words)
      .get(words)
      .shuffle(wordsAt(0, 0, 0, 0));
    code
      .words(0, size, 2 * size, 3 * size)
      .vector('i32x4.add')
      .get(words)
      .vector('v128.xor');
  } else {
    const [low, high] = pairOf(address.locals);
    const differences = (vector: number, lane: number): void => {
      code
        .get(low)
        .get(low)
        .shuffle(wordsAt(0, 1, 0, 1));
      code
        .words(lane * size, 0, (lane + 1) * size, 0)
        .vector('i64x2.add')
        .get(vector)
        .vector('v128.xor');
    };
    differences(low, 0);
    differences(high, 2);
    code.vector('v128.or');
  }
  code.vector('v128.any_true').unlikely().brIf(scattered);
}

/** Pushes the address that the first of the four threads accesses. */
function pushFirst(step: AccessStep, { code, vectors }: VectorLowering): void {
  const address = vectors.present(step.address);
  if (address.type === 'i32') code.get(address.locals[0]).lane('i32x4.extract_lane', 0).op('i64.extend_i32_u');
  else code.get(address.locals[0]).lane('i64x2.extract_lane', 0);
}

/**
 * Branches to `slow` unless the `bytes` bytes that start at an address are allocated and the address is aligned. Gaps
 * between allocations are longer than a span. If the first and the last access of a span are in allocated memory,
 * everything between them is therefore also allocated. An access may extend into the next granule only if all bytes of
 * the granule where it begins are allocated.
 */
function leaveUnlessAllocated(at: number, size: number, bytes: number, code: Code, slow: Label): void {
  const orMisaligned = (): void => {
    if (size === 1) return;
    code
      .get(at)
      .i32(size - 1)
      .op('i32.and', 'i32.or');
  };
  const checkEnds = (): void => {
    pushUnallocated(code, at, 0, size);
    pushUnallocated(code, at, bytes - size, size).op('i32.or');
    orMisaligned();
    code.unlikely().brIf(slow);
  };
  if (bytes > 16) {
    checkEnds();
    return;
  }
  pushUnallocated(code, at, 0, bytes);
  // If a whole granule is accessed, the check above has already detected any misaligned address.
  if (bytes < 16) orMisaligned();
  code.if(checkEnds);
}

/** Pushes 0 if the first and the last byte lie within the space and the start is aligned, otherwise 1. */
function pushOutsideSpace(
  space: BoundedSpace,
  start: number,
  size: number,
  bytes: number,
  { code, scalar }: VectorLowering,
): void {
  const outside = (offset: number): Code => {
    code.get(start);
    if (offset > 0) code.i64(BigInt(offset)).op('i64.add');
    if (space === 'shared') pushField(code, scalar.layout, 'sharedSize').op('i64.extend_i32_u');
    else code.i64(BigInt(sizeOf(scalar, space)));
    return code.op('i64.ge_u');
  };
  outside(0);
  outside(bytes - 1).op('i32.or');
  if (size === 1) return;
  code
    .get(start)
    .i64(BigInt(size - 1))
    .op('i64.and', 'i64.eqz', 'i32.eqz', 'i32.or');
}
