/**
 * Lowers loads and stores. An inline check recognizes accesses that are clearly valid. For all other accesses, the code
 * calls a function that checks them more thoroughly and, if necessary, calls the engine, which may raise a fault.
 */
import { elementAt } from '../../base/element-at.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import type { AccessSpace } from '../../isa/spaces.ts';
import type { AtomicOpcode, MemoryOpcode } from '../../wasm/opcodes.ts';
import type { Lowering } from '../lowering.ts';
import { holder } from '../regions/values.ts';
import type { SharedAccess } from './checked-spans.ts';
import {
  type AccessFacts,
  addStart,
  type BoundedSpace,
  isAlwaysValid,
  isQuick,
  sizeOf,
  writeQuickCheck,
  writeSpanCheck,
} from './checks.ts';
import { placeFunction } from './place.ts';

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

/**
 * Whether several host threads can access the state space at the same time. This is not the case for shared memory,
 * because all threads of a block run on one host thread.
 */
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
  const watched = step.order !== null && isContended(space, lowering) ? watchedLoads[width] : undefined;
  const at = locate(lowering, { space, access: 'load', size: (width / 8) * to.length }, step.address);
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
  const watched = step.order !== null && isContended(space, lowering) ? watchedStores[width] : undefined;
  const at = locate(lowering, { space, access: 'store', size: (width / 8) * from.length }, step.address);
  from.forEach((ref, i) => {
    const offset = layout.origin + (i * width) / 8;
    code.get(at);
    values.get(ref, holder(width));
    if (watched === undefined) code.memory(opcode, offset);
    else code.atomic(watched, offset);
  });
}

/** Writes code that checks an access, and returns the local that holds the address of the access in global memory. */
export function locate(lowering: Lowering, facts: AccessFacts, address: Ref): number {
  const { code, values, layout, spans, instruction } = lowering;
  const known = knownOffset(lowering, facts, address);
  if (known !== null) return startOf(lowering, known);
  const effective = values.temporary('i64');
  values.get(address, 'i64');
  code.set(effective);
  const shared = layout.checked ? (spans?.of(instruction) ?? null) : null;
  return shared === null ? locateAt(lowering, facts, effective) : locateInSpan(lowering, facts, shared, effective);
}

/** Checks an access to an address that is already in a local, and returns a local with its address in global memory. */
export function locateAt(lowering: Lowering, facts: AccessFacts, effective: number): number {
  const { code, values, helpers, locals, layout } = lowering;
  const { space } = facts;
  const at = values.temporary('i32');
  if (isAlwaysValid(space, layout)) {
    code.block((slow) => writeQuickCheck(lowering, facts, { effective, at, slow }));
    return at;
  }
  code.block((done) => {
    code.block((slow) => {
      if (!isQuick(facts)) return;
      writeQuickCheck(lowering, facts, { effective, at, slow });
      code.br(done);
    });
    // A generic address may point into any window, and an address in shared memory may belong to another block.
    if (space === 'generic' || (space === 'shared' && layout.reachesOtherBlocks)) callPlace(lowering, facts, effective);
    else {
      pushCall(lowering, facts);
      code.get(effective).get(locals.thread).get(locals.fuel).call(helpers.import('resolve'));
    }
    code.set(at);
  });
  return at;
}

/**
 * Returns the offset of an access that needs no check because its address is a constant within a space of known size;
 * null for all other accesses.
 */
function knownOffset(lowering: Lowering, facts: AccessFacts, address: Ref): KnownOffset | null {
  const { values, instruction, program, layout } = lowering;
  const { space, size } = facts;
  if (space === 'global' || space === 'generic' || !program.entry || !isQuick(facts)) return null;
  const place = values.placeOf(address);
  const source = instruction.addresses.find((one) => one.place === place);
  if (source === undefined || source.base.kind === 'register') return null;
  const { base } = source;
  const start = base.kind === 'none' ? 0 : (program.offsetOf(base.symbol) ?? layout.addressOf(base.symbol));
  if (start === null) return null;
  const offset = BigInt(start) + source.offset;
  const end = BigInt(space === 'shared' ? program.sharedBytes : sizeOf(lowering, space));
  const isValid = offset >= 0n && offset + BigInt(size) <= end && offset % BigInt(size) === 0n;
  return isValid ? { space, offset: Number(offset) } : null;
}

interface KnownOffset {
  readonly space: BoundedSpace;
  readonly offset: number;
}

function startOf(lowering: Lowering, { space, offset }: KnownOffset): number {
  const { code, values } = lowering;
  const at = values.temporary('i32');
  code.i32(offset);
  addStart(lowering, space);
  code.set(at);
  return at;
}

function locateInSpan(lowering: Lowering, facts: AccessFacts, shared: SharedAccess, effective: number): number {
  const { code, values } = lowering;
  const { checked, offset, isFirst } = shared;
  const at = values.temporary('i32');
  if (isFirst) {
    const start = values.temporary('i64');
    code.get(effective).i64(BigInt(offset)).op('i64.sub').set(start);
    writeSpanCheck(lowering, checked, start);
  }
  code
    .get(checked.valid)
    .likely()
    .if(
      () => code.get(elementAt(checked.at, 0)).i32(offset).op('i32.add').set(at),
      () => {
        callPlace(lowering, facts, effective);
        code.set(at);
      },
    );
  return at;
}

// --- unusual accesses -----------------------------------------------------------------------------------------------

function pushCall({ code, recordCall, program }: Lowering, facts: AccessFacts): void {
  code.i32(recordCall({ kind: 'access', ...facts, localBytes: program.localBytes }));
}

/**
 * Writes a call to a function from place.ts, which finds the address of an access in global memory, and leaves this
 * address on the stack. The function handles addresses in all windows and in the shared memory of other blocks.
 */
function callPlace(lowering: Lowering, facts: AccessFacts, effective: number): void {
  const { code, locals } = lowering;
  code.get(locals.context);
  pushCall(lowering, facts);
  code.get(effective).get(locals.thread).get(locals.fuel);
  if (locals.base === null) code.i32(0);
  else code.get(locals.base);
  code.call(placeFunction(lowering, facts));
}
