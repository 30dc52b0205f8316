/** Collects what the functions of a module use: shared memory, other functions, and CTA groups. */
import type { Span } from '../../base/span.ts';
import type { FunctionItem, Instruction, Operand } from '../../syntax/tree.ts';
import type { Scope, VariableSymbol } from '../symbols.ts';

/** The CTA group of a `tcgen05` instruction, such as `.cta_group::1`; null if it has none. */
export function ctaGroupOf(mnemonic: string): string | null {
  return mnemonic.startsWith('tcgen05.') ? (/\.cta_group::\d/.exec(mnemonic)?.[0] ?? null) : null;
}

export type FunctionName = Pick<FunctionItem, 'name' | 'nameStart' | 'nameEnd' | 'entry'>;

/** What one function uses. */
export interface Uses {
  readonly name: string;
  readonly entry: boolean;
  readonly span: Span;
  readonly variables: Set<VariableSymbol>;
  readonly calls: Set<string>;
  /** The CTA groups of the function's `tcgen05` instructions, such as `.cta_group::1`. */
  readonly ctaGroups: Set<string>;
}

export class FunctionUses {
  private readonly functions = new Map<string, Uses>();
  private current: Uses | null = null;

  /** Keyed by function name. */
  get uses(): ReadonlyMap<string, Uses> {
    return this.functions;
  }

  begin({ name, nameStart, nameEnd, entry }: FunctionName): void {
    const span: Span = { start: nameStart, end: nameEnd };
    this.current = { name, entry, span, variables: new Set(), calls: new Set(), ctaGroups: new Set() };
    this.functions.set(name, this.current);
  }

  /** Records a variable that the current function declares or refers to. */
  variable(symbol: VariableSymbol): void {
    if (symbol.space === '.shared') this.current?.variables.add(symbol);
  }

  /** Records a function that the current function calls. */
  call(name: string): void {
    this.current?.calls.add(name);
  }

  /** Records what an instruction uses. */
  instruction({ mnemonic, operands }: Instruction, scope: Scope): void {
    this.operands(operands, scope);
    const group = ctaGroupOf(mnemonic);
    if (group !== null) this.ctaGroup(group);
  }

  ctaGroup(group: string): void {
    this.current?.ctaGroups.add(group);
  }

  private operands(operands: readonly Operand[], scope: Scope): void {
    for (const operand of operands) this.operand(operand, scope);
  }

  private operand(operand: Operand, scope: Scope): void {
    switch (operand.kind) {
      case 'name':
        this.named(operand.name, scope);
        return;
      case 'offset':
        this.operand(operand.base, scope);
        return;
      case 'address':
        if (operand.base !== null) this.operand(operand.base, scope);
        return;
      case 'vector':
      case 'list':
        this.operands(operand.elements, scope);
        return;
      default:
    }
  }

  private named(name: string, scope: Scope): void {
    const symbol = scope.lookup(name);
    if (symbol?.kind === 'variable') this.variable(symbol);
    if (symbol?.kind === 'function') this.call(name);
  }

  /** The variables of a function and of all functions that it calls. */
  reached(name: string): readonly VariableSymbol[] {
    const seen = new Set([name]);
    const variables = new Set<VariableSymbol>();
    for (const one of seen) {
      const uses = this.functions.get(one);
      for (const call of uses?.calls ?? []) seen.add(call);
      for (const variable of uses?.variables ?? []) variables.add(variable);
    }
    return [...variables];
  }
}
