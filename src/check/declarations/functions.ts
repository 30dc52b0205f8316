/**
 * Checks the headers of functions, and aliases. The rules are those of PTX ISA 9.1, sections 7.1 and 11.6, as
 * implemented by ptxas 13.0.
 */
import type { Span } from '../../base/span.ts';
import { diagnose } from '../../diagnostics/diagnostic.ts';
import { opaqueTypes, type PtxType, typeOf } from '../../isa/types.ts';
import type { AliasItem, FunctionItem, Parameter, PrototypeDirective } from '../../syntax/tree.ts';
import { arrayText } from './declarations.ts';
import type { Report } from '../report.ts';
import { checkModuleName } from './redeclaration.ts';
import { type Formal, type Signature, signatureOf } from './signature.ts';
import { isOpen } from './sizes.ts';
import type { FunctionSymbol, Scope } from '../symbols.ts';
import { elementAt } from '../../base/element-at.ts';

export function functionSymbol(item: FunctionItem): FunctionSymbol {
  const { name, entry, linkage, noreturn } = item;
  const declared: Span = { start: item.nameStart, end: item.nameEnd };
  const defined = item.body !== null;
  return { kind: 'function', name, entry, linkage, noreturn, signature: signatureOf(item), defined, declared };
}

/** Reports everything that is not allowed in a function's header, regardless of earlier declarations. */
export function checkHeader(item: FunctionItem, report: Report): void {
  const { name, nameStart, nameEnd, linkage, body, entry } = item;
  const span: Span = { start: nameStart, end: nameEnd };
  if (linkage === '.extern' && body !== null) {
    const what = `'${name}' is .extern and cannot have a body`;
    const ptxas = `Function definition conflicts with '.extern' declaration for function '${name}'`;
    report(diagnose('PTX5019', span, { what, ptxas }));
  }
  checkResults(item, name, span, report);
  checkSizes(item, report);
  if (entry) return;
  for (const parameter of [...item.results, ...item.parameters]) {
    if (parameter.name !== '_') continue;
    const ptxas = "Illegal parameter name '_'";
    report(diagnose('PTX5019', nameOf(parameter), { what: 'parameters of functions must have names', ptxas }));
  }
}

/**
 * Reports arrays without a size where they are not allowed. Only the last parameter of a function or prototype may be
 * an array without a size.
 */
export function checkSizes(formals: FunctionItem | PrototypeDirective, report: Report): void {
  const { results, parameters } = formals;
  for (const result of results) checkHasSize(result, 'Output parameter cannot be an incomplete array.', report);
  if ('entry' in formals && formals.entry) return;
  for (const parameter of parameters.slice(0, -1))
    checkHasSize(parameter, 'Only the last input parameter can be an incomplete array.', report);
}

export function checkHasSize(parameter: Parameter, ptxas: string, report: Report): void {
  if (!isOpen(parameter)) return;
  const help = 'only the last parameter of a function or prototype can be an array without a size';
  report(diagnose('PTX5022', nameOf(parameter), { found: arrayText(parameter), ptxas }, { help }));
}

/**
 * Checks the return values of a function or prototype: if there are several, they must be registers, and a `.noreturn`
 * function must not have any.
 */
export function checkResults(
  { results, noreturn }: FunctionItem | PrototypeDirective,
  name: string,
  span: Span,
  report: Report,
): void {
  if (results.length > 1 && results.some(({ space }) => space === '.param')) {
    const ptxas = 'Multiple return parameters require .register state space';
    report(
      diagnose('PTX5019', span, {
        what: 'a function can return only one value in .param; use .reg to return several values',
        ptxas,
      }),
    );
  }
  if (!noreturn) return;
  if (results.length > 0) {
    const what = `'${name}' is .noreturn and cannot return a value`;
    report(diagnose('PTX5019', span, { what, ptxas: `Invalid directive '.noreturn' for function '${name}'` }));
  }
}

function nameOf({ nameStart, nameEnd }: Parameter): Span {
  return { start: nameStart, end: nameEnd };
}

/**
 * Reports a `.param` that is neither a scalar nor an array. `defined` is true if the function has a body and is not a
 * kernel. ptxas reports textures, samplers and surfaces only in such functions.
 */
export function checkParameterType(parameter: Parameter, type: PtxType, defined: boolean, report: Report): void {
  if (parameter.space !== '.param' || parameter.dimensions.length > 0) return;
  const isOpaque = opaqueTypes.has(parameter.type);
  // A vector of textures, samplers or surfaces is reported wherever it is declared.
  if (isOpaque && parameter.vector !== null) return;
  if (parameter.vector === null && type !== typeOf('.f16x2') && !(defined && isOpaque)) return;
  const written = isOpaque ? parameter.type : type.name;
  const what = `'${parameter.name}' of type ${parameter.vector ?? ''}${written} cannot be a .param variable`;
  const ptxas = `Variable '${parameter.name}' cannot be allocated in .param state space`;
  report(diagnose('PTX5007', { start: parameter.typeStart, end: parameter.typeEnd }, { what, ptxas }));
}

