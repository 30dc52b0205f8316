/**
 * Checks names whose addresses are used as initial values (PTX ISA 9.1, section 5.4.4, as implemented by ptxas 13.0).
 */
import { diagnose } from '../../diagnostics/diagnostic.ts';
import type { Initializer } from '../../syntax/tree.ts';
import type { Report } from '../report.ts';
import type { ModuleRequirements } from '../requirements.ts';
import type { Scope } from '../symbols.ts';
import { type NameHelp, undeclared } from '../unknown-name.ts';

type Address = Extract<Initializer, { readonly kind: 'address' }>;

interface Context {
  readonly report: Report;
  readonly names: NameHelp;
  readonly requirements: ModuleRequirements;
}

/**
 * Checks every name in an initial value. It must be the name of a function or of a variable in `.global` or `.const`,
 * and it must have been declared earlier.
 */
export function checkInitialNames(initializer: Initializer, scope: Scope, context: Context): void {
  if (initializer.kind === 'list') {
    for (const element of initializer.elements) checkInitialNames(element, scope, context);
  } else if (initializer.kind === 'address') checkAddress(initializer, scope, context);
}

function checkAddress({ name, offset, generic, span }: Address, scope: Scope, context: Context): void {
  const { report, names, requirements } = context;
  const symbol = scope.lookup(name);
  if (symbol === undefined) {
    report(undeclared(name, span, scope, names));
    return;
  }
  const what = whyNot(symbol.kind, symbol.kind === 'variable' ? symbol.space : null, offset, generic);
  if (what !== null) report(diagnose('PTX5021', span, { name, what }));
  if (symbol.kind === 'variable') requirements.directive('address as an initial value', span);
  if (symbol.kind === 'function')
    requirements.directive(symbol.entry ? 'kernel as an initial value' : 'function as an initial value', span);
}

function whyNot(kind: string, space: string | null, offset: bigint, generic: boolean): string | null {
  if (kind === 'function') {
    if (generic) return 'is a function, and functions have no generic address';
    return offset === 0n ? null : 'is a function, and its address cannot have an offset';
  }
  if (kind !== 'variable') return 'is neither a variable nor a function';
  return space === '.global' || space === '.const' ? null : `is in ${space ?? ''}, not in .global or .const`;
}
