/** What the header of a kernel may say (PTX ISA 9.1, 7.1 and 11.4; verdicts as measured with ptxas 13.0). */
import type { Span } from '../base/span.ts';
import { diagnose } from '../diagnostics/diagnostic.ts';
import type { FunctionItem, Parameter, TuningDirective } from '../syntax/tree.ts';
import type { ModuleEnvironment } from './availability.ts';
import type { Report } from './declarations.ts';
import { checkHasSize } from './functions.ts';
import { bytesInRow } from './sizes.ts';

export function checkKernel(item: FunctionItem, environment: ModuleEnvironment, report: Report): void {
  for (const parameter of item.parameters) checkKernelParameter(parameter, report);
  checkParameterSpace(item, environment, report);
  for (const directive of item.tuning) checkCounts(directive, report);
  for (const [one, other] of exclusive) checkExclusive(item.tuning, one, other, report);
}

function checkKernelParameter(parameter: Parameter, report: Report): void {
  const span: Span = { start: parameter.nameStart, end: parameter.nameEnd };
  checkHasSize(parameter, 'Parameter to entry function cannot be an incomplete array.', report);
  if (parameter.space === '.param') return;
  const what = `parameter '${parameter.name}' of a kernel lies in .param, not in ${parameter.space}`;
  const ptxas = `Entry parameter '${parameter.name}' must have .param state space`;
  report(diagnose('PTX5007', span, { what, ptxas }));
}

const fewParameterBytes = 4352;
const manyParameterBytes = 32_764;

function checkParameterSpace(item: FunctionItem, { version, target }: ModuleEnvironment, report: Report): void {
  const { name, nameStart, nameEnd, parameters } = item;
  const most = version >= 801 && target.sm >= 70 ? manyParameterBytes : fewParameterBytes;
  const found = bytesInRow(parameters);
  if (found <= most) return;
  const hex = (bytes: number): string => `0x${bytes.toString(16)}`;
  const ptxas = `Entry function '${name}' uses too much parameter space (${hex(found)} bytes, ${hex(most)} max).`;
  const parameterText = { what: `the parameters of '${name}'`, found: String(found), most: String(most), ptxas };
  report(diagnose('PTX5025', { start: nameStart, end: nameEnd }, parameterText));
}

/** Directives whose values are counts of something. */
const counted: ReadonlySet<string> = new Set(['.maxntid', '.reqntid', '.minnctapersm', '.maxnreg']);

function checkCounts({ name, values, start, end }: TuningDirective, report: Report): void {
  if (!counted.has(name) || !values.includes(0)) return;
  const ptxas = `Positive non-zero value expected for ${name.slice(1)}`;
  report(diagnose('PTX5026', { start, end }, { what: `${name} is at least 1`, ptxas }));
}

const exclusive = [
  ['.maxntid', '.reqntid'],
  ['.maxclusterrank', '.reqnctapercluster'],
] as const;

function checkExclusive(tuning: readonly TuningDirective[], one: string, other: string, report: Report): void {
  const pair = [one, other].map((name) => tuning.find((directive) => directive.name === name));
  const [first, second] = pair;
  if (first === undefined || second === undefined) return;
  const { start, end } = first.start > second.start ? first : second;
  const ptxas = `Conflicting directives: ${one} and ${other} cannot both be specified`;
  report(diagnose('PTX5026', { start, end }, { what: `a kernel has ${one} or ${other}, not both`, ptxas }));
}
