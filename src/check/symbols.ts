/**
 * Names and their meanings. A register family such as `%r<100>` is a single symbol, so declaring 100,000 registers
 * costs no more than declaring one. The family of a register is found by removing the digits at the end of the
 * register's name.
 */
import { elementAt, lastOf } from '../base/element-at.ts';
import { leadingCount } from '../base/leading-count.ts';
import type { Span } from '../base/span.ts';
import type { PtxType } from '../isa/types.ts';
import type { Linkage } from '../isa/directives.ts';
import type { Variable } from '../syntax/tree.ts';
import type { Signature } from './declarations/signature.ts';

/** Where a variable is stored. There are several kinds of parameters, which differ in how they may be used. */
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
  /** The number of elements of a `.v2` or `.v4` register; 1 for other registers. */
  readonly lanes: number;
  /** The name as declared. For a family, this is the name without the number of registers. */
  readonly name: string;
  /** The number of members of a family; null for a single register. */
  readonly count: number | null;
  readonly declared: Span;
}

export interface VariableSymbol {
  readonly kind: 'variable';
  readonly name: string;
  readonly space: VariableSpace;
  /**
   * The space of the parameter or return value that this variable hides; null if it hides none. A variable in an inner
   * block may have the same name as a parameter or return value of its function. `.param` accesses then treat the
   * variable like the parameter.
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
  /**
   * True if the function has a body. The body itself is not kept, because a large file would otherwise stay in memory.
   */
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

/** A `.branchtargets` or `.calltargets` list. Only instructions after the list can use it. */
export interface TargetsSymbol {
  readonly kind: 'targets';
  readonly name: string;
  readonly of: 'branches' | 'calls';
  readonly names: readonly string[];
  /** The scope in which the names are looked up. */
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

/** If a scope has at most this many families, comparing a name with each of them is faster than hashing it. */
const fewFamilies = 12;

/** The register families of a scope. */
interface Families {
  readonly list: RegisterSymbol[];
  readonly byName: Map<string, RegisterSymbol>;
}

/** Names in a scope that end in digits but do not belong to a family. */
interface NumberedNames {
  /** The names that begin with `%`, without the digits at the end. */
  readonly prefixes: Set<string>;
  /**
   * Single symbols that may conflict with a family that is declared later. The key is the name without the digits. A
   * symbol is added only if its number is lower than that of every symbol added earlier under the same key.
   */
  readonly symbols: Map<string, DeclaredSymbol[]>;
}

const noFamilies: readonly RegisterSymbol[] = [];
const noPrefixes: ReadonlySet<string> = new Set();

/**
 * The names of one `{ … }` block, or of the module. Lookup proceeds outward; an inner name hides an outer one. There
 * are many scopes, because compilers usually put every call into a block of its own. Few of these blocks declare
 * registers, so fields that are rarely needed are created on first use.
 */
export class Scope {
  readonly parent: Scope | null;
  /** Increases with every declaration. */
  changes = 0;
  private names: Map<string, DeclaredSymbol> | null = null;
  private own: Families | null = null;
  private numbered: NumberedNames | null = null;

  constructor(parent: Scope | null = null) {
    this.parent = parent;
  }

  get families(): readonly RegisterSymbol[] {
    return this.own?.list ?? noFamilies;
  }

  /**
   * Names that begin with `%` and end in digits but do not belong to a family. Such names are stored without the
   * digits.
   */
  get numberedNames(): ReadonlySet<string> {
    return this.numbered?.prefixes ?? noPrefixes;
  }

  /**
   * Adds a symbol and returns null. If the scope already contains a symbol with the same name, returns that symbol
   * instead and adds nothing.
   */
  declare(symbol: DeclaredSymbol): DeclaredSymbol | null {
    if (symbol.kind === 'register' && symbol.count !== null) return this.declareFamily(symbol);
    const previous = this.here(symbol.name);
    if (previous !== undefined) return previous;
    this.replace(symbol);
    this.rememberNumber(symbol);
    return null;
  }

