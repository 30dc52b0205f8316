/**
 * Checks the static shared memory of kernels: the variables that are declared in a kernel or in a function that it
 * calls, and the module's variables to which the kernel or these functions refer (PTX ISA 9.1, section 5.1.7). The
 * limits, and what counts toward them, were measured with ptxas 13.0.
 */
import type { Span } from '../../base/span.ts';
import { diagnose } from '../../diagnostics/diagnostic.ts';
import { includesTarget, type Target, type TargetSet } from '../../isa/targets.ts';
import type { FunctionItem, Operand } from '../../syntax/tree.ts';
import type { Report } from '../report.ts';
import { bytesInRow } from './sizes.ts';
import type { Scope, VariableSymbol } from '../symbols.ts';

/**
 * The maximum number of bytes of shared memory that a kernel may declare. Targets with the suffix `a` allow all of the
 * shared memory that the chip has.
 */
const limits: readonly (readonly [bytes: number, on: TargetSet])[] = [
  [232_448, { kind: 'listed', names: ['sm_90a', 'sm_100a', 'sm_101a', 'sm_103a', 'sm_107a', 'sm_110a'] }],
  [101_376, { kind: 'listed', names: ['sm_120a', 'sm_121a'] }],
  [49_152, { kind: 'from', sm: 10 }],
];

export type FunctionName = Pick<FunctionItem, 'name' | 'nameStart' | 'nameEnd' | 'entry'>;

/** The shared memory that one function uses. */
export interface Uses {
  readonly name: string;
  readonly entry: boolean;
  readonly span: Span;
  readonly variables: Set<VariableSymbol>;
  readonly calls: Set<string>;
}

/** Collects the shared memory that the functions of a module use. */
export class SharedMemory {
  private readonly functions = new Map<string, Uses>();
  private current: Uses | null = null;

  /** Keyed by function name. */
  get uses(): ReadonlyMap<string, Uses> {
    return this.functions;
  }

  begin({ name, nameStart, nameEnd, entry }: FunctionName): void {
    const span: Span = { start: nameStart, end: nameEnd };
    this.current = { name, entry, span, variables: new Set(), calls: new Set() };
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

  /** Records the `.shared` variables and the functions to which the operands of an instruction refer. */
  operands(operands: readonly Operand[], scope: Scope): void {
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

  /** Reports the kernels that use more shared memory than the target provides. */
  finish(target: Target, report: Report): void {
    const [most] = limits.find(([, on]) => includesTarget(on, target)) ?? [Number.POSITIVE_INFINITY];
    for (const { name, entry, span } of this.functions.values()) {
      const found = entry ? bytesInRow(this.reached(name).map(({ variable }) => variable)) : 0;
      if (found <= most) continue;
      const hex = (bytes: number): string => `0x${bytes.toString(16)}`;
      const ptxas = `Entry function '${name}' uses too much shared data (${hex(found)} bytes, ${hex(most)} max)`;
      const what = `the .shared variables of '${name}'`;
      report(diagnose('PTX5025', span, { what, found: String(found), most: String(most), ptxas }));
    }
  }

  /** The variables of a function and of all functions that it calls. */
  private reached(name: string): readonly VariableSymbol[] {
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