/**
 * Declares a function. Its prototype may occur several times before its definition, but all of these headers must
 * agree.
 */
export function declareFunction(symbol: FunctionSymbol, scope: Scope, report: Report): void {
  checkModuleName(symbol, report);
  const previous = scope.declare(symbol);
  if (previous === null) return;
  const { name, declared } = symbol;
  if (previous.kind !== 'function' || previous.defined) {
    report(diagnose('PTX5005', declared, { name, what: 'function' }));
    return;
  }
  const difference = differenceBetween(previous, symbol);
  if (difference !== null) report(diagnose('PTX5017', declared, { name, what: difference }));
  if (symbol.defined) scope.replace({ ...symbol, linkage: symbol.linkage ?? previous.linkage });
}

function differenceBetween(first: FunctionSymbol, second: FunctionSymbol): string | null {
  if (first.entry !== second.entry) return first.entry ? 'as a kernel' : 'as a function';
  const agree = second.linkage === first.linkage || (second.linkage === null && first.linkage !== '.extern');
  if (!agree) return first.linkage === null ? `without ${second.linkage ?? ''}` : `as ${first.linkage}`;
  if (first.noreturn !== second.noreturn) return first.noreturn ? 'with .noreturn' : 'without .noreturn';
  return signatureDifference(first.signature, second.signature);
}

function signatureDifference(first: Signature, second: Signature): string | null {
  const { parameters, results } = first;
  if (parameters.length !== second.parameters.length) return 'with a different number of parameters';
  if (results.length !== second.results.length) return 'with a different number of return values';
  const others = [...second.parameters, ...second.results];
  for (const [i, formal] of [...parameters, ...results].entries()) {
    const difference = formalDifference(formal, elementAt(others, i));
    if (difference !== null) return `with a different ${difference} of '${formal.name}'`;
  }
  return null;
}

function formalDifference(first: Formal, second: Formal): string | null {
  if (first.space !== second.space) return 'state space';
  if (first.type !== second.type || first.array !== second.array) return 'type';
  if (first.bytes !== second.bytes || first.open !== second.open) return 'size';
  return first.align === second.align ? null : 'alignment';
}

/**
 * Checks an alias. The alias must be declared as a function without a body, with the same parameters and return values
 * as the aliased function. Returns true if the alias is valid.
 */
export function checkAlias(
  item: AliasItem,
  aliases: ReadonlyMap<string, string>,
  scope: Scope,
  report: Report,
): boolean {
  const what = whyNoAlias(item, aliases, scope);
  if (what !== null) report(diagnose('PTX5020', item, { name: item.name, target: item.target, what }));
  return what === null;
}

function whyNoAlias({ name, target }: AliasItem, aliases: ReadonlyMap<string, string>, scope: Scope): string | null {
  const own = aliased(name, scope);
  const other = aliased(target, scope);
  if (typeof own === 'string') return own;
  if (typeof other === 'string') return other;
  if (name === target) return 'a function cannot be an alias of itself';
  if (aliases.has(name)) return `'${name}' is already an alias`;
  if (own.defined) return `'${name}' has a body`;
  if (other.linkage === '.extern' || other.linkage === '.weak') return `'${target}' is ${other.linkage}`;
  if (own.noreturn !== other.noreturn) return `only one of them is .noreturn`;
  return signatureDifference(other.signature, own.signature) === null
    ? null
    : `'${name}' is declared with different parameters or return values`;
}

/** The function with this name if it can be used in an alias; otherwise the reason why it cannot. */
function aliased(name: string, scope: Scope): FunctionSymbol | string {
  const symbol = scope.lookup(name);
  if (symbol === undefined) return `'${name}' has not been declared yet`;
  if (symbol.kind !== 'function') return `'${name}' is not a function`;
  return symbol.entry ? `'${name}' is a kernel` : symbol;
}

/** Reports a function that is declared without `.extern` but never defined. */
export function checkDefined(
  { name, nameStart, nameEnd }: Pick<FunctionItem, 'name' | 'nameStart' | 'nameEnd'>,
  scope: Scope,
  aliases: ReadonlyMap<string, string>,
  report: Report,
): void {
  const symbol = scope.lookup(name);
  if (symbol?.kind !== 'function' || symbol.defined || aliases.has(name)) return;
  report(diagnose('PTX5024', { start: nameStart, end: nameEnd }, { name }));
}
