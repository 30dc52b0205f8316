/**
 * Checks declarations: whether the type is allowed where the declaration occurs, the size of vectors, and the initial
 * values. The rules are those of PTX ISA 9.1, sections 5.1 to 5.4, as implemented by ptxas 13.0.
 */
import type { Span } from '../../base/span.ts';
import { diagnose } from '../../diagnostics/diagnostic.ts';
import { spaceRows } from '../../isa/directives.ts';
import { availabilityOfDirective } from '../../isa/find-directive.ts';
import type { AvailabilityRow } from '../../isa/conditions.ts';
import { isAvailable } from '../../isa/targets.ts';
import { opaqueTypes, type PtxType, typeOf, types } from '../../isa/types.ts';
import type { Declaration, Parameter, TypePart, Variable } from '../../syntax/tree.ts';
import { printDimensions } from '../../syntax/storage.ts';
import type { ModuleEnvironment } from '../availability.ts';
import { checkInitializer } from './initializers.ts';
import type { Report } from '../report.ts';
import { isOpen } from './sizes.ts';
import type { FormalSpace, RegisterSymbol, VariableSpace, VariableSymbol } from '../symbols.ts';

/** Whether a declaration is at module scope or in a function. */
export type DeclarationPlace = 'module' | 'function';

/**
 * Checks the type, vector size and alignment in a declaration, and returns the type. Returns null if one of them is
 * invalid, in which case the declaration has to be ignored.
 */
export function declaredType(variable: Variable, space: string, report: Report): PtxType | null {
  checkAlignment(variable, report);
  if (opaqueTypes.has(variable.type) && (space === '.global' || space === '.param')) {
    checkNoVector(variable, report);
    return typeOf('.b64');
  }
  const type = types.get(variable.type);
  const span: Span = { start: variable.typeStart, end: variable.typeEnd };
  if (!isDeclarable(type)) {
    report(diagnose('PTX5002', span, { type: variable.type }));
    return null;
  }
  if (type.use === 'instruction' && (variable.dimensions.length === 0 || variable.vector !== null)) {
    report(diagnose('PTX5001', span, { type: type.name, instead: `.b${type.width}` }));
    return null;
  }
  if (type.class === 'predicate' && (space !== '.reg' || variable.vector !== null)) {
    report(diagnose('PTX5003', span, { name: variable.name, space: variable.vector ?? space }));
    return null;
  }
  if (space === '.tex') checkTexture(type, span, report);
  checkVector(variable, type, span, report);
  return type;
}

function isDeclarable(type: PtxType | undefined): type is PtxType {
  return type !== undefined && type.use !== 'element';
}

/**
 * Checks the type of a declaration without names. Often the space between the type and the name is missing, as in
 * `.global .b32x;`.
 */
function checkNameless({ type, typeStart, typeEnd }: TypePart, report: Report): void {
  if (opaqueTypes.has(type) || isDeclarable(types.get(type))) return;
  report(diagnose('PTX5002', { start: typeStart, end: typeEnd }, { type }));
}

function checkAlignment(variable: Variable, report: Report): void {
  for (const align of [variable.align, variable.pointer?.align ?? null]) {
    if (align !== null && !isPowerOfTwo(align))
      report(diagnose('PTX5006', variable, { found: String(align), needed: 'a power of two' }));
  }
}

/** The largest alignment of a value that a call passes. The alignment of kernel parameters is not limited. */
const mostPassed = 128;

export function checkPassedAlignment(variable: Variable, report: Report): void {
  const { align } = variable;
  if (align === null || align <= mostPassed || !isPowerOfTwo(align)) return;
  report(diagnose('PTX5006', variable, { found: String(align), needed: `at most ${mostPassed}` }));
}

function isPowerOfTwo(value: number): boolean {
  return value >= 1 && Number.isInteger(Math.log2(value));
}

/** A variable in the `.tex` space holds a handle. */
function checkTexture(type: PtxType, span: Span, report: Report): void {
  if (type.name === '.u32' || type.name === '.u64') return;
  const ptxas = "Deprecated feature: '.tex' not supported as of PTX version 1.5";
  report(diagnose('PTX5007', span, { what: '.tex variables have the type .u32 or .u64', ptxas }));
}

function checkVector(variable: Variable, type: PtxType, span: Span, report: Report): void {
  if (variable.vector === null) return;
  if (type.use === 'quirk') {
    report(diagnose('PTX5001', span, { type: type.name, instead: `.b${type.width}` }));
    return;
  }
  const bits = lanesOf(variable) * type.width;
  if (bits <= 128) return;
  report(diagnose('PTX5004', span, { vector: variable.vector, type: type.name, found: String(bits) }));
}

