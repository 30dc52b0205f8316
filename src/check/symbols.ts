/**
 * Names and what they stand for. A register family `%r<100>` is one symbol, found by splitting the digits off a name, so
 * declaring it costs the same for 1 register and for 100,000.
 */
import type { Span } from '../base/span.ts';
import type { PtxType } from '../isa/types.ts';
import type { Linkage } from '../isa/directives.ts';
import type { Variable } from '../syntax/tree.ts';
import type { Signature } from './signature.ts';

/** Where a variable lives. Parameters are told apart by what may be done with them. */
export type VariableSpace =
  | '.global'
  | '.shared'
  | '.const'
  | '.local'
  | '.tex'
  | 'kernel parameter'
  | 'input parameter'
  | 'return parameter'
  | 'local parameter';

/** Parameters and return values. */
export type FormalSpace = Extract<VariableSpace, 'kernel parameter' | 'input parameter' | 'return parameter'>;

export interface RegisterSymbol {
  readonly kind: 'register';
  readonly type: PtxType;
  /** 1, or the elements of a `.v2`/`.v4` register. */
  readonly lanes: number;
  /** Declared name, without the number for a family. */
  readonly name: string;
  /** Members of a family; null for a single register. */
  readonly count: number | null;
  readonly declared: Span;
}

export interface VariableSymbol {
  readonly kind: 'variable';
  readonly name: string;
  readonly space: VariableSpace;
  /**
   * What accesses in the `.param` space take it for: a variable of an inner block that is named like a parameter or return
   * value of its function is judged as that one is. Null for all others.
   */
  readonly takenFor: FormalSpace | null;
  readonly linkage: Linkage | null;
  readonly type: PtxType;
  readonly variable: Variable;
  readonly declared: Span;
}

export interface FunctionSymbol {
  readonly kind: 'function';
  readonly name: string;
  /** Whether a body has been seen; the body itself is not kept, or a large file would stay in memory. */
  readonly defined: boolean;
  readonly entry: boolean;
  readonly linkage: Linkage | null;
  readonly noreturn: boolean;
  readonly signature: Signature;
  readonly declared: Span;
}

export interface LabelSymbol {
  readonly kind: 'label';
  readonly name: string;
  readonly declared: Span;
}

/** `.branchtargets` or `.calltargets`: known from where it stands, and so are the names in it. */
export interface TargetsSymbol {
  readonly kind: 'targets';
  readonly name: string;
  readonly of: 'branches' | 'calls';
  readonly names: readonly string[];
  /** Where the names mean something. */
  readonly scope: Scope;
  readonly declared: Span;
}

/** `.callprototype`. */
export interface PrototypeSymbol {
  readonly kind: 'prototype';
  readonly name: string;
  readonly signature: Signature;
  readonly declared: Span;
}

export type DeclaredSymbol =
  | RegisterSymbol
  | VariableSymbol
  | FunctionSymbol
  | LabelSymbol
  | TargetsSymbol
  | PrototypeSymbol;

/** One `{ … }` of names, or the module's. Lookup goes outward; an inner name hides an outer one. */
export class Scope {
  readonly parent: Scope | null;
  readonly families: RegisterSymbol[] = [];
  /** Names with `%` and digits at the end that are no family's, without the digits. */
  readonly numberedNames: Set<string> = new Set();
  /** Grows with every declaration. */
  changes = 0;
  private readonly names = new Map<string, DeclaredSymbol>();
  /** What is no family, by its name without its digits. */
  private readonly numbered = new Map<string, DeclaredSymbol[]>();

  constructor(parent: Scope | null = null) {
    this.parent = parent;
  }

