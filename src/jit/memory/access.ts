/**
 * Loads, stores and windows. An inline check handles accesses that are clearly valid; for all others the engine is
 * asked, which may raise a fault.
 */
import type { StepOf } from '../../isa/steps/step.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import type { AccessSpace, WindowSpace } from '../../isa/spaces.ts';
import { firstNearAddress, windowBase, windowBits } from '../../machine/address-space.ts';
import type { Code, Label } from '../../wasm/code.ts';
import type { AtomicOpcode, MemoryOpcode } from '../../wasm/opcodes.ts';
import { maskTo } from '../arithmetic/integer.ts';
import { pushField } from '../context-field.ts';
import { alignTo16 } from '../layout.ts';
import type { Lowering } from '../lowering.ts';
import { holder } from '../regions/values.ts';

export const loads: Readonly<Record<number, MemoryOpcode>> = {
  8: 'i32.load8_u',
  16: 'i32.load16_u',
  32: 'i32.load',
  64: 'i64.load',
};
export const stores: Readonly<Record<number, MemoryOpcode>> = {
  8: 'i32.store8',
  16: 'i32.store16',
  32: 'i32.store',
  64: 'i64.store',
};

const watchedLoads: Readonly<Record<number, AtomicOpcode>> = {
  8: 'i32.atomic.load8_u',
  16: 'i32.atomic.load16_u',
  32: 'i32.atomic.load',
  64: 'i64.atomic.load',
};
const watchedStores: Readonly<Record<number, AtomicOpcode>> = {
  8: 'i32.atomic.store8',
  16: 'i32.atomic.store16',
  32: 'i32.atomic.store',
  64: 'i64.atomic.store',
};

/** Whether threads of other blocks can access the space at the same time. Shared memory belongs to one block. */
export function isContended(space: AccessSpace, { layout }: Lowering): boolean {
  return layout.concurrent && (space === 'global' || space === 'generic');
}

export function opcodeFor(table: Readonly<Record<number, MemoryOpcode>>, width: number): MemoryOpcode {
  const opcode = table[width];
  if (opcode === undefined) throw new Error(`there is no memory instruction for ${width} bits`);
  return opcode;
}

export function lowerLoad(step: StepOf<'load'>, lowering: Lowering): void {
  const { code, values, layout } = lowering;
  const { width, to, space } = step;
  const opcode = opcodeFor(loads, width);
  const watched = step.watched && isContended(space, lowering) ? watchedLoads[width] : undefined;
  const at = locate(lowering, space, 'load', (width / 8) * to.length, step.address);
  to.forEach((ref, i) => {
    const offset = layout.origin + (i * width) / 8;
    code.get(at);
    if (watched === undefined) code.memory(opcode, offset);
    else code.atomic(watched, offset);
    values.set(ref, holder(width));
  });
}

export function lowerStore(step: StepOf<'store'>, lowering: Lowering): void {
  const { code, values, layout } = lowering;
  const { width, from, space } = step;
  const opcode = opcodeFor(stores, width);
  const watched = step.watched && isContended(space, lowering) ? watchedStores[width] : undefined;
  const at = locate(lowering, space, 'store', (width / 8) * from.length, step.address);
  from.forEach((ref, i) => {
    const offset = layout.origin + (i * width) / 8;
    code.get(at);
    values.get(ref, holder(width));
    if (watched === undefined) code.memory(opcode, offset);
    else code.atomic(watched, offset);
  });
}

/** Checks an access of `size` bytes and returns a local with its address in global memory. */
export function locate(
  lowering: Lowering,
  space: AccessSpace,
  access: 'load' | 'store',
  size: number,
  address: Ref,
): number {
  const { code, values } = lowering;
  const effective = values.temporary('i64');
  values.get(address, 'i64');
  code.set(effective);
  return locateAt(lowering, space, access, size, effective);
}

/** Checks an access to an address that is already in a local, and returns a local with its address in global memory. */
export function locateAt(
  lowering: Lowering,
  space: AccessSpace,
  access: 'load' | 'store',
  size: number,
  effective: number,
): number {
  const { code, values, helpers, locals, layout, recordCall } = lowering;
  const at = values.temporary('i32');
  if (!layout.checked && space !== 'generic') {
    code.get(effective).op('i32.wrap_i64');
    if (space !== 'global') addStart(lowering, space);
    code.set(at);
    return at;
  }
  code.block((done) => {
    code.block((slow) => {
      const quick: Quick = { effective, at, size, slow };
      if (!isQuick(space, access, size)) return;
      if (space === 'global' || space === 'generic') locateGlobal(lowering, quick);
      else locateIn(lowering, space, quick);
      code.br(done);
    });
    code.i32(recordCall({ kind: 'access', space, access, size, localBytes: lowering.program.localBytes }));
    code.get(effective).get(locals.thread).get(locals.fuel).call(helpers.import('resolve')).set(at);
  });
  return at;
}

function isQuick(space: AccessSpace, access: 'load' | 'store', size: number): boolean {
  const isPower = (size & (size - 1)) === 0;
  return isPower && size <= 16 && (access === 'load' || (space !== 'param' && space !== 'const'));
}