/** Reports a vector of textures, samplers or surfaces. */
function checkNoVector({ name, vector, type, typeStart, typeEnd }: Variable, report: Report): void {
  if (vector === null) return;
  const parameters = {
    what: `'${name}' cannot be a vector of ${type}`,
    ptxas: 'Vector type only allowed over basic types',
  };
  report(diagnose('PTX5007', { start: typeStart, end: typeEnd }, parameters));
}

const availabilityOfTypes: ReadonlyMap<PtxType, AvailabilityRow> = new Map(
  [...types.values()].flatMap((type) =>
    type.since === null ? [] : [[type, { subject: type.name, ways: [type.since] }] as const],
  ),
);

/** The PTX versions and targets that allow the type in a declaration; null if all of them do. */
export function availabilityOfType(variable: Variable, type: PtxType): AvailabilityRow | null {
  const { vector, dimensions, type: written } = variable;
  if (opaqueTypes.has(written)) return availabilityOfDirective('opaque type');
  if (type.freeArrays && dimensions.length > 0) return null;
  return vector === null ? (availabilityOfTypes.get(type) ?? null) : null;
}

export function lanesOf(variable: Variable): number {
  return variable.vector === null ? 1 : Number(variable.vector.slice(2));
}

/** True if this kind of declaration is allowed in the given place. If it is not allowed, it is reported. */
export function checkPlace(
  declaration: Declaration,
  place: DeclarationPlace,
  { version, target }: ModuleEnvironment,
  report: Report,
): boolean {
  const span: Span = { start: declaration.spaceStart, end: declaration.spaceEnd };
  const { space } = declaration;
  const { stands, onceInModule } = spaceRows[space];
  if (place === 'module' && onceInModule !== undefined && isAvailable([onceInModule], version, target)) {
    report(diagnose('PTX5032', span, { space, name: declaration.variables[0]?.name ?? '' }));
    return true;
  }
  if (place === 'module' && space !== '.param' && !stands.includes('module')) {
    const what = `${space} variables must be declared inside functions`;
    const ptxas = `Module-scoped variables in ${space} state space are not allowed with ABI`;
    report(diagnose('PTX5007', span, { what, ptxas }));
    return false;
  }
  if (place === 'module' && space === '.param') {
    const what = '.param variables are declared in functions and their parameter lists';
    report(diagnose('PTX5007', span, { what, ptxas: 'Parameter variables may not be declared at module scope' }));
    return false;
  }
  if (space !== '.global') checkGlobalOnly(declaration, span, report);
  else if (declaration.linkage === '.common')
    checkNoneOpaque(declaration, 'Illegal type for .common symbol', neverCommon, report);
  if (place === 'function' && (space === '.global' || space === '.param')) {
    const ptxas = 'Texture/surface variable must be at module or entry parameter scope';
    checkNoneOpaque(declaration, ptxas, onlyOutside, report);
  }
  if (declaration.nameless !== null) checkNameless(declaration.nameless, report);
  return true;
}

function neverCommon({ type }: Variable): string {
  return `a ${type} variable cannot be .common`;
}

function onlyOutside({ name, type }: Variable): string {
  return `'${name}' of type ${type} must be declared outside functions, or as a kernel parameter`;
}

/**
 * Reports all textures, samplers and surfaces in a declaration; `misplaced` returns the reason why a variable cannot be
 * declared there.
 */
function checkNoneOpaque(
  { variables }: Declaration,
  ptxas: string,
  misplaced: (variable: Variable) => string,
  report: Report,
): void {
  for (const variable of variables) {
    if (!opaqueTypes.has(variable.type)) continue;
    const span: Span = { start: variable.typeStart, end: variable.typeEnd };
    report(diagnose('PTX5007', span, { what: misplaced(variable), ptxas }));
  }
}

function checkGlobalOnly({ linkage, attributes, variables }: Declaration, span: Span, report: Report): void {
  if (linkage === '.common') {
    const ptxas = '.common variables must be declared in .global space';
    report(diagnose('PTX5007', span, { what: '.common variables must be in .global', ptxas }));
  }
  const [first] = attributes;
  if (first === undefined) return;
  const attribute = attributeName(first);
  const ptxas = `Illegal attribute '${attribute}' for symbol '${variables[0]?.name}'`;
  report(diagnose('PTX5007', span, { what: `${attribute} is only for variables in .global`, ptxas }));
}

