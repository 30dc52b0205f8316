/**
 * Finds the declaration that a name in a document refers to. This depends on the scopes of functions and on the
 * position of the name.
 */
import { append } from '../base/append.ts';
import { elementAt } from '../base/element-at.ts';
import { leadingCount } from '../base/leading-count.ts';
import type { Span } from '../base/span.ts';
import { type DeclaredSymbol, familyIndex } from '../check/symbols.ts';
import type { Chunk, OutlinePart } from './chunk.ts';
import type { ChunkList } from './chunk-list.ts';

/** A symbol, and the place where its name is declared in the document. */
export interface Declared extends Span {
  readonly symbol: DeclaredSymbol;
}

/** The scope of a function, or of a block in a function. */
export class PlacedScope {
  readonly start: number;
  end: number;
  readonly parent: PlacedScope | null;
  readonly children: PlacedScope[] = [];
  readonly names: Map<string, Declared> = new Map();
  /** In the order of the text. */
  readonly families: Declared[] = [];
  private readonly familiesByName: Map<string, Declared[]> = new Map();

  constructor(start: number, parent: PlacedScope | null) {
    this.start = start;
    this.end = Number.POSITIVE_INFINITY;
    this.parent = parent;
  }

  declare(declared: Declared): void {
    const { symbol } = declared;
    if (symbol.kind === 'register' && symbol.count !== null) this.declareFamily(declared);
    else if (!this.names.has(symbol.name)) this.names.set(symbol.name, declared);
  }

  private declareFamily(declared: Declared): void {
    const { name } = declared.symbol;
    append(this.familiesByName, name, declared);
    this.families.push(declared);
  }

  /**
   * Looks up a name in this scope only, not in the scopes around it. `family` and `index` are the result of `memberOf`
   * for the name.
   */
  find(name: string, family: string, index: number): Declared | null {
    const found = this.names.get(name);
    if (found !== undefined) return found;
    if (family === '') return null;
    const families = this.familiesByName.get(family);
    return families?.find(({ symbol }) => symbol.kind === 'register' && index < (symbol.count ?? 0)) ?? null;
  }

  /** The register family whose declaration contains an offset or ends there. */
  familyAt(offset: number): Declared | null {
    const before = leadingCount(this.families.length, (i) => elementAt(this.families, i).start <= offset);
    const found = this.families[before - 1];
    return found !== undefined && offset <= found.end ? found : null;
  }
}

/**
 * Splits a name into the name of the register family that it may belong to, and its number in that family. The name of
 * the family is empty if the name does not end in a number.
 */
function memberOf(name: string): { readonly family: string; readonly index: number } {
  const digits = familyIndex(name);
  return { family: name.slice(0, digits), index: Number(name.slice(digits)) };
}

/** What a name stands for. */
export interface Resolved {
  readonly declared: Declared;
  /** Null for names that are declared at module scope. */
  readonly scope: PlacedScope | null;
}

/** The names of a document; valid until the next edit. */
export class Names {
  private readonly list: ChunkList;
  private readonly functions = new Map<Chunk, readonly PlacedScope[]>();
  private module: ReadonlyMap<string, readonly Declared[]> | null = null;
  /** The scope that was found by the previous query. */
  private last: PlacedScope | null = null;

  constructor(list: ChunkList) {
    this.list = list;
  }

  /**
   * The declaration to which a name at an offset refers; null if the name is not declared. Only a label may be declared
   * after its first use.
   */
  resolve(name: string, offset: number): Resolved | null {
    const { family, index } = memberOf(name);
    for (let scope = this.scopeAt(offset); scope !== null; scope = scope.parent) {
      const declared = scope.find(name, family, index);
      if (declared !== null && (declared.symbol.kind === 'label' || declared.start <= offset))
        return { declared, scope };
    }
    const [declared] = this.ofModule(name);
    return declared === undefined ? null : { declared, scope: null };
  }

  /** The declarations of a name at module scope. The definition of a function comes first. */
  ofModule(name: string): readonly Declared[] {
    return this.moduleNames().get(name) ?? [];
  }

  moduleNames(): ReadonlyMap<string, readonly Declared[]> {
    this.module ??= readModule(this.list.chunks);
    return this.module;
  }

  /** The innermost scope at an offset; null outside of functions. */
  scopeAt(offset: number): PlacedScope | null {
    let found = this.enclosing(offset);
    while (found !== null) {
      const inner = childAt(found, offset);
      if (inner === null) break;
      found = inner;
    }
    this.last = found;
    return found;
  }