  /** Adds a symbol; returns the one already there under the same name in this very scope, and adds nothing then. */
  declare(symbol: DeclaredSymbol): DeclaredSymbol | null {
    if (symbol.kind === 'register' && symbol.count !== null) return this.declareFamily(symbol);
    const previous = this.here(symbol.name);
    if (previous !== undefined) return previous;
    this.changes++;
    this.names.set(symbol.name, symbol);
    if (symbol.name.startsWith('%')) this.noteNumber(symbol.name);
    if (symbol.kind !== 'label') this.rememberNumber(symbol);
    return null;
  }

  /** The symbol a name stands for here; undefined where it is not declared. */
  lookup(name: string): DeclaredSymbol | undefined {
    return this.here(name) ?? this.parent?.lookup(name);
  }

  /** Replaces a declaration (a prototype by its definition). */
  replace(symbol: DeclaredSymbol): void {
    this.changes++;
    this.names.set(symbol.name, symbol);
  }

  /** All names that could be meant, for suggestions; of a family the member with `number`, where it has that. */
  *visible(number: string | null): Generator<string> {
    yield* this.names.keys();
    for (const { name, count } of this.families) {
      if (number !== null && Number(number) < (count ?? 0)) yield name + number;
    }
    if (this.parent !== null) yield* this.parent.visible(number);
  }

  /** How many members the family of this name has; null where none is in sight. */
  familySize(name: string): number | null {
    return this.familyOf(name, name.length)?.count ?? this.parent?.familySize(name) ?? null;
  }

  private noteNumber(name: string): void {
    const digits = familyIndex(name);
    if (digits > 0) this.numberedNames.add(name.slice(0, digits));
  }

  private rememberNumber(symbol: DeclaredSymbol): void {
    const digits = familyIndex(symbol.name);
    if (digits === 0) return;
    const prefix = symbol.name.slice(0, digits);
    const singles = this.numbered.get(prefix);
    if (singles === undefined) this.numbered.set(prefix, [symbol]);
    else singles.push(symbol);
  }

  private declareFamily(symbol: RegisterSymbol): DeclaredSymbol | null {
    const previous = this.familyOf(symbol.name, symbol.name.length) ?? this.memberOf(symbol);
    if (previous !== undefined) return previous;
    this.changes++;
    this.families.push(symbol);
    return null;
  }

  /** What a family would declare a second time. */
  private memberOf(family: RegisterSymbol): DeclaredSymbol | undefined {
    const singles = this.numbered.get(family.name) ?? [];
    return singles.find((single) => numberAt(single.name, family.name.length) < (family.count ?? 0));
  }

  /** Names that end in a digit are mostly members of families, and finding those hashes nothing. */
  private here(name: string): DeclaredSymbol | undefined {
    const digits = familyIndex(name);
    if (digits > 0) {
      const family = this.familyOf(name, digits);
      if (family !== undefined && numberAt(name, digits) < (family.count ?? 0)) return family;
    }
    return this.names.size === 0 ? undefined : this.names.get(name);
  }

  /** The family whose name is the first `length` characters; a function has a handful of families. */
  private familyOf(name: string, length: number): RegisterSymbol | undefined {
    for (const family of this.families) {
      if (family.name.length === length && name.startsWith(family.name)) return family;
    }
    return undefined;
  }
}

/** The number that a name's digits from `start` on stand for. */
function numberAt(name: string, start: number): number {
  let value = 0;
  for (let i = start; i < name.length; i++) value = value * 10 + name.charCodeAt(i) - 48;
  return value;
}

/** Offset of the trailing digits of a name; 0 where it has none or is nothing else. */
export function familyIndex(name: string): number {
  let i = name.length;
  while (i > 0) {
    const c = name.charCodeAt(i - 1);
    if (c < 48 || c > 57) break;
    i--;
  }
  return i === name.length ? 0 : i;
}

/**
 * The one spelling of a family's member: `%q03` is `%q3`. Two names of one symbol are the same register exactly if
 * their canonical names are equal.
 */
export function canonicalRegister(symbol: RegisterSymbol, name: string): string {
  if (symbol.count === null) return name;
  return symbol.name + numberAt(name, familyIndex(name));
}
