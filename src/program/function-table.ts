/**
 * The functions of a module by name and address. The address of a function is a small number (16, 32, …, in module
 * order), not an address in memory. A function has the same address in every kernel. Calls through a register accept
 * only these addresses.
 */
import type { CheckedModule } from '../check/check.ts';
import type { CheckedFunction } from '../check/checked.ts';
import { type Signature, signatureOf } from '../check/declarations/signature.ts';
import { type Builtin, builtins } from './builtins.ts';
import { deviceLibrary, isInLibrary } from './device-library.ts';

export interface KnownFunction {
  readonly name: string;
  readonly address: number;
  readonly signature: Signature;
  /** `module` is the module that contains the function: the user's, or the device library. */
  readonly body:
    | { readonly kind: 'checked'; readonly fn: CheckedFunction; readonly module: CheckedModule }
    | { readonly kind: 'builtin'; readonly builtin: Builtin };
}

/**
 * Distance between the addresses of two consecutive functions. It is greater than 1, so that the sum of an address and
 * a small offset is never the address of another function.
 */
export const addressStep = 16;

export class FunctionTable {
  readonly all: readonly KnownFunction[];
  private readonly byName: ReadonlyMap<string, KnownFunction>;
  private readonly aliases: ReadonlyMap<string, string>;
  /** Null until the first lookup of a name that only the library defines. */
  private library: ReadonlyMap<string, KnownFunction> | null = null;

  constructor(module: CheckedModule) {
    const { functions, aliases } = module;
    const own = knownFunctions(module, 0);
    const given = builtins.map(
      (builtin, i): KnownFunction => ({
        name: builtin.name,
        address: (functions.length + i + 1) * addressStep,
        signature: builtin.signature,
        body: { kind: 'builtin', builtin },
      }),
    );
    this.all = [...own, ...given];
    // A definition in the module hides a built-in function of the same name.
    this.byName = new Map([...given, ...own].map((known) => [known.name, known] as const));
    this.aliases = aliases;
  }

  /** Returns the function that has this name or alias; null if no such function is defined. */
  find(name: string): KnownFunction | null {
    const target = this.aliases.get(name) ?? name;
    return this.byName.get(target) ?? this.inLibrary(target);
  }

  private inLibrary(name: string): KnownFunction | null {
    if (!isInLibrary(name)) return null;
    this.library ??= new Map(knownFunctions(deviceLibrary(), this.all.length).map((known) => [known.name, known]));
    return this.library.get(name) ?? null;
  }
}

/** The functions of a module. Their addresses follow the addresses of `before` other functions. */
function knownFunctions(module: CheckedModule, before: number): readonly KnownFunction[] {
  return module.functions.map((fn, i) => ({
    name: fn.item.name,
    address: (before + i + 1) * addressStep,
    signature: signatureOf(fn.item),
    body: { kind: 'checked', fn, module },
  }));
}

const tables = new WeakMap<CheckedModule, FunctionTable>();

/** The functions of a module; all devices that load it share one table. */
export function functionTableOf(module: CheckedModule): FunctionTable {
  const known = tables.get(module);
  if (known !== undefined) return known;
  const table = new FunctionTable(module);
  tables.set(module, table);
  return table;
}