interface Quick {
  readonly effective: number;
  readonly at: number;
  readonly size: number;
  readonly slow: Label;
}

/** Checks an access to global memory. An aligned access of at most 16 bytes lies within one granule of the map. */
function locateGlobal({ code, layout }: Lowering, { effective, at, size, slow }: Quick): void {
  if (!layout.checked) {
    // A generic address may point into another window.
    code.get(effective).i64(BigInt(firstNearAddress)).op('i64.ge_u').brIf(slow);
    code.get(effective).op('i32.wrap_i64').set(at);
    return;
  }
  code
    .get(effective)
    .i64(BigInt(layout.origin) * 16n)
    .op('i64.ge_u')
    .brIf(slow);
  code.get(effective).op('i32.wrap_i64').tee(at).i32(4).op('i32.shr_u').memory('i32.load8_u', 0);
  code.get(at).i32(15).op('i32.and').i32(size).op('i32.add', 'i32.lt_u');
  if (size > 1)
    code
      .get(at)
      .i32(size - 1)
      .op('i32.and', 'i32.or');
  code.brIf(slow);
}

/**
 * Checks an access to a space of fixed size by comparing its last byte with the end of the space. Local memory ends
 * with the running activation, because bytes after it belong to nobody. Unaligned addresses do not get here.
 */
function locateIn(lowering: Lowering, space: Exclude<AccessSpace, 'global' | 'generic'>, quick: Quick): void {
  const { code } = lowering;
  const { effective, at, size, slow } = quick;
  code
    .get(effective)
    .i64(BigInt(size - 1))
    .op('i64.add');
  if (space === 'shared') pushField(code, lowering.layout, 'sharedSize').op('i64.extend_i32_u');
  else code.i64(BigInt(sizeOf(lowering, space)));
  if (space === 'local' && lowering.locals.base !== null)
    code.get(lowering.locals.base).op('i64.extend_i32_u', 'i64.add');
  code.op('i64.ge_u');
  code
    .get(effective)
    .i64(BigInt(size - 1))
    .op('i64.and', 'i64.eqz', 'i32.eqz', 'i32.or')
    .brIf(slow);
  code.get(effective).op('i32.wrap_i64');
  addStart(lowering, space);
  code.set(at);
}

/** Adds the start address of a fixed-size space. */
function addStart(lowering: Lowering, space: Exclude<AccessSpace, 'global' | 'generic'>): void {
  const { code, layout, locals } = lowering;
  pushField(code, lowering.layout, bases[space]).op('i32.add');
  if (space === 'local') code.get(locals.thread).i32(alignTo16(layout.localBytes)).op('i32.mul', 'i32.add');
}

export const bases = { shared: 'shared', local: 'local', param: 'parameters', const: 'constants' } as const;

/** Size of a space in bytes; for local memory, that of the function's own activation. */
export function sizeOf({ layout, program }: Lowering, space: 'local' | 'param' | 'const'): number {
  if (space === 'local') return program.localBytes;
  return space === 'param' ? layout.parameterBytes : layout.constantBytes;
}

// --- windows --------------------------------------------------------------------------------------------------------

const windowed: readonly WindowSpace[] = ['shared', 'local', 'const', 'param'];

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
    isIn(space, 32).op('i32.or');
    return;
  }
  code.i32(0);
  for (const other of windowed) {
    isIn(other, 64).op('i32.or');
    isIn(other, 32).op('i32.or');
  }
  code.op('i32.eqz');
}

export function lowerInWindow(step: StepOf<'in-window'>, { code, values }: Lowering): void {
  const address = values.temporary('i64');
  values.get(step.from, 'i64');
  code.set(address);
  pushInWindow(code, address, step.space);
  values.set(step.to, 'i32');
}

export function lowerWindow(step: StepOf<'window'>, lowering: Lowering): void {
  const { code, values, helpers, locals, recordCall } = lowering;
  const { space, width, direction } = step;
  const address = values.temporary('i64');
  values.get(step.from, 'i64');
  code.set(address);
  if (direction === 'from-generic') {
    pushInWindow(code, address, space);
    code.op('i32.eqz').if(() => {
      code
        .i32(recordCall({ kind: 'window', space }))
        .get(address)
        .get(locals.thread)
        .get(locals.fuel);
      code.call(helpers.import('raise')).op('unreachable');
    });
  }
  code.get(address);
  if (direction === 'to-generic') code.i64(windowBase(space, width)).op('i64.add');
  else if (space !== 'global') {
    pushOffsetMask(code, address);
    code.op('i64.and');
  }
  maskTo(code, 'i64', width);
  values.set(step.to, 'i64');
}

/**
 * Pushes a mask of the address bits that are the offset within a window. An address with a high word of 0 is never in a
 * far window.
 */
function pushOffsetMask(code: Code, address: number): void {
  const mask = (width: 32 | 64): bigint => (1n << BigInt(windowBits(width))) - 1n;
  code.i64(mask(64)).i64(mask(32)).get(address).i64(32n).op('i64.shr_u', 'i64.eqz', 'i32.eqz', 'select');
}
