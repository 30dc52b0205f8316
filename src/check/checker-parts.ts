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
  /** Counts an error that is not listed, so its diagnostic need not be created; false if it must be reported. */
  readonly countsOnly?: (code: Code) => boolean;
  readonly memory: CheckMemory;
  readonly header: Header;
  /** Whether items are kept so that the module can be run; if not, `memory` checks lines of known shape. */
  readonly keep: boolean;
}

/** What the checker for one part of a module inherits from the checkers for earlier parts. */
export interface Continuation {
  /** The module's names so far. */
  readonly symbols: Scope;
  readonly aliases: Map<string, string>;
  readonly places: Places;
  /** Called with every declared symbol and its scope; null if they are not needed. */
  readonly declared: ((symbol: DeclaredSymbol, scope: Scope) => void) | null;
  /** Maximum number of searches for names that are similar to undeclared ones. */
  readonly searchLimit: number;
}
