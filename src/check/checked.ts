/** The information that the checker records about a function that is going to be run. */
import type { BodilessFunction, FunctionItem, Statement } from '../syntax/tree.ts';
import type { RegisterSymbol, Scope, VariableSymbol } from './symbols.ts';

/**
 * The symbol of a parameter or return value in the scope of the function's body; null if the header does not specify a
 * name.
 */
export type FormalSymbol = VariableSymbol | RegisterSymbol | null;

export interface CheckedFunction {
  readonly item: BodilessFunction;
  /** In declaration order. */
  readonly parameters: readonly FormalSymbol[];
  readonly results: readonly FormalSymbol[];
  /** Variables that are declared in the body, including the `.param` variables for calls. */
  readonly variables: readonly VariableSymbol[];
  /** The scopes of the body and of the blocks in it, in the order in which they begin. */
  readonly scopes: readonly Scope[];
  /** The statements of the body; null if they were not kept, so that they have to be parsed again. */
  readonly statements: readonly Statement[] | null;
}

/** Collects the parts of a function while the function is being checked. */
export class FunctionRecorder {
  private readonly item: BodilessFunction;
  private readonly parameters: FormalSymbol[] = [];
  private readonly results: FormalSymbol[] = [];
  private readonly variables: VariableSymbol[] = [];
  private readonly scopes: Scope[] = [];
  private readonly statements: readonly Statement[] | null;

  constructor({ body, lines, ...item }: FunctionItem) {
    this.item = item;
    this.statements = lines === null ? body : null;
  }

  formal(symbol: FormalSymbol, result: boolean): void {
    (result ? this.results : this.parameters).push(symbol);
  }

  variable(symbol: VariableSymbol): void {
    this.variables.push(symbol);
  }

  scope(scope: Scope): void {
    this.scopes.push(scope);
  }

  finish(): CheckedFunction {
    const { item, parameters, results, variables, scopes, statements } = this;
    return { item, parameters, results, variables, scopes, statements };
  }
}