  /** The symbol to which a name refers in this scope or the scopes around it; undefined if it is not declared. */
  lookup(name: string): DeclaredSymbol | undefined {
    return this.here(name) ?? this.parent?.lookup(name);
  }

  /** Replaces a declaration, for example a prototype with the definition of the same function. */
  replace(symbol: DeclaredSymbol): void {
    this.changes++;
    this.names ??= new Map();
    this.names.set(symbol.name, symbol);
  }

  /**
   * All visible names that could be suggested instead of an undeclared name. From each register family, only the member
   * with the given number is included, provided that the family has such a member.
   */
  *visible(number: string | null): Generator<string> {
    if (this.names !== null) yield* this.names.keys();
    for (const { name, count } of this.families) {
      if (number !== null && Number(number) < (count ?? 0)) yield name + number;
    }
    if (this.parent !== null) yield* this.parent.visible(number);
  }

  /** The number of members of the family with this name; null if no such family is visible. */
  familySize(name: string): number | null {
    return this.familyOf(name, name.length)?.count ?? this.parent?.familySize(name) ?? null;
  }

  private rememberNumber(symbol: DeclaredSymbol): void {
    const digits = familyIndex(symbol.name);
    if (digits === 0) return;
    const isPercent = symbol.name.startsWith('%');
    if (!isPercent && symbol.kind === 'label') return;
    const prefix = symbol.name.slice(0, digits);
    this.numbered ??= { prefixes: new Set(), symbols: new Map() };
    const { prefixes, symbols } = this.numbered;
    if (isPercent) prefixes.add(prefix);
    if (symbol.kind === 'label') return;
    const singles = symbols.get(prefix);
    if (singles === undefined) symbols.set(prefix, [symbol]);
    else if (numberAt(symbol.name, digits) < numberAt(lastOf(singles).name, digits)) singles.push(symbol);
  }

  private declareFamily(symbol: RegisterSymbol): DeclaredSymbol | null {
    const previous = this.familyOf(symbol.name, symbol.name.length) ?? this.memberOf(symbol);
    if (previous !== undefined) return previous;
    this.changes++;
    this.own ??= { list: [], byName: new Map() };
    this.own.list.push(symbol);
    this.own.byName.set(symbol.name, symbol);
    return null;
  }

  /** The existing symbol that a family would redeclare. */
  private memberOf(family: RegisterSymbol): DeclaredSymbol | undefined {
    const singles = this.numbered?.symbols.get(family.name) ?? [];
    const { name, count } = family;
    return singles[
      leadingCount(singles.length, (i) => numberAt(elementAt(singles, i).name, name.length) >= (count ?? 0))
    ];
  }

  /** Names that end in a digit are mostly family members, which are found without hashing. */
  private here(name: string): DeclaredSymbol | undefined {
    const digits = familyIndex(name);
    if (digits > 0) {
      const family = this.familyOf(name, digits);
      if (family !== undefined && numberAt(name, digits) < (family.count ?? 0)) return family;
    }
    return this.names?.get(name);
  }

  /**
   * The family whose name is the first `length` characters of the given name. Most functions have only a few families.
   */
  private familyOf(name: string, length: number): RegisterSymbol | undefined {
    if (this.own === null) return undefined;
    const { list, byName } = this.own;
    if (list.length > fewFamilies) return byName.get(name.slice(0, length));
    for (const family of list) {
      if (family.name.length === length && name.startsWith(family.name)) return family;
    }
    return undefined;
  }
}

/** The number that is formed by the digits at the end of a name, which begin at index `start`. */
function numberAt(name: string, start: number): number {
  let value = 0;
  for (let i = start; i < name.length; i++) value = value * 10 + name.charCodeAt(i) - 48;
  return value;
}

/**
 * The index at which the digits at the end of a name begin; 0 if the name does not end in digits, or consists only of
 * digits.
 */
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
 * The canonical spelling of a family member: `%q03` becomes `%q3`. Two names in the same family refer to the same
 * register if and only if their canonical spellings are equal.
 */
export function canonicalRegister(symbol: RegisterSymbol, name: string): string {
  if (symbol.count === null) return name;
  return symbol.name + numberAt(name, familyIndex(name));
}
