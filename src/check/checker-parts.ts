import type { Code } from '../diagnostics/catalog.ts';
import type { Header } from './declarations/header.ts';
import type { Places } from './declarations/debug-places.ts';
import type { CheckMemory } from './memory.ts';
import type { Report } from './report.ts';
import type { DeclaredSymbol, Scope } from './symbols.ts';

/** The components of a checker. */
export interface CheckerParts {
  readonly source: string;
  readonly report: Report;
  /**
   * If an error with this code would only be counted and not listed, counts it and returns true, so that no diagnostic
   * must be created for it. Otherwise returns false: the error must be reported.
   */
  readonly countsOnly?: (code: Code) => boolean;
  readonly memory: CheckMemory;
  readonly header: Header;
  /**
   * Whether items are kept so that the module can be run. If not, lines whose shape is in `memory` are checked without
   * parsing them.
   */
  readonly keep: boolean;
}

/** What the checker for one part of a module inherits from the checkers for earlier parts. */
export interface Continuation {
  /** The module's names so far. */
  readonly symbols: Scope;
  readonly aliases: Map<string, string>;
  readonly places: Places;
  /** Called for every symbol that is declared, with its scope; null if the caller does not need the symbols. */
  readonly declared: ((symbol: DeclaredSymbol, scope: Scope) => void) | null;
  /** Maximum number of searches for names that are similar to undeclared ones. */
  readonly searchLimit: number;
}
