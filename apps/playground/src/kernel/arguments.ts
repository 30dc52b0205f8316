/**
 * The arguments that the user chooses for a launch: each is a number, or a buffer that is filled according to a rule.
 */
import { type FormatName, formats, isFormatName, numberValue, readNumber } from 'ptxlab/numbers';

export type Fill = 'zeros' | 'ones' | 'ramp' | 'random';
export const fills: readonly Fill[] = ['zeros', 'ones', 'ramp', 'random'];

export const elements = ['f32', 'f64', 'f16', 'bf16', 's32', 'u32', 's64', 'u64', 's16', 'u16', 's8', 'u8'] as const;
export type Element = (typeof elements)[number];

export type ArgumentPlan =
  | { readonly kind: 'buffer'; readonly element: Element; readonly count: number; readonly fill: Fill }
  | { readonly kind: 'value'; readonly type: string; readonly text: string };

/** The maximum number of elements in one buffer. */
export const mostElements: number = 2 ** 24;

/**
 * Guesses what a parameter is: the address of a buffer if memory is accessed through it, otherwise a number. A buffer
 * that the kernel only writes is initially filled with zeros.
 */
export function guess(
  parameter: { readonly type: string; readonly size: number; readonly name: string },
  source: string,
): ArgumentPlan {
  const { type, size, name } = parameter;
  const accesses = size === 8 ? accessesBehind(name, source) : [];
  const [first] = accesses;
  if (first !== undefined) {
    const isRead = accesses.some((mnemonic) => !mnemonic.startsWith('st.'));
    return { kind: 'buffer', element: elementOf(first), count: 1024, fill: isRead ? 'ramp' : 'zeros' };
  }
  return { kind: 'value', type, text: /^\.[usb]32$/.test(type) ? '1024' : '1' };
}

const instruction = /([a-z]\w*(?:\.[\w:]+)+)\s+([^;]*);/g;
const register = /%[\w$]+|[$_a-zA-Z][\w$]*/g;

/** Opcodes whose result is an address if one of their operands is an address. */
const passes = new Set(['add', 'sub', 'mad', 'cvta', 'mov', 'selp']);

/**
 * The memory accesses whose addresses are computed from a parameter. The value of the parameter is followed from
 * register to register, in text order.
 */
function accessesBehind(parameter: string, source: string): readonly string[] {
  const addresses = new Set<string>();
  const accesses: string[] = [];
  for (const [, mnemonic = '', operands = ''] of source.matchAll(instruction)) {
    const [opcode = ''] = mnemonic.split('.');
    const names = operands.match(register) ?? [];
    const [result = '', ...sources] = names;
    if (mnemonic.startsWith('ld.param') && sources[0] === parameter) addresses.add(result);
    else if (passes.has(opcode) && sources.some((name) => addresses.has(name))) addresses.add(result);
    const place = /\[\s*([^\s\]+]+)/.exec(operands)?.[1];
    if (place !== undefined && addresses.has(place)) accesses.push(mnemonic);
  }
  return accesses;
}

/**
 * The type of the elements that an access reads or writes, such as `f32` for `ld.global.nc.v4.f32`; bit-size types
 * count as unsigned integers.
 */
function elementOf(mnemonic: string): Element {
  const type = (mnemonic.split('.').at(-1) ?? '').replace(/^b(?=\d)/, 'u');
  return elements.find((element) => element === type) ?? 'f32';
}

/**
 * Returns the bytes of a buffer or the value of a scalar. Throws a PtxlabError if the type cannot represent the number.
 */
export function contentsOf(plan: ArgumentPlan): Uint8Array | number | bigint {
  if (plan.kind === 'value') return scalarOf(plan.type, plan.text);
  const { element, count, fill } = plan;
  const { width } = formats[element];
  const bytes = new Uint8Array((Math.min(count, mostElements) * width) / 8);
  if (fill === 'zeros') return bytes;
  const view = new DataView(bytes.buffer);
  const { write } = storage[element];
  // The generator is xorshift with a fixed seed. It fills the buffers in the same way every time, so anyone who opens a
  // link sees the same values as its author.
  let state = 0x9e3779b9;
  for (let i = 0; i < count && i < mostElements; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    write(view, (i * width) / 8, fill === 'ones' ? 1 : fill === 'ramp' ? i : randomOf(element, state >>> 0));
  }
  return bytes;
}

/** Turns random bits into an element: a float between -1 and 1, or an integer between 0 and 127. */
function randomOf(element: Element, bits: number): number {
  return formats[element].kind === 'float' ? bits / 2 ** 31 - 1 : bits & 0x7f;
}

interface Access {
  readonly read: (view: DataView, at: number) => number | bigint;
  readonly write: (view: DataView, at: number, value: number) => void;
}

function halves(element: 'f16' | 'bf16'): Access {
  return {
    read: (view, at) => numberValue(element, view.getUint16(at, true)),
    write: (view, at, value) => view.setUint16(at, Number(readNumber(String(value), element).bits), true),
  };
}

/** Functions that read and write the elements of a buffer, for each element type. */
const storage: { readonly [E in Element]: Access } = {
  f32: {
    read: (view, at) => view.getFloat32(at, true),
    write: (view, at, value) => view.setFloat32(at, value, true),
  },
  f64: {
    read: (view, at) => view.getFloat64(at, true),
    write: (view, at, value) => view.setFloat64(at, value, true),
  },
  f16: halves('f16'),
  bf16: halves('bf16'),
  s32: { read: (view, at) => view.getInt32(at, true), write: (view, at, value) => view.setInt32(at, value, true) },
  u32: { read: (view, at) => view.getUint32(at, true), write: (view, at, value) => view.setUint32(at, value, true) },
  s64: {
    read: (view, at) => view.getBigInt64(at, true),
    write: (view, at, value) => view.setBigInt64(at, BigInt(value), true),
  },
  u64: {
    read: (view, at) => view.getBigUint64(at, true),
    write: (view, at, value) => view.setBigUint64(at, BigInt(value), true),
  },
  s16: { read: (view, at) => view.getInt16(at, true), write: (view, at, value) => view.setInt16(at, value, true) },
  u16: { read: (view, at) => view.getUint16(at, true), write: (view, at, value) => view.setUint16(at, value, true) },
  s8: { read: (view, at) => view.getInt8(at), write: (view, at, value) => view.setInt8(at, value) },
  u8: { read: (view, at) => view.getUint8(at), write: (view, at, value) => view.setUint8(at, value) },
};

function scalarOf(type: string, text: string): number | bigint {
  const format = formatOf(type);
  const { bits } = readNumber(text, format);
  const { kind, signed, width } = formats[format];
  if (kind === 'float') return numberValue(format, bits);
  const value = signed ? BigInt.asIntN(width, BigInt(bits)) : BigInt(bits);
  return width > 32 ? value : Number(value);
}

/** Bit-size types are read as unsigned integers. */
function formatOf(type: string): FormatName {
  const wanted = type.replace(/^\.b?/, (start) => (start === '.b' ? 'u' : ''));
  return isFormatName(wanted) ? wanted : 'u32';
}

/** At most `count` elements of a buffer as numbers, starting at index `first`. */
export function elementsOf(
  bytes: Uint8Array,
  element: Element,
  first: number,
  count: number,
): readonly (number | bigint)[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = formats[element].width / 8;
  const last = Math.min(Math.floor(bytes.byteLength / size), first + count);
  const found: (number | bigint)[] = [];
  for (let i = first; i < last; i++) found.push(storage[element].read(view, i * size));
  return found;
}
