/** Arguments of a launch as people choose them: a number, or a buffer filled by a rule. */
import { type FormatName, formats, isFormatName, numberValue, readNumber } from 'ptxlab/numbers';

export type Fill = 'zeros' | 'ones' | 'ramp' | 'random';
export const fills: readonly Fill[] = ['zeros', 'ones', 'ramp', 'random'];

export const elements = ['f32', 'f64', 'f16', 'bf16', 's32', 'u32', 's64', 'u64', 's16', 'u16', 's8', 'u8'] as const;
export type Element = (typeof elements)[number];

export type ArgumentPlan =
  | { readonly kind: 'buffer'; readonly element: Element; readonly count: number; readonly fill: Fill }
  | { readonly kind: 'value'; readonly type: string; readonly text: string };

/** Elements of one buffer at most. */
export const mostElements: number = 2 ** 24;

/** What a parameter probably is: the address of a buffer if memory is accessed through it, else a number. */
export function guess(
  parameter: { readonly type: string; readonly size: number; readonly name: string },
  source: string,
): ArgumentPlan {
  const { type, size, name } = parameter;
  const element = size === 8 ? elementBehind(name, source) : null;
  if (element !== null) return { kind: 'buffer', element, count: 1024, fill: 'ramp' };
  return { kind: 'value', type, text: /^\.[usb]32$/.test(type) ? '1024' : '1' };
}

const instruction = /([a-z]\w*(?:\.[\w:]+)+)\s+([^;]*);/g;
const register = /%[\w$]+|[$_a-zA-Z][\w$]*/g;

/** Opcodes that make an address of an address. */
const passes = new Set(['add', 'sub', 'mad', 'cvta', 'mov', 'selp']);

/**
 * The type of the first access through the value of a parameter, followed from register to register in the order of
 * the text; null if there is none.
 */
function elementBehind(parameter: string, source: string): Element | null {
  const addresses = new Set<string>();
  for (const [, mnemonic = '', operands = ''] of source.matchAll(instruction)) {
    const [opcode = ''] = mnemonic.split('.');
    const names = operands.match(register) ?? [];
    const [result = '', ...sources] = names;
    if (mnemonic.startsWith('ld.param') && sources[0] === parameter) addresses.add(result);
    else if (passes.has(opcode) && sources.some((name) => addresses.has(name))) addresses.add(result);
    const place = /\[\s*([^\s\]+]+)/.exec(operands)?.[1];
    if (place !== undefined && addresses.has(place)) return elementOf(mnemonic);
  }
  return null;
}

/** The element of an access: `ld.global.nc.v4.f32` has `f32`, and bits are read as unsigned integers. */
function elementOf(mnemonic: string): Element {
  const type = (mnemonic.split('.').at(-1) ?? '').replace(/^b(?=\d)/, 'u');
  return elements.find((element) => element === type) ?? 'f32';
}

/** The bytes of a buffer, or the value of a scalar; throws PtxlabError for a number that the type does not have. */
export function contentsOf(plan: ArgumentPlan): Uint8Array | number | bigint {
  if (plan.kind === 'value') return scalarOf(plan.type, plan.text);
  const { element, count, fill } = plan;
  const { width } = formats[element];
  const bytes = new Uint8Array((Math.min(count, mostElements) * width) / 8);
  if (fill === 'zeros') return bytes;
  const view = new DataView(bytes.buffer);
  const write = writer(view, element);
  // xorshift: the same buffers every time, so that a link shows what its author saw.
  let state = 0x9e3779b9;
  for (let i = 0; i < count && i < mostElements; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    write(i, fill === 'ones' ? 1 : fill === 'ramp' ? i : randomOf(element, state >>> 0));
  }
  return bytes;
}

/** Floats are between -1 and 1, integers of 8 bits. */
function randomOf(element: Element, bits: number): number {
  return formats[element].kind === 'float' ? bits / 2 ** 31 - 1 : bits & 0x7f;
}

function writer(view: DataView, element: Element): (index: number, value: number) => void {
  switch (element) {
    case 'f64':
      return (i, value) => view.setFloat64(8 * i, value, true);
    case 'f32':
      return (i, value) => view.setFloat32(4 * i, value, true);
    case 's64':
    case 'u64':
      return (i, value) => view.setBigInt64(8 * i, BigInt(value), true);
    case 's32':
    case 'u32':
      return (i, value) => view.setInt32(4 * i, value, true);
    case 's16':
    case 'u16':
      return (i, value) => view.setInt16(2 * i, value, true);
    case 's8':
    case 'u8':
      return (i, value) => view.setInt8(i, value);
    case 'f16':
    case 'bf16':
      return (i, value) => view.setUint16(2 * i, Number(readNumber(String(value), element).bits), true);
  }
}

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

/** The elements of a buffer as numbers, from `first`, at most `count`. */
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
  for (let i = first; i < last; i++) found.push(read(view, element, i * size));
  return found;
}

function read(view: DataView, element: Element, at: number): number | bigint {
  switch (element) {
    case 'f64':
      return view.getFloat64(at, true);
    case 'f32':
      return view.getFloat32(at, true);
    case 's64':
      return view.getBigInt64(at, true);
    case 'u64':
      return view.getBigUint64(at, true);
    case 's32':
      return view.getInt32(at, true);
    case 'u32':
      return view.getUint32(at, true);
    case 's16':
      return view.getInt16(at, true);
    case 'u16':
      return view.getUint16(at, true);
    case 's8':
      return view.getInt8(at);
    case 'u8':
      return view.getUint8(at);
    case 'f16':
    case 'bf16':
      return numberValue(element, view.getUint16(at, true));
  }
}
