/** A module's variables placed in memory, with their initial values. */
import { elementAt } from '../base/element-at.ts';
import { PtxlabError } from '../base/error.ts';
import type { CheckedModule } from '../check/check.ts';
import { alignmentOf, sizeOf } from '../check/declarations/sizes.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import { textureBytes } from '../isa/texture-fields.ts';
import { opaqueTypes } from '../isa/types.ts';
import { type AddressOf, writeInitial } from './initial-bytes.ts';
import { layOut, type NamedPart } from './layout.ts';

/** Allocates space in global memory, which is initially filled with zeros, and writes to it. */
export interface GlobalRoom {
  allocate(size: number, owner: string): { readonly address: number };
  write(address: number, bytes: Uint8Array): void;
}

export interface ModuleImage {
  /** Returns a variable's address in global memory, or its offset in const memory. */
  readonly addressOf: (symbol: VariableSymbol) => number | null;
  /** The addresses of all variables that have an address, in the order of the module. */
  readonly addresses: readonly number[];
  readonly constants: Uint8Array;
  /** The contents of constant memory: the module's variables and, in a launch, buffers that are arguments. */
  readonly constantLayout: readonly NamedPart[];
  /** `.shared` variables at module scope, which are allocated for every kernel of the module. */
  readonly shared: readonly VariableSymbol[];
}

export interface ImageOptions {
  /**
   * Returns the base of the const window for addresses of `width` bits. The base is needed for initial values that are
   * generic addresses of `.const` variables.
   */
  readonly constBase: (width: 32 | 64) => bigint;
  /** Returns the address of a function; null if no function has that name. */
  readonly functionAddress: (name: string) => number | null;
}

/** Older versions of PTX had 11 constant banks of 64 KiB each. */
const constantLimit = 11 * 2 ** 16;

/**
 * Lays out a module's variables.
 *
 * @throws PtxlabError `out-of-memory`; `unresolved-variable` if an initializer names a symbol that this module does not
 *   define
 */
export function buildImage(
  module: CheckedModule,
  room: GlobalRoom,
  { constBase, functionAddress }: ImageOptions,
): ModuleImage {
  const all = [module.variables, ...module.functions.map(({ variables }) => variables)].flat();
  const constants = all.filter((symbol) => symbol.space === '.const');
  const layout = layOut(constants.map((symbol) => symbol.variable));
  if (layout.end > constantLimit)
    throw new PtxlabError(
      'out-of-memory',
      `the module has ${layout.end} bytes of constants; the limit is ${constantLimit}`,
    );
  const addresses = new Map<VariableSymbol, number>(
    constants.map((symbol, i) => [symbol, elementAt(layout.placed, i).offset] as const),
  );
  for (const symbol of all) {
    if (symbol.space !== '.global' && symbol.space !== '.tex') continue;
    // If a variable is used only as a flag, LLVM reduces its size to one byte, but may still load 16 bits from its
    // address. The padding after a small variable must therefore be readable.
    const plain = Math.max(sizeOf(symbol.variable), alignmentOf(symbol.variable));
    const bytes = isDescribed(symbol) ? textureBytes : plain;
    addresses.set(symbol, room.allocate(bytes, `variable ${symbol.name}`).address);
  }
  const image = new Uint8Array(layout.end);
  const write = (symbol: VariableSymbol, resolve: AddressOf): void => {
    const address = addresses.get(symbol);
    if (symbol.variable.initializer === null || address === undefined || isDescribed(symbol)) return;
    const size = sizeOf(symbol.variable);
    if (symbol.space === '.const') writeInitial(symbol.variable, image.subarray(address, address + size), resolve);
    else {
      const bytes = new Uint8Array(size);
      writeInitial(symbol.variable, bytes, resolve);
      room.write(address, bytes);
    }
  };
  const resolver =
    (...scopes: readonly ReadonlyMap<string, VariableSymbol>[]): AddressOf =>
    (name, generic) => {
      const symbol = scopes.find((scope) => scope.has(name))?.get(name);
      const address = symbol === undefined ? functionAddress(name) : addresses.get(symbol);
      if (address === null || address === undefined) throw unresolved(name);
      return BigInt(address) + (generic !== null && symbol?.space === '.const' ? constBase(generic) : 0n);
    };
  const inModule = new Map(module.variables.map((symbol) => [symbol.name, symbol] as const));
  for (const symbol of module.variables) write(symbol, resolver(inModule));
  for (const { variables } of module.functions) {
    // A name in an initializer refers to the closest declaration before it.
    const inFunction = new Map<string, VariableSymbol>();
    for (const symbol of variables) {
      inFunction.set(symbol.name, symbol);
      write(symbol, resolver(inFunction, inModule));
    }
  }
  return {
    addressOf: (symbol) => addresses.get(symbol) ?? null,
    addresses: all.flatMap((symbol) => addresses.get(symbol) ?? []),
    constants: image,
    constantLayout: layout.placed,
    shared: module.variables.filter((symbol) => symbol.space === '.shared'),
  };
}

/** Whether a variable holds the description of a texture, surface or sampler. */
export function isDescribed({ space, variable: { type } }: VariableSymbol): boolean {
  return space === '.tex' || (space === '.global' && opaqueTypes.has(type));
}

function unresolved(name: string): PtxlabError {
  const message = `an initializer takes the address of '${name}', which this module does not define`;
  return new PtxlabError('unresolved-variable', message);
}
