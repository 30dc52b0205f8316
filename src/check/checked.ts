/**
 * The parts of a function that the checker keeps so that it can be run: its statements in order, each with the scope of
 * its names.
 */
import type { Variant } from '../isa/form.ts';
import type { FunctionItem, Instruction, LocationDirective, PragmaDirective } from '../syntax/tree.ts';
import type { LabelSymbol, RegisterSymbol, Scope, VariableSymbol } from './symbols.ts';

export type BodyEntry =
  | {
      readonly kind: 'instruction';
      readonly node: Instruction;
      readonly scope: Scope;
      /** Null for an instruction that is not in the table. */
      readonly variant: Variant | null;
    }
  | { readonly kind: 'label'; readonly symbol: LabelSymbol }
  /** `.loc`: the source line of the instructions after it. */
  | { readonly kind: 'location'; readonly node: LocationDirective }
  /** `.pragma`, which applies to the instruction after it. */
  | { readonly kind: 'pragma'; readonly node: PragmaDirective };

/** A parameter or return value as a symbol of the body; null if it has no name. */
export type FormalSymbol = VariableSymbol | RegisterSymbol | null;

export interface CheckedFunction {
  readonly item: FunctionItem;
  /** In the order of declaration. */
  readonly parameters: readonly FormalSymbol[];
  readonly results: readonly FormalSymbol[];
  /** Variables declared in the body, including parameters of calls. */
  readonly variables: readonly VariableSymbol[];
  readonly body: readonly BodyEntry[];
}

/** Collects a function while it is being checked. */
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
