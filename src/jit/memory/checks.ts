/** Writes the code that checks accesses. The checks distinguish accesses that are clearly valid from all others. */
import type { Access } from '../../machine/memory/segment.ts';
import { elementAt } from '../../base/element-at.ts';
import type { AccessSpace } from '../../isa/spaces.ts';
import { firstNearAddress } from '../../machine/memory/address-space.ts';
import type { Code, Label } from '../../wasm/code.ts';
import { pushField } from '../context-field.ts';
import { alignTo16, type LaunchLayout } from '../layout.ts';
import type { Lowering, RegionLocals } from '../lowering.ts';
import type { CheckedSpan } from './checked-spans.ts';

/** An access of `size` bytes that must be checked. */
export interface AccessFacts {
  readonly space: AccessSpace;
  readonly access: Access;
  readonly size: number;
}

/** The state spaces that have a fixed size. */
export type BoundedSpace = Exclude<AccessSpace, 'global' | 'generic'>;

export function isBounded(space: AccessSpace): space is BoundedSpace {
  return space !== 'global' && space !== 'generic';
}

export function isQuick({ space, access, size }: AccessFacts): boolean {
  const isPower = (size & (size - 1)) === 0;
  return isPower && size <= 16 && (access === 'load' || (space !== 'param' && space !== 'const'));
}

/**
 * True if accesses to a space need no code that checks them. Even if checks are turned off, this code is needed to find
 * the memory to which some addresses refer: a generic address may point into a window, and an address in shared memory
 * may belong to another block.
 */
export function isAlwaysValid(
  space: AccessSpace,
  { checked, reachesOtherBlocks }: Pick<LaunchLayout, 'checked' | 'reachesOtherBlocks'>,
): boolean {
  return !checked && space !== 'generic' && !(space === 'shared' && reachesOtherBlocks);
}

/** The parts of `Lowering` that the code for checks needs. */
export interface CheckLowering extends Pick<Lowering, 'code' | 'layout' | 'program' | 'helpers'> {
  readonly locals: Omit<RegionLocals, 'index'>;
}

interface Quick {
  readonly effective: number;
  readonly at: number;
  readonly slow: Label;
}

/**
 * Branches to `slow` unless an access is clearly valid. If the access is clearly valid, sets `at` to its address in
 * global memory.
 */
export function writeQuickCheck(lowering: CheckLowering, { space, size }: AccessFacts, quick: Quick): void {
  const { code, layout } = lowering;
  if (isAlwaysValid(space, layout)) {
    code.get(quick.effective).op('i32.wrap_i64');
    if (isBounded(space)) addStart(lowering, space);
    code.set(quick.at);
  } else if (isBounded(space)) locateIn(lowering, space, quick, size);
  else locateGlobal(lowering, quick, size);
}

/**
 * Checks an access to global memory. It is enough to check one granule of the allocation map, because an aligned access
 * of at most 16 bytes lies within a single granule.
 */
function locateGlobal({ code, layout }: CheckLowering, { effective, at, slow }: Quick, size: number): void {
  if (!layout.checked) {
    code.get(effective).i64(BigInt(firstNearAddress)).op('i64.ge_u').unlikely().brIf(slow);
    code.get(effective).op('i32.wrap_i64').set(at);
    return;
  }
  code
    .get(effective)
    .i64(BigInt(layout.origin) * 16n)
    .op('i64.ge_u')
    .unlikely()
    .brIf(slow);
  code.get(effective).op('i32.wrap_i64').set(at);
  pushUnallocated(code, at, 0, size);
  if (size > 1)
    code
      .get(at)
      .i32(size - 1)
      .op('i32.and', 'i32.or');
  code.unlikely().brIf(slow);
}

/**
 * Checks an access to a space of fixed size. A single comparison checks both the alignment and the limit. For this, the
 * address is rotated to the right by the number of low bits that are zero in an aligned address. An aligned address
 * becomes the index of an element; any other address becomes a huge number, which fails the check. For local memory,
 * the limit is the end of the running function's activation, because a thread must not access local memory beyond it.
 */
