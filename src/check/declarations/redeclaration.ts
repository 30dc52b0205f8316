/**
 * Checks variables that a module declares more than once (PTX ISA 9.1, sections 5.4 and 11.6). The verdicts were
 * measured with ptxas 13.0.
 */
import { diagnose } from '../../diagnostics/diagnostic.ts';
import { findRegister } from '../../isa/find-register.ts';
import type { Variable } from '../../syntax/tree.ts';
import type { Report } from '../report.ts';
import { bytesInRow, isOpen } from './sizes.ts';
import type { FunctionSymbol, Scope, VariableSymbol } from '../symbols.ts';

/** Reports a variable or function of the module that has the name of a special register. */
export function checkModuleName({ name, declared }: VariableSymbol | FunctionSymbol, report: Report): void {
  if (findRegister(name) !== undefined) report(diagnose('PTX5039', declared, { name }));
}

/**
 * Declares a variable. A variable may have several `.extern` declarations and one definition, as long as they all
 * agree.
 */
export function declareVariable(scope: Scope, symbol: VariableSymbol, report: Report): void {
  if (scope.parent === null) checkModuleName(symbol, report);
  const previous = scope.declare(symbol);
  if (previous === null) return;
  const { name, declared } = symbol;
  if (previous.kind !== 'variable' || !mayStandBeside(previous, symbol)) {
    report(diagnose('PTX5005', declared, { name, what: 'variable' }));
    return;
  }
  const difference = differenceBetween(previous.variable, symbol.variable);
  if (difference !== null) report(diagnose('PTX5017', declared, { name, what: difference }));
  if (symbol.linkage !== '.extern') scope.replace(symbol);
}

/**
 * Whether a module may contain both of these declarations of the same name. A definition without a linkage directive is
 * private to the module, so it cannot define an `.extern` variable.
 */
function mayStandBeside(previous: VariableSymbol, symbol: VariableSymbol): boolean {
  if (symbol.linkage === '.extern') return true;
  return previous.linkage === '.extern' && symbol.linkage !== null;
}

function differenceBetween(first: Variable, second: Variable): string | null {
  if (first.type !== second.type || first.vector !== second.vector) return 'with another type';
  const [a, b] = [first.dimensions, second.dimensions];
  const openly = isOpen(first) || isOpen(second);
  const agree = a.length === b.length && a.every((size, i) => size === b[i] || (i === 0 && openly));
  return agree ? null : 'with other dimensions';
}

const mostConstants = 65_536;

/** All `.const` variables of a module share one bank, including those that are declared in functions. */
export function checkConstants(variables: readonly VariableSymbol[], report: Report): void {
  const own = variables.filter(({ space, linkage }) => space === '.const' && linkage !== '.extern');
  const found = bytesInRow(own.map(({ variable }) => variable));
  const last = own.at(-1);
  if (found <= mostConstants || last === undefined) return;
  const ptxas = `File uses too much global constant data (0x${found.toString(16)} bytes, 0x10000 max)`;
  const what = 'the variables in .const';
  report(diagnose('PTX5025', last.declared, { what, found: String(found), most: String(mostConstants), ptxas }));
}