/** The name of an attribute without its arguments: `.unified` for `.unified(19,95)`. */
export function attributeName(written: string): string {
  return written.replace(/\(.*/, '');
}

/** A register or register family. */
export function registerSymbol(variable: Variable, type: PtxType): RegisterSymbol {
  return {
    kind: 'register',
    type,
    lanes: lanesOf(variable),
    name: variable.name,
    count: variable.count,
    declared: { start: variable.nameStart, end: variable.nameEnd },
  };
}

/** The maximum number of variables that one declaration may create with `x<N>`; in ptxas the only limit is memory. */
const mostVariables = 65_536;

/**
 * The variables that a declaration creates. A declaration of `x<N>` creates the variables `x0`, `x1` and so on; any
 * other declaration creates a single variable with the declared name. If the name itself ends in a digit, as in
 * `x3<N>`, the declaration creates no variables that can be referenced, so none are returned.
 */
export function* membersOf(variable: Variable): Generator<Variable> {
  const { count, name } = variable;
  if (count === null) yield variable;
  else if (!/\d$/.test(name))
    for (let i = 0; i < Math.min(count, mostVariables); i++) yield { ...variable, name: name + i, count: null };
}

export function variableSymbol(
  variable: Variable,
  type: PtxType,
  space: VariableSpace,
  { takenFor = null, linkage = null }: Partial<Pick<VariableSymbol, 'takenFor' | 'linkage'>> = {},
): VariableSymbol {
  return {
    kind: 'variable',
    name: variable.name,
    space,
    takenFor,
    linkage,
    type,
    variable,
    declared: { start: variable.nameStart, end: variable.nameEnd },
  };
}

/** Reports a register that is declared as an array or with an initial value. */
export function checkRegister(variable: Variable, report: Report): void {
  const { name } = variable;
  const span: Span = { start: variable.nameStart, end: variable.nameEnd };
  if (variable.dimensions.length > 0) {
    const ptxas = `Variable '${name}' cannot be allocated into a register`;
    report(diagnose('PTX5007', span, { what: `'${name}' is an array, so it cannot be in .reg`, ptxas }));
  }
  if (variable.initializer !== null) {
    const parameters = { name, type: variable.type, found: 'any value, because it is in .reg' };
    report(diagnose('PTX5009', variable.initializer.span, parameters));
  }
}

/** Reports a parameter that is declared in a body and is neither a scalar of at most 64 bits nor an array of bytes. */
function checkLocalParameter(variable: Variable, type: PtxType, report: Report): void {
  checkPassedAlignment(variable, report);
  const array = variable.dimensions.length > 0;
  if (variable.vector === null && type.name !== '.f16x2' && (type.use === 'variable' || array)) return;
  const span: Span = { start: variable.typeStart, end: variable.typeEnd };
  const what = `'${variable.name}' of type ${variable.vector ?? ''}${type.name} cannot be a .param variable`;
  report(
    diagnose('PTX5007', span, { what, ptxas: `Variable '${variable.name}' cannot be allocated in .param state space` }),
  );
}

/**
 * Checks the array extents and the initializer of a variable that is not a register. If the variable is a family
 * `x<N>`, also checks N.
 */
export function checkVariable(declaration: Declaration, variable: Variable, type: PtxType, report: Report): void {
  const { name } = variable;
  const span: Span = { start: variable.nameStart, end: variable.nameEnd };
  if (declaration.space === '.param') checkLocalParameter(variable, type, report);
  if ((variable.count ?? 0) > mostVariables) {
    report(diagnose('PTX5010', span, { name, count: String(variable.count), most: String(mostVariables) }));
  }
  if (isOpen(variable) && variable.initializer === null && declaration.linkage !== '.extern') {
    report(diagnose('PTX5008', span, { name, found: arrayText(variable), needed: sizeSource(declaration) }));
  }
  if (variable.dimensions.slice(1).includes(0)) {
    report(diagnose('PTX5022', span, { found: arrayText(variable), ptxas: 'Array of incomplete type' }));
  }
  checkInitializer(declaration, variable, type, report);
}

/** The possible sources of an array's size. */
function sizeSource({ space }: Declaration): string {
  if (space === '.global' || space === '.const') return 'a size, an initializer or .extern';
  return space === '.shared' ? 'a size or .extern' : 'a size';
}

/** `x[2][]`. */
export function arrayText(variable: Variable): string {
  return variable.name + printDimensions(variable);
}

/** The state space of the symbol for a parameter of a kernel, or for a parameter or return value of a function. */
export function parameterSpace(entry: boolean, result: boolean): FormalSpace {
  if (entry) return 'kernel parameter';
  return result ? 'return parameter' : 'input parameter';
}

export function parameterSymbol(
  parameter: Parameter,
  type: PtxType,
  space: FormalSpace,
): RegisterSymbol | VariableSymbol {
  return parameter.space === '.reg' ? registerSymbol(parameter, type) : variableSymbol(parameter, type, space);
}

/** The state space of the variable that a declaration creates. */
export function spaceOf(declaration: Declaration): VariableSpace {
  switch (declaration.space) {
    case '.param':
      return 'local parameter';
    case '.reg':
      return '.local';
    default:
      return declaration.space;
  }
}
