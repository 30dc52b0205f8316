/** Lowers the steps that use the windows of the generic address space: cvta and isspacep. */
import type { StepOf } from '../../isa/steps/step.ts';
import { rankShift, type WindowSpace } from '../../isa/spaces.ts';
import { firstNearAddress, windowBase, windowBits } from '../../machine/memory/address-space.ts';
import type { Code } from '../../wasm/code.ts';
import { maskTo } from '../arithmetic/integer.ts';
import type { Lowering } from '../lowering.ts';

/** The state spaces that have windows of their own in the generic address space. */
export const windowed: readonly Exclude<WindowSpace, 'global' | 'shared::cluster'>[] = [
  'shared',
  'local',
  'const',
  'param',
];

/** Pushes 1 if a generic address in an i64 local lies in a window of the space. */
function pushInWindow(code: Code, address: number, space: WindowSpace): void {
  const isIn = (of: WindowSpace, width: 32 | 64): Code => {
    const bits = BigInt(windowBits(width));
    return code
      .get(address)
      .i64(bits)
      .op('i64.shr_u')
      .i64(windowBase(of, width) >> bits)
      .op('i64.eq');
  };
  if (space !== 'global') {
    isIn(space, 64);
    if (space === 'shared') pushIsOwn(code, address, 64).op('i32.and');
    isIn(space, 32);
    if (space === 'shared') pushIsOwn(code, address, 32).op('i32.and');
    code.op('i32.or');
    return;
  }
  code.i32(0);
  for (const other of windowed) {
    isIn(other, 64).op('i32.or');
    isIn(other, 32).op('i32.or');
  }
  code.op('i32.eqz');
}

/**
 * Pushes 1 if an address in the window of shared memory belongs to the thread's own block. In such an address, the bits
 * that can hold the rank of a block are all 0.
 */
function pushIsOwn(code: Code, address: number, width: 32 | 64): Code {
  const rank = 2n ** BigInt(windowBits(width)) - 2n ** BigInt(rankShift);
  return code.get(address).i64(rank).op('i64.and', 'i64.eqz');
}

export function lowerInWindow(step: StepOf<'in-window'>, { code, values }: Lowering): void {
  const address = values.temporary('i64');
  values.get(step.from, 'i64');
  code.set(address);
  pushInWindow(code, address, step.space);
  values.set(step.to, 'i32');
}

/**
 * Lowers cvta. cvta.to converts a null pointer to an address that cvta converts back to a null pointer. Code from LLVM
 * converts null pointers and compares the results with each other.
 */
export function lowerWindow(step: StepOf<'window'>, lowering: Lowering): void {
  const { code, values, helpers, locals, recordCall } = lowering;
  const { space, width, direction } = step;
  const address = values.temporary('i64');
  values.get(step.from, 'i64');
  code.set(address);
  const raiseUnlessInside = (): void => {
    // The address may belong to another block of the cluster.
    pushInWindow(code, address, space === 'shared' ? 'shared::cluster' : space);
    code
      .get(address)
      .op('i64.eqz', 'i32.or', 'i32.eqz')
      .unlikely()
      .if(() => {
        code
          .i32(recordCall({ kind: 'window', space }))
          .get(address)
          .get(locals.thread)
          .get(locals.fuel);
        code.call(helpers.import('raise')).op('unreachable');
      });
  };
  if (direction === 'from-generic') {
    // A single comparison usually suffices, because almost every global address lies below all windows.
    if (space === 'global')
      code.get(address).i64(BigInt(firstNearAddress)).op('i64.ge_u').unlikely().if(raiseUnlessInside);
    else raiseUnlessInside();
  }
  if (direction === 'from-generic' && space !== 'global') {
    code.i64(BigInt.asIntN(64, -windowBase(space, width))).get(address);
    pushOffsetMask(code, address);
    code.op('i64.and').get(address).op('i64.eqz', 'select');
  } else {
    code.get(address);
    if (direction === 'to-generic') code.i64(windowBase(space, width)).op('i64.add');
  }
  maskTo(code, 'i64', width);
  values.set(step.to, 'i64');
}

/**
 * Pushes a mask that selects the bits of an address that form the offset within a window. If the high word of the
 * address is 0, the mask for near windows is used, because the high word of an address in a far window is never 0.
 */
function pushOffsetMask(code: Code, address: number): void {
  const mask = (width: 32 | 64): bigint => (1n << BigInt(windowBits(width))) - 1n;
  code.i64(mask(64)).i64(mask(32)).get(address).i64(32n).op('i64.shr_u', 'i64.eqz', 'i32.eqz', 'select');
}