function locateIn(lowering: CheckLowering, space: BoundedSpace, { effective, at, slow }: Quick, size: number): void {
  const { code } = lowering;
  const bits = BigInt(Math.log2(size));
  code.get(effective);
  if (size > 1) code.i64(bits).op('i64.rotr');
  pushEnd(lowering, space);
  if (size > 1) code.i64(bits).op('i64.shr_u');
  code.op('i64.ge_u').unlikely().brIf(slow);
  code.get(effective).op('i32.wrap_i64');
  addStart(lowering, space);
  code.set(at);
}

/** Pushes the number of bytes of a space that can be accessed. */
function pushEnd(lowering: CheckLowering, space: BoundedSpace): void {
  const { code, layout, locals } = lowering;
  if (space === 'shared') {
    pushField(code, layout, 'sharedSize').op('i64.extend_i32_u');
    return;
  }
  code.i64(BigInt(sizeOf(lowering, space)));
  if (space === 'local' && locals.base !== null) code.get(locals.base).op('i64.extend_i32_u', 'i64.add');
}

/** Adds the start address of a fixed-size space. */
export function addStart(lowering: CheckLowering, space: BoundedSpace): void {
  const { code, layout, locals } = lowering;
  pushField(code, layout, bases[space]).op('i32.add');
  if (space === 'local') code.get(locals.thread).i32(alignTo16(layout.localBytes)).op('i32.mul', 'i32.add');
}

export const bases = {
  shared: 'shared',
  local: 'local',
  param: 'parameters',
  const: 'constants',
  tensor: 'tensor',
} as const;

/** Size of a space in bytes; for local memory, the size of the function's own activation. */
export function sizeOf(
  { layout, program }: Pick<Lowering, 'layout' | 'program'>,
  space: 'local' | 'param' | 'const' | 'tensor',
): number {
  if (space === 'local') return program.localBytes;
  if (space === 'tensor') return layout.tensorBytes;
  return space === 'param' ? layout.parameterBytes : layout.constantBytes;
}

/** Checks a span whose start is in an i64 local, and sets the span's locals. */
export function writeSpanCheck(
  lowering: CheckLowering,
  { span, valid, at: addresses }: CheckedSpan,
  start: number,
): void {
  const { code, layout } = lowering;
  const at = elementAt(addresses, 0);
  const { space, size, bytes } = span;
  const pushMisaligned = (): Code =>
    code
      .get(start)
      .op('i32.wrap_i64')
      .i32(size - 1)
      .op('i32.and');
  if (isBounded(space)) {
    const outside = (offset: number): Code => {
      code.get(start);
      if (offset > 0) code.i64(BigInt(offset)).op('i64.add');
      pushEnd(lowering, space);
      return code.op('i64.ge_u');
    };
    // The address of the last byte can wrap around only if the start is outside the space. In that case, the first test
    // has already failed.
    outside(0);
    outside(bytes - 1).op('i32.or');
    if (size > 1) pushMisaligned().op('i32.or');
    code.op('i32.eqz').set(valid);
    code.get(start).op('i32.wrap_i64');
    addStart(lowering, space);
    code.set(at);
    return;
  }
  code.i32(0).set(valid);
  code.block((done) => {
    code
      .get(start)
      .i64(BigInt(layout.origin) * 16n - BigInt(bytes))
      .op('i64.ge_u')
      .unlikely()
      .brIf(done);
    code.get(start).op('i32.wrap_i64').set(at);
    pushUnallocated(code, at, 0, size);
    if (size > 1) pushMisaligned().op('i32.or');
    if (bytes > size) pushUnallocated(code, at, bytes - size, size).op('i32.or');
    code.op('i32.eqz').set(valid);
  });
}

/**
 * Pushes 1 if the allocation map forbids an access that begins `offset` bytes after the address in the local `at`. The
 * access must be aligned and at most 16 bytes long.
 */
export function pushUnallocated(code: Code, at: number, offset: number, size: number): Code {
  const address = (): Code => (offset === 0 ? code.get(at) : code.get(at).i32(offset).op('i32.add'));
  address().i32(4).op('i32.shr_u').memory('i32.load8_u', 0);
  return address().i32(15).op('i32.and').i32(size).op('i32.add', 'i32.lt_u');
}
