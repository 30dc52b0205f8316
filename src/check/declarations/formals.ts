/** Declares parameters and return values as names in the body of a function (PTX ISA 9.1, section 7.1). */
import { diagnose } from '../../diagnostics/diagnostic.ts';
import type { PtxType } from '../../isa/types.ts';
import { attributesOf } from '../../syntax/directives.ts';
import type { FunctionItem, Parameter, Variable } from '../../syntax/tree.ts';
import type { FunctionRecorder } from '../checked.ts';
import type { Report } from '../report.ts';
import type { DeclaredSymbol, FormalSpace, Scope } from '../symbols.ts';
import { attributeName, checkPassedAlignment, checkRegister, parameterSpace, parameterSymbol } from './declarations.ts';
import { checkParameterType } from './functions.ts';
import type { Header } from './header.ts';

/** The facts about a module that are needed to declare parameters. */
export interface FormalContext {
  readonly report: Report;
  readonly header: Header;
  /** Stores the information that is needed to run the function; null if the module is only checked. */
  readonly recorder: FunctionRecorder | null;
  /** The type in a declaration; null if the declaration must be ignored. */
  declaredType(variable: Variable, space: string): PtxType | null;
  declare(scope: Scope, symbol: DeclaredSymbol): void;
}

/**
 * Declares the parameters of a function in the scope of its body, and returns the state space of each parameter, by
 * name.
 */
export function declareFormals(item: FunctionItem, scope: Scope, context: FormalContext): Map<string, FormalSpace> {
  const spaces = new Map<string, FormalSpace>();
  const declareAll = (formals: readonly Parameter[], result: boolean): void => {
    for (const formal of formals) {
      const symbol = declareFormal(item, formal, result, scope, context);
      if (item.body !== null) context.recorder?.formal(symbol, result);
      if (symbol !== null) spaces.set(formal.name, parameterSpace(item.entry, result));
    }
  };
  declareAll(item.results, true);
  declareAll(item.parameters, false);
  return spaces;
}

function declareFormal(
  item: FunctionItem,
  formal: Parameter,
  result: boolean,
  scope: Scope,
  context: FormalContext,
): ReturnType<typeof parameterSymbol> | null {
  const type = context.declaredType(formal, formal.space);
  if (type === null || formal.name === '_') return null;
  context.header.checkSampler(formal);
  if (item.body !== null) checkAttributes(formal, context.report);
  const isDefined = !item.entry && item.body !== null;
  checkParameterType(formal, type, isDefined, context.report);
  if (isDefined && formal.space === '.reg') checkRegister(formal, context.report);
  else if (isDefined) checkPassedAlignment(formal, context.report);
  const symbol = parameterSymbol(formal, type, parameterSpace(item.entry, result));
  // Nothing refers to the parameters of a prototype by name.
  if (item.body === null) scope.declare(symbol);
  else context.declare(scope, symbol);
  return symbol;
}

/**
 * Reports an attribute that only variables can have. If a parameter has an attribute that functions can have, ptxas
 * applies it to the function. In functions without a body, ptxas ignores the attributes of parameters.
 */
function checkAttributes({ name, attributes, start, end }: Parameter, report: Report): void {
  const wrong = attributes.find((written) => !attributesOf('func').some((row) => attributeName(written) === row.name));
  if (wrong === undefined) return;
  const ptxas = `Illegal attribute '${wrong}' for symbol '${name}'`;
  report(diagnose('PTX5007', { start, end }, { what: `${wrong} is only for variables in .global`, ptxas }));
}
