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
   * Called before a diagnostic with this code is created. Returns true if the diagnostic is an error that is only
   * counted, because the limit on listed errors has been reached. If the result is false, the caller must create and
   * report the diagnostic.
   */
  readonly countsOnly?: (code: Code) => boolean;
  readonly memory: CheckMemory;
  readonly header: Header;
  /** Whether functions and debug sections are recorded, because the module is going to be run. */
  readonly keep: boolean;
}

/** The state that the checker for one part of a module inherits from the checkers for earlier parts. */
export interface Continuation {
  /** The names that have been declared at module scope so far. */
  readonly symbols: Scope;
  readonly aliases: Map<string, string>;
  readonly places: Places;
  /** Called with each declared symbol and the scope of that symbol; null if the symbols are not needed. */
  readonly declared: ((symbol: DeclaredSymbol, scope: Scope) => void) | null;
  /** Maximum number of searches for names that are similar to undeclared ones. */
  readonly searchLimit: number;
}
