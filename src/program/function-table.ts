/**
 * The functions of a module by name and address. An address is a small number that is no address of memory: 16, 32, …, in
 * the order of the module, the same for every kernel. Calls through a register take nothing else.
 */
import type { CheckedModule } from '../check/check.ts';
import type { CheckedFunction } from '../check/checked.ts';
import { type Signature, signatureOf } from '../check/signature.ts';
import { type Builtin, builtins } from './builtins.ts';

export interface KnownFunction {
  readonly name: string;
  readonly address: number;
  readonly signature: Signature;
  readonly body:
    | { readonly kind: 'checked'; readonly fn: CheckedFunction }
    | { readonly kind: 'builtin'; readonly builtin: Builtin };
}

/** Apart enough that an address with an offset is no other function's. */
export const addressStep = 16;

export class FunctionTable {
  readonly all: readonly KnownFunction[];
  private readonly byName: ReadonlyMap<string, KnownFunction>;
  private readonly aliases: ReadonlyMap<string, string>;

  constructor({ functions, aliases }: Pick<CheckedModule, 'functions' | 'aliases'>) {
    const own = functions.map(
      (fn, i): KnownFunction => ({
        name: fn.item.name,
        address: (i + 1) * addressStep,
        signature: signatureOf(fn.item),
        body: { kind: 'checked', fn },
      }),
    );
    const given = builtins.map(
      (builtin, i): KnownFunction => ({
        name: builtin.name,
        address: (functions.length + i + 1) * addressStep,
        signature: builtin.signature,
        body: { kind: 'builtin', builtin },
      }),
    );
    this.all = [...own, ...given];
    // What the module defines hides the built-in of that name.
    this.byName = new Map([...given, ...own].map((known) => [known.name, known] as const));
    this.aliases = aliases;
  }

  /** The function of that name, or that it is another name of; null where nobody defines it. */
  find(name: string): KnownFunction | null {
    const target = this.aliases.get(name);
    return this.byName.get(target ?? name) ?? null;
  }
}
