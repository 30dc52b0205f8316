/**
 * Reads the statements of functions that have already been checked. Only the functions that a kernel needs are read, so
 * most of the text of a large module is never parsed in full.
 */
import { elementAt } from '../base/element-at.ts';
import { SourceText } from '../base/source-text.ts';
import type { Variant } from '../isa/form.ts';
import { parseFunctionText } from '../syntax/parser.ts';
import type { Instruction, LocationDirective, PragmaDirective, Statement } from '../syntax/tree.ts';
import type { ModuleEnvironment } from './availability.ts';
import type { CheckedFunction } from './checked.ts';
import { verdictOn } from './instructions/instruction.ts';
import type { VerdictCache } from './instructions/verdicts.ts';
import type { CheckMemory } from './memory.ts';
import type { LabelSymbol, Scope } from './symbols.ts';

/** A statement, with the scope in which its names are looked up. */
export type BodyEntry =
  | {
      readonly kind: 'instruction';
      readonly node: Instruction;
      readonly scope: Scope;
      /** Null if the instruction tables do not contain the instruction. */
      readonly variant: Variant | null;
    }
  | { readonly kind: 'label'; readonly symbol: LabelSymbol }
  /** `.loc`: the source line of the instructions after it. */
  | { readonly kind: 'location'; readonly node: LocationDirective }
  /** `.pragma`, which applies to the instruction after it. */
  | { readonly kind: 'pragma'; readonly node: PragmaDirective };

/** The statements of a function, in source order. */
export interface CheckedBody {
  /** The text of the function or of the whole module. All positions are relative to its start. */
  readonly text: SourceText;
  /** The line of the module in which `text` begins, 1-based. */
  readonly firstLine: number;
  readonly entries: readonly BodyEntry[];
}

/** Reads the body of a function of a module without errors. `text` is the text of the module. */
export function readBody(
  fn: CheckedFunction,
  text: SourceText,
  environment: ModuleEnvironment,
  memory: CheckMemory,
): CheckedBody {
  const { statements, scopes } = fn;
  if (statements === null) return parseAgain(fn, text, environment, memory);
  return { text, firstLine: 1, entries: bodyEntries(statements, scopes, environment, memory) };
}

function parseAgain(
  { item: { start, end, name }, scopes }: CheckedFunction,
  text: SourceText,
  environment: ModuleEnvironment,
  memory: CheckMemory,
): CheckedBody {
  const own = new SourceText(text.text.slice(start, end));
  const statements = parseFunctionText(own.text)?.body ?? null;
  if (statements === null) throw new Error(`the body of '${name}' cannot be parsed again`);
  const { line } = text.position(start);
  return { text: own, firstLine: line, entries: bodyEntries(statements, scopes, environment, memory) };
}

/** The entries of the statements of a function; `scopes` are those that were recorded when the function was checked. */
export function bodyEntries(
  statements: readonly Statement[],
  scopes: readonly Scope[],
  environment: ModuleEnvironment,
  memory: CheckMemory,
): readonly BodyEntry[] {
  memory.begin();
  const reader = new BodyReader(scopes, memory, memory.verdictsFor(environment));
  reader.read(statements);
  return reader.entries;
}

class BodyReader {
  readonly entries: BodyEntry[] = [];
  private readonly scopes: readonly Scope[];
  private readonly memory: CheckMemory;
  private readonly cache: VerdictCache;
  private begun = 0;

  constructor(scopes: readonly Scope[], memory: CheckMemory, cache: VerdictCache) {
    this.scopes = scopes;
    this.memory = memory;
    this.cache = cache;
  }

  /** Reads the statements of the next scope. */
  read(statements: readonly Statement[]): void {
    const scope = elementAt(this.scopes, this.begun++);
    for (const statement of statements) this.add(statement, scope);
  }

  private add(statement: Statement, scope: Scope): void {
    switch (statement.kind) {
      case 'instruction': {
        const { variant } = verdictOn(statement, scope, this.memory.shapes, this.cache);
        this.entries.push({ kind: 'instruction', node: statement, scope, variant });
        return;
      }
      case 'block':
        this.read(statement.statements);
        return;
      case 'label': {
        const symbol = scope.lookup(statement.name);
        if (symbol?.kind === 'label') this.entries.push({ kind: 'label', symbol });
        return;
      }
      case 'loc':
        this.entries.push({ kind: 'location', node: statement });
        return;
      case 'pragma':
        this.entries.push({ kind: 'pragma', node: statement });
        return;
      case 'known':
        throw new Error('a line was skipped while a body was read');
      case 'intermediate-loc':
      case 'declaration':
      case 'targets':
      case 'prototype':
      case 'function':
        return;
    }
  }
}
