/**
 * The scopes that are open at one point in a module: the scope of the module and, within a function, the scopes of the
 * function and of the blocks around that point.
 */
import { declareFunction } from '../check/declarations/functions.ts';
import { declareVariable } from '../check/declarations/redeclaration.ts';
import { elementAt } from '../base/element-at.ts';
import { type DeclaredSymbol, type LabelSymbol, Scope } from '../check/symbols.ts';
import type { BegunFunction, Declared, OutlinePart } from './chunk.ts';

/**
 * The labels that each block or function body contains. The key is the part of the outline that opens the block or
 * body.
 */
export type LabelsByScope = ReadonlyMap<OutlinePart, readonly LabelSymbol[]>;

export class OpenScopes {
  /** The names that have been declared at module scope so far. */
  readonly symbols: Scope = new Scope();
  readonly aliases: Map<string, string> = new Map();
  private begun: BegunFunction | null = null;
  private readonly scopes: Scope[] = [];
  /** The labels of the scopes that unchecked chunks open. */
  labels: LabelsByScope;
  /** Labels that could not be declared because their names were already declared in the same scope. */
  private readonly repeated = new Set<LabelSymbol>();

  constructor(labels: LabelsByScope) {
    this.labels = labels;
  }

  /** The function whose body is open. */
  get function(): BegunFunction | null {
    return this.begun;
  }

  /** The scope to which statements at this point belong; null outside of functions. */
  get innermost(): Scope | null {
    return this.scopes.at(-1) ?? null;
  }

  isRepeated(label: LabelSymbol): boolean {
    return this.repeated.has(label);
  }

  /** True if a label could not be declared because another label or a parameter already has this name. */
  hasRepeated(name: string): boolean {
    for (const label of this.repeated) if (label.name === name) return true;
    return false;
  }

  /**
   * Begins a function. `scope` contains the parameters of the function, and `part` is the function's header in the
   * outline.
   */
  begin(begun: BegunFunction, scope: Scope, part: OutlinePart): void {
    this.begun = begun;
    this.scopes.push(scope);
    this.declareLabels(scope, part);
  }

  open(part: OutlinePart): void {
    const scope = new Scope(this.innermost);
    this.scopes.push(scope);
    this.declareLabels(scope, part);
  }

  close(ends: 'block' | 'function'): void {
    this.scopes.pop();
    if (ends === 'function') this.begun = null;
  }

  private declareLabels(scope: Scope, part: OutlinePart): void {
    for (const label of this.labels.get(part) ?? []) if (scope.declare(label) !== null) this.repeated.add(label);
  }

  /** Repeats the declarations that a chunk made at module scope when it was checked. */
  repeatModule(declared: readonly Declared[]): void {
    for (const one of declared) {
      if (one.kind === 'symbol') redeclare(one.symbol, this.symbols);
      else if (one.kind === 'alias') this.aliases.set(one.name, one.target);
    }
  }

  /**
   * Repeats the declarations that a chunk made within functions when it was checked. `outline` is the outline of that
   * chunk.
   */
  repeatBody(declared: readonly Declared[], outline: readonly OutlinePart[]): void {
    const parts = outline.filter(({ kind }) => kind === 'function' || kind === 'open');
    let next = 0;
    for (const one of declared) {
      if (one.kind === 'function') {
        const scope = new Scope(this.symbols);
        for (const formal of one.formals) redeclare(formal, scope);
        this.begin(one, scope, elementAt(parts, next++));
      } else if (one.kind === 'open') this.open(elementAt(parts, next++));
      else if (one.kind === 'close') this.close(one.ends);
      else if (one.kind === 'symbol' && this.innermost !== null) redeclare(one.symbol, this.innermost);
    }
  }

  /** Closes all scopes that are still open because the end of their function has not been reached. */
  leave(): void {
    this.scopes.length = 0;
    this.begun = null;
  }
}

function redeclare(symbol: DeclaredSymbol, scope: Scope): void {
  switch (symbol.kind) {
    case 'function':
      declareFunction(symbol, scope, ignore);
      return;
    case 'variable':
      declareVariable(scope, symbol, ignore);
      return;
    case 'targets':
      scope.declare({ ...symbol, scope });
      return;
    case 'register':
    case 'label':
    case 'prototype':
      scope.declare(symbol);
      return;
  }
}

function ignore(): void {}
