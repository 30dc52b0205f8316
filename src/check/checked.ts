/**
 * What the checker records about a function that is going to be run: its statements in order, each with the scope in
 * which its names are looked up.
 */
import type { Variant } from '../isa/form.ts';
import type { FunctionItem, Instruction, LocationDirective, PragmaDirective } from '../syntax/tree.ts';
import type { LabelSymbol, RegisterSymbol, Scope, VariableSymbol } from './symbols.ts';

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

/**
 * The symbol of a parameter or return value in the scope of the function's body; null if the header gives no name for
 * it.
 */
export type FormalSymbol = VariableSymbol | RegisterSymbol | null;

export interface CheckedFunction {
  readonly item: FunctionItem;
  /** In the order of declaration. */
  readonly parameters: readonly FormalSymbol[];
  readonly results: readonly FormalSymbol[];
  /** Variables that are declared in the body, including the `.param` variables for calls. */
  readonly variables: readonly VariableSymbol[];
  readonly body: readonly BodyEntry[];
}

/** Collects the parts of a function while the function is being checked. */
export class FunctionRecorder {
  private readonly item: FunctionItem;
  private readonly parameters: FormalSymbol[] = [];
  private readonly results: FormalSymbol[] = [];
  private readonly variables: VariableSymbol[] = [];
  private readonly body: BodyEntry[] = [];

  constructor(item: FunctionItem) {
    this.item = item;
  }

  formal(symbol: FormalSymbol, result: boolean): void {
    (result ? this.results : this.parameters).push(symbol);
  }

  variable(symbol: VariableSymbol): void {
    this.variables.push(symbol);
  }

  entry(entry: BodyEntry): void {
    this.body.push(entry);
  }

  finish(): CheckedFunction {
    const { item, parameters, results, variables, body } = this;
    return { item, parameters, results, variables, body };
  }
}
