/**
 * Lowers one instruction: reads its operands, lowers its steps and writes its results. region-function.ts handles
 * control flow.
 */
import { formats } from '../numerics/formats.ts';
import { isFloatArithmeticFormat } from '../numerics/operations.ts';
import type { Ref } from '../isa/steps/ref.ts';
import type { Step, StepKind, StepOf } from '../isa/steps/step.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import { isOnStack } from '../program/layout.ts';
import type { AddressSource, SymbolAddress, Transfer } from '../program/function-program.ts';
import { lowerLoad, lowerStore } from './memory/access.ts';
import { lowerInWindow, lowerWindow } from './memory/windows.ts';
import { lowerAtomic } from './memory/atomic.ts';
import { converter } from './arithmetic/convert.ts';
import { shortConversion } from './arithmetic/short-conversions.ts';
import { pushFloatComparison } from './arithmetic/float-bits.ts';
import { lowerMufu } from './simd/vector-mufu.ts';
import { lowerFloat } from './arithmetic/float-arithmetic.ts';
import { halved } from './halves.ts';
import {
  lowerBits,
  lowerClamp,
  lowerInteger,
  maskTo,
  pushIntegerComparison,
  signExtendIn,
} from './arithmetic/integer.ts';
import type { Lowering } from './lowering.ts';
import { lowerSpecial } from './specials.ts';
import { lowerBox } from './memory/box.ts';
import { loadResults } from './engine-results.ts';
import { lowerTensorCopy, lowerTensorLoad, lowerTensorStore, lowerTensorProduct } from './memory/tensor.ts';
import { lowerSurfaceAddress, lowerSurfaceStore, lowerTextureRead } from './textures/texture-steps.ts';
import { lowerBulk, lowerBulkAtomic, lowerClear, lowerTransfer } from './memory/transfer.ts';
import { holder, type Values } from './regions/values.ts';

/** Lowers the whole instruction except its effect on control flow. */
export function lowerInstruction(lowering: Lowering): void {
  const { instruction } = lowering;
  lowerOperands(lowering);
  for (const step of instruction.steps) lowerStep(step, lowering);
  lowerResults(lowering);
}

/** Lowers the part of an instruction before the step at which its thread stops to wait for other threads. */
export function lowerUntil(stop: Step, lowering: Lowering): void {
  const { steps } = lowering.instruction;
  lowerOperands(lowering);
  for (const step of steps.slice(0, steps.indexOf(stop))) lowerStep(step, lowering);
}

/**
 * Lowers the part of an instruction after the step at which its thread stopped. The results of that step have already
 * been set.
 */
export function lowerAfter(stop: Step, lowering: Lowering): void {
  const { steps } = lowering.instruction;
  for (const step of steps.slice(steps.indexOf(stop) + 1)) lowerStep(step, lowering);
  lowerResults(lowering);
}

/** Lowers operands that are addresses of variables or functions. */
export function lowerSymbols(lowering: Lowering): void {
  for (const source of lowering.instruction.symbols) lowerSymbol(source, lowering);
}

function lowerOperands(lowering: Lowering): void {
  const { specials, addresses, reads } = lowering.instruction;
  lowerSymbols(lowering);
  for (const source of specials) lowerSpecial(source, lowering);
  for (const source of addresses) lowerAddress(source, lowering);
  for (const transfer of reads) lowerRead(transfer, lowering);
}

function lowerResults(lowering: Lowering): void {
  for (const transfer of lowering.instruction.writes) lowerWrite(transfer, lowering);
}

// --- operands -------------------------------------------------------------------------------------------------------

/**
 * Reads an operand from a register. If the register is wider than the operand's type, only the low bits are used (PTX
 * ISA 9.1, Table 27).
 */
function lowerRead({ operand, register, registerWidth, type, negated }: Transfer, { code, values }: Lowering): void {
  if (registerWidth > 64) {
    copyPlace(register, operand, values);
    return;
  }
  const target = holder(type.width);
  values.getPlace(register, target);
  if (negated) code.op('i32.eqz');
  else if (type.width < registerWidth) maskTo(code, target, type.width);
  values.setPlace(operand, target);
}

/** Writes a result to a register; signed integers are sign-extended (PTX ISA 9.1, Table 28). */
function lowerWrite({ operand, register, registerWidth, type }: Transfer, { code, values }: Lowering): void {
  if (registerWidth > 64) {
    copyPlace(operand, register, values);
    return;
  }
  const target = holder(registerWidth);
  values.getPlace(operand, target);
  if (type.class === 'signed' && registerWidth > type.width) signExtendIn(code, target, type.width);
  maskTo(code, target, registerWidth);
  values.setPlace(register, target);
}

/**
 * Copies a 128-bit value. The value is never truncated or extended, because 128-bit registers never hold values of
 * another width.
 */
