import type { Header } from './declarations/header.ts';
import type { Places } from './declarations/debug-places.ts';
import type { CheckMemory } from './memory.ts';
import type { Report } from './report.ts';
import type { DeclaredSymbol, Scope } from './symbols.ts';

/** What a checker is made of. */
export interface CheckerParts {
  readonly source: string;
  readonly report: Report;
  readonly memory: CheckMemory;
  readonly header: Header;
  /** Items are kept for running; if not, lines of known shape are judged by the memory. */
  readonly keep: boolean;
}

/** What the checker of a part of a module takes over from the checkers of earlier parts. */
export interface Continuation {
  /** Names of the module so far. */
  readonly symbols: Scope;
  readonly aliases: Map<string, string>;
  readonly places: Places;
  /** Takes every symbol that is declared, and its scope; null if nobody needs them. */
  readonly declared: ((symbol: DeclaredSymbol, scope: Scope) => void) | null;
}