  /**
   * A scope that contains the offset, though not necessarily the innermost one. The result of the previous query and
   * the scopes around it are tried first, because most queries are made in the order of the text.
   */
  private enclosing(offset: number): PlacedScope | null {
    for (let scope = this.last; scope !== null; scope = scope.parent) {
      if (scope.start < offset && offset < scope.end) return scope;
    }
    const roots = this.scopesOf(this.list.at(offset));
    return roots.find(({ start, end }) => start <= offset && offset <= end) ?? null;
  }

  /** The scopes of the functions that lie at least partly in a chunk. */
  private scopesOf(chunk: Chunk): readonly PlacedScope[] {
    const known = this.functions.get(chunk);
    if (known !== undefined) return known;
    const { chunks } = this.list;
    let first = chunk.index;
    while (first > 0 && elementAt(chunks, first).from.body !== null) first--;
    let last = chunk.index;
    while (last + 1 < chunks.length && elementAt(chunks, last).to.body !== null) last++;
    const made = readFunctions(chunks.slice(first, last + 1));
    for (let i = first; i <= last; i++) {
      const { start, text } = elementAt(chunks, i);
      const isPart = (scope: PlacedScope): boolean => scope.start <= start + text.length && scope.end >= start;
      this.functions.set(elementAt(chunks, i), made.filter(isPart));
    }
    return this.functions.get(chunk) ?? [];
  }
}

function childAt({ children }: PlacedScope, offset: number): PlacedScope | null {
  const count = leadingCount(children.length, (i) => elementAt(children, i).start <= offset);
  const found = children[count - 1];
  return found !== undefined && offset <= found.end ? found : null;
}

function readModule(chunks: readonly Chunk[]): ReadonlyMap<string, readonly Declared[]> {
  const names = new Map<string, Declared[]>();
  for (const { checked, start } of chunks) {
    for (const one of checked?.module ?? []) {
      if (one.kind !== 'symbol') continue;
      const { symbol } = one;
      const declared = placed(symbol, start);
      const known = names.get(symbol.name);
      if (known === undefined) names.set(symbol.name, [declared]);
      else if (symbol.kind === 'function' && symbol.defined) known.unshift(declared);
      else known.push(declared);
    }
  }
  return names;
}

function placed(symbol: DeclaredSymbol, by: number): Declared {
  const { start, end } = symbol.declared;
  const length = symbol.kind === 'label' ? symbol.name.length : end - start;
  return { symbol, start: start + by, end: start + by + length };
}

function readFunctions(chunks: readonly Chunk[]): readonly PlacedScope[] {
  const found: PlacedScope[] = [];
  let scope: PlacedScope | null = null;
  for (const { outline, checked, start: by } of chunks) {
    const symbols = declaredBetween(checked?.body ?? []);
    let next = 0;
    for (const symbol of symbols[next++] ?? []) scope?.declare(placed(symbol, by));
    for (const part of outline) {
      scope = follow(part, by, scope, found);
      if (part.kind === 'label') continue;
      for (const symbol of symbols[next++] ?? []) scope?.declare(placed(symbol, by));
    }
  }
  return found;
}

/** Processes one part of an outline, and returns the scope that contains the text after this part. */
function follow(part: OutlinePart, by: number, scope: PlacedScope | null, found: PlacedScope[]): PlacedScope | null {
  switch (part.kind) {
    case 'function': {
      const made = new PlacedScope(by + part.header.start, null);
      found.push(made);
      return made;
    }
    case 'label':
      scope?.declare(placed(part.symbol, by));
      return scope;
    case 'open': {
      if (scope === null) return null;
      const made = new PlacedScope(by + part.start, scope);
      scope.children.push(made);
      return made;
    }
    case 'close':
      if (scope !== null) scope.end = by + part.end;
      return scope?.parent ?? null;
  }
}

/**
 * The symbols that a chunk declares within functions. The starts and ends of scopes divide the chunk into sections, and
 * there is one list for each section.
 */
function declaredBetween(body: NonNullable<Chunk['checked']>['body']): readonly (readonly DeclaredSymbol[])[] {
  const found: DeclaredSymbol[][] = [[]];
  for (const one of body) {
    if (one.kind === 'symbol') found.at(-1)?.push(one.symbol);
    else found.push(one.kind === 'function' ? [...one.formals] : []);
  }
  return found;
}