function copyPlace(from: number, to: number, values: Values): void {
  values.getPlace(from, 'i64');
  values.setPlace(to, 'i64');
  values.getPlace(values.upperOf(from), 'i64');
  values.setPlace(values.upperOf(to), 'i64');
}

function lowerSymbol({ place, base, offset, width }: SymbolAddress, lowering: Lowering): void {
  const { code, values, layout } = lowering;
  const address =
    base.kind === 'function' ? base.address : (lowering.program.offsetOf(base.symbol) ?? layout.addressOf(base.symbol));
  if (address === null)
    throw new Error(`no address is known for ${base.kind === 'variable' ? base.symbol.name : 'a function'}`);
  code.i64(BigInt(address) + offset);
  if (base.kind === 'variable') addBase(base.symbol, lowering);
  maskTo(code, 'i64', width);
  values.setPlace(place, 'i64');
}

/** If the variable is in an activation, adds the base of the activation to its address. */
function addBase({ space }: VariableSymbol, { code, locals }: Lowering): void {
  if (locals.base !== null && isOnStack(space)) code.get(locals.base).op('i64.extend_i32_u', 'i64.add');
}

/** Writes code that computes the 64-bit effective address, including the immediate offset. */
export function lowerAddress({ place, base, offset }: AddressSource, lowering: Lowering): void {
  const { code, values, layout } = lowering;
  switch (base.kind) {
    case 'none':
      code.i64(offset);
      break;
    case 'variable': {
      const start = lowering.program.offsetOf(base.symbol) ?? layout.addressOf(base.symbol);
      if (start === null) throw new Error(`variable '${base.symbol.name}' has no address`);
      code.i64(BigInt(start) + offset);
      addBase(base.symbol, lowering);
      break;
    }
    case 'register':
      values.getPlace(base.register, 'i64');
      if (base.signed && base.width < 32) signExtendIn(code, 'i64', base.width);
      else if (offset === 0n) break;
      code.i64(offset).op('i64.add');
      // 32-bit addresses must wrap around at 32 bits, because compilers may subtract a number from the address first
      // and add it back as an immediate offset.
      if (base.width <= 32) maskTo(code, 'i64', 32);
  }
  values.setPlace(place, 'i64');
}

// --- steps ----------------------------------------------------------------------------------------------------------

export function lowerStep(step: Step, lowering: Lowering): void {
  const parts = halved(step, lowering.values);
  if (parts === null) lowerNarrow(step, lowering);
  else for (const part of parts) lowerNarrow(part, lowering);
}

type Lower<Kind extends StepKind> = (step: StepOf<Kind>, lowering: Lowering) => void;

/**
 * The entry in `lowerings` for kinds of steps that affect control flow. region-function.ts writes the code of these
 * steps, outside the code of the instruction.
 */
const byRegion = (): void => undefined;

const stop = (): void => {
  throw new Error('a stop must be written by the region that it ends');
};

/**
 * How each kind of step is lowered. These functions support only values of at most 64 bits; halves.ts splits wider
 * values.
 */
const lowerings: { readonly [Kind in StepKind]: Lower<Kind> } = {
  convert: lowerConvert,
  clamp: lowerClamp,
  unpack: ({ to, from, lane, stride }, lowering) =>
    to.forEach((ref, i) => extract(ref, from, (to.length - 1 - i) * stride, lane, lowering)),
  extract: ({ to, from, low, width }, lowering) => extract(to, from, low, width, lowering),
  pack: lowerPack,
  join: lowerJoin,
  copy: lowerCopy,
  constant: lowerConstant,
  float: lowerFloat,
  mufu: lowerMufu,
  integer: lowerInteger,
  bits: lowerBits,
  compare: lowerCompare,
  select: lowerSelect,
  load: lowerLoad,
  store: lowerStore,
  transfer: lowerTransfer,
  bulk: lowerBulk,
  clear: lowerClear,
  'bulk-atomic': (step, lowering) => lowerBulkAtomic(step, lowering, (inner) => lowerStep(inner, lowering)),
  'load-box': lowerBox,
  'store-box': lowerBox,
  'multicast-box': lowerBox,
  'reduce-box': lowerBox,
  'tensor-product': lowerTensorProduct,
  'tensor-copy': lowerTensorCopy,
  'tensor-load': lowerTensorLoad,
  'tensor-store': lowerTensorStore,
  'texture-read': lowerTextureRead,
  'surface-address': lowerSurfaceAddress,
  'surface-store': lowerSurfaceStore,
  window: lowerWindow,
  'in-window': lowerInWindow,
  atomic: (step, lowering) => lowerAtomic(step, lowering, (inner) => lowerStep(inner, lowering)),
  trap: (_, lowering) => raise({ kind: 'trap' }, lowering),
  require: ({ condition, what }, lowering) => {
    lowering.values.get(condition, 'i32');
    lowering.code
      .op('i32.eqz')
      .unlikely()
      .if(() => raise({ kind: 'require', what }, lowering));
  },
  unsupported: ({ what }, lowering) => raise({ kind: 'unsupported', what }, lowering),
  branch: byRegion,
  switch: byRegion,
  return: byRegion,
  exit: byRegion,
  'commit-group': orderMemory,
  'wait-group': orderMemory,
  fence: orderMemory,
  yield: orderMemory,
  'cancel-blocks': ({ to }, lowering) => {
    const { code, helpers, locals, recordCall } = lowering;
    code
      .i32(recordCall({ kind: 'cancel-blocks' }))
      .get(locals.thread)
      .get(locals.fuel);
    code.call(helpers.import('cancel'));
    loadResults(to, lowering);
  },
  call: (_, lowering) => lowering.callDirectly(),
  barrier: stop,
  collective: stop,
};

