/** Converts initializers to bytes (section 5.4.4 of PTX ISA 9.1). */
import { types } from '../isa/types.ts';
import { storeWide } from './store.ts';
import type { Initializer, Variable } from '../syntax/tree.ts';

/**
 * Returns the address that a name in an initial value refers to. If `generic` is not null, the result is a generic
 * address with this number of bits.
 */
export type AddressOf = (name: string, generic: 32 | 64 | null) => bigint;

/** Writes a variable's initial value to the start of `bytes`, all of which must be zero before the call. */
export function writeInitial(variable: Variable, bytes: Uint8Array, addressOf: AddressOf): void {
  if (variable.initializer === null) return;
  const width = (types.get(variable.type)?.width ?? 64) / 8;
  write(variable.initializer, bytes, bytes.byteLength, width, addressOf);
}

/**
 * Writes an initializer that may take up at most `room` bytes. Each level of braces corresponds to a dimension of the
 * array; elements that a list leaves out remain zero.
 */
function write(initializer: Initializer, bytes: Uint8Array, room: number, width: number, addressOf: AddressOf): void {
  if (width > bytes.byteLength) return;
  if (initializer.kind !== 'list') {
    storeWide(bytes, 0, width, valueOf(initializer, width, addressOf));
    return;
  }
  const nested = initializer.elements.some((element) => element.kind === 'list');
  const stride = nested ? Math.floor(room / initializer.elements.length) : width;
  initializer.elements.forEach((element, i) => {
    write(element, bytes.subarray(i * stride), stride, width, addressOf);
  });
}

function valueOf(initializer: Exclude<Initializer, { kind: 'list' }>, width: number, addressOf: AddressOf): bigint {
  switch (initializer.kind) {
    case 'integer':
      return initializer.value;
    case 'float':
      return floatValue(initializer.form, initializer.bits, width);
    case 'address': {
      const { name, generic, offset, mask } = initializer;
      const bits = mask === null && width === 4 ? 32 : 64;
      const address = addressOf(name, generic ? bits : null) + offset;
      return mask === null ? address : maskedByte(address, mask);
    }
    case 'field':
      return 0n;
  }
}

/** Given a mask and an address, as in `0xff00(name)`, returns the byte of the address that the mask selects. */
function maskedByte(address: bigint, mask: bigint): bigint {
  let shift = 0n;
  while (mask >> shift !== 0n && ((mask >> shift) & 1n) === 0n) shift++;
  return (address & mask) >> shift;
}

function floatValue(form: '0f' | '0d' | 'decimal', bits: bigint, width: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (form === '0f') {
    if (width === 4) return bits;
    view.setUint32(0, Number(bits));
    view.setFloat64(0, view.getFloat32(0));
    return view.getBigUint64(0);
  }
  if (width !== 4) return bits;
  view.setBigUint64(0, bits);
  view.setFloat32(0, view.getFloat64(0));
  return BigInt(view.getUint32(0));
}
