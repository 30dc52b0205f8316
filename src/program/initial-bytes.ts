/** Converts initializers to bytes (section 5.4.4 of PTX ISA 9.1). */
import { floatBits } from '../check/binding/constant-bits.ts';
import { type PtxType, typeOf, types } from '../isa/types.ts';
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
  const type = types.get(variable.type) ?? typeOf('.b64');
  write(variable.initializer, bytes, bytes.byteLength, type, addressOf);
}

/**
 * Writes an initializer that may take up at most `room` bytes. Each level of braces corresponds to a dimension of the
 * array; elements that a list leaves out remain zero.
 */
function write(initializer: Initializer, bytes: Uint8Array, room: number, type: PtxType, addressOf: AddressOf): void {
  const width = type.width / 8;
  if (width > bytes.byteLength) return;
  if (initializer.kind !== 'list') {
    storeWide(bytes, width, valueOf(initializer, type, addressOf));
    return;
  }
  const nested = initializer.elements.some((element) => element.kind === 'list');
  const stride = nested ? Math.floor(room / initializer.elements.length) : width;
  initializer.elements.forEach((element, i) => {
    write(element, bytes.subarray(i * stride), stride, type, addressOf);
  });
}

function valueOf(initializer: Exclude<Initializer, { kind: 'list' }>, type: PtxType, addressOf: AddressOf): bigint {
  switch (initializer.kind) {
    case 'integer':
      return initializer.value;
    case 'float':
      // In initial values, a double is rounded for .b32 as well (measured with ptxas 13.0).
      return BigInt(floatBits(type.width === 32 ? typeOf('.f32') : type, initializer));
    case 'address': {
      const { name, generic, offset, mask } = initializer;
      const bits = mask === null && type.width === 32 ? 32 : 64;
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