function orderMemory(_: StepOf<'commit-group' | 'wait-group' | 'fence' | 'yield'>, { code, layout }: Lowering): void {
  if (layout.concurrent) code.fence();
}

function lowerNarrow<Kind extends StepKind>(step: StepOf<Kind>, lowering: Lowering): void {
  lowerings[step.kind](step, lowering);
}

/** Writes code that raises a fault because the instruction cannot continue. */
function raise(call: Parameters<Lowering['recordCall']>[0], { code, helpers, locals, recordCall }: Lowering): void {
  code.i32(recordCall(call)).i64(0n).get(locals.thread).get(locals.fuel);
  code.call(helpers.import('raise')).op('unreachable');
}

function lowerCopy({ to, from }: StepOf<'copy'>, { values }: Lowering): void {
  const type = values.typeOf(from);
  values.get(from, type);
  values.set(to, type);
}

function lowerConstant({ to, value }: StepOf<'constant'>, { code, values }: Lowering): void {
  if (typeof value === 'bigint') code.i64(value);
  else code.i32(value);
  values.set(to, typeof value === 'bigint' ? 'i64' : 'i32');
}

function lowerCompare(step: StepOf<'compare'>, lowering: Lowering): void {
  if (isFloatArithmeticFormat(step.type)) pushFloatComparison(step, step.type, lowering);
  else pushIntegerComparison(step, formats[step.type], lowering);
  lowering.values.set(step.to, 'i32');
}

function lowerConvert(step: StepOf<'convert'>, lowering: Lowering): void {
  const short = shortConversion(step.conversion);
  if (short === null) callConverter(step, lowering);
  else short(step, lowering);
}

function callConverter(step: StepOf<'convert'>, { code, values, helpers }: Lowering): void {
  const { conversion, from, to, random, scale } = step;
  const index = converter(helpers, conversion);
  values.get(from, holder(formats[conversion.from].width));
  if (random === null) code.i32(0);
  else values.get(random, 'i32');
  if (scale === null) code.i32(0x7f);
  else values.get(scale, 'i32');
  code.call(index);
  values.set(to, holder(formats[conversion.to].width));
}

function extract(to: Ref, from: Ref, low: number, width: number, { code, values }: Lowering): void {
  const type = values.typeOf(from);
  values.get(from, type);
  if (type === 'i64') code.i64(BigInt(low)).op('i64.shr_u');
  else code.i32(low).op('i32.shr_u');
  if (type === 'i64' && width <= 32) code.op('i32.wrap_i64');
  const target = holder(width);
  maskTo(code, target, width);
  values.set(to, target);
}

function lowerPack({ to, from, lane, stride }: StepOf<'pack'>, { code, values }: Lowering): void {
  const type = holder(from.length === 1 ? lane : stride * from.length);
  from.forEach((ref, i) => {
    if (i > 0) {
      if (type === 'i64') code.i64(BigInt(stride)).op('i64.shl');
      else code.i32(stride).op('i32.shl');
    }
    values.get(ref, type);
    maskTo(code, type, lane);
    if (i > 0) code.op(`${type}.or`);
  });
  values.set(to, type);
}

function lowerJoin({ to, high, low, shift, width }: StepOf<'join'>, { code, values }: Lowering): void {
  values.get(high, 'i64');
  code.i64(BigInt(shift)).op('i64.shl');
  values.get(low, 'i64');
  code.op('i64.or');
  maskTo(code, 'i64', width);
  values.set(to, 'i64');
}

function lowerSelect({ to, condition, from }: StepOf<'select'>, { code, values }: Lowering): void {
  const type = values.typeOf(from[0]) === 'i64' || values.typeOf(from[1]) === 'i64' ? 'i64' : 'i32';
  values.get(from[0], type);
  values.get(from[1], type);
  values.get(condition, 'i32');
  code.op('select');
  values.set(to, type);
}
