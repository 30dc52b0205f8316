/** Checks the header of a kernel (PTX ISA 9.1, sections 7.1 and 11.4, as implemented by ptxas 13.0). */
import { joinWords } from '../../base/join-words.ts';
import type { Span } from '../../base/span.ts';
import { diagnose } from '../../diagnostics/diagnostic.ts';
import { findTuning } from '../../isa/find-directive.ts';
import type { AvailabilityRow } from '../../isa/conditions.ts';
import { kernelParameterBytes, mostIn, availabilityOfAmount } from '../../isa/limits.ts';
import type { FunctionItem, Parameter, TuningDirective } from '../../syntax/tree.ts';
import type { ModuleEnvironment } from '../availability.ts';
import type { Report } from '../report.ts';
import { checkHasSize } from './functions.ts';
import { checkLaunchBounds } from './launch-bounds.ts';
import { checkPragmas } from './pragmas.ts';
import { bytesInRow } from './sizes.ts';

export function checkKernel(item: FunctionItem, environment: ModuleEnvironment, report: Report): void {
  for (const parameter of item.parameters) checkKernelParameter(parameter, report);
  checkParameterSpace(item, environment, report);
  checkExclusive(item.tuning, report);
  checkNeeded(item.tuning, report);
  checkLaunchBounds(item, environment.target, report);
}

function checkKernelParameter(parameter: Parameter, report: Report): void {
  const span: Span = { start: parameter.nameStart, end: parameter.nameEnd };
  checkHasSize(parameter, 'Parameter to entry function cannot be an incomplete array.', report);
  if (parameter.space === '.param') return;
  const what = `kernel parameter '${parameter.name}' must be in .param, not in ${parameter.space}`;
  const ptxas = `Entry parameter '${parameter.name}' must have .param state space`;
  report(diagnose('PTX5007', span, { what, ptxas }));
}

/** The PTX versions and targets that allow the total size of a kernel's parameters; null if all of them do. */
export function availabilityOfParameters({ parameters }: FunctionItem): AvailabilityRow | null {
  return availabilityOfAmount(kernelParameterBytes, 'parameters of a kernel', bytesInRow(parameters));
}

function checkParameterSpace(item: FunctionItem, { version, target }: ModuleEnvironment, report: Report): void {
  const { name, nameStart, nameEnd, parameters } = item;
  const most = mostIn(kernelParameterBytes, version, target);
  const found = bytesInRow(parameters);
  if (found <= most) return;
  const hex = (bytes: number): string => `0x${bytes.toString(16)}`;
  const ptxas = `Entry function '${name}' uses too much parameter space (${hex(found)} bytes, ${hex(most)} max).`;
  const parameterText = { what: `the parameters of '${name}'`, found: String(found), most: String(most), ptxas };
  report(diagnose('PTX5025', { start: nameStart, end: nameEnd }, parameterText));
}

/**
 * Checks the values in performance directives such as `.maxntid`, which are written between the header and the body of
 * a function, or after a prototype.
 */
export function checkTuning(tuning: readonly TuningDirective[], report: Report): void {
  for (const { name, values, strings, start, end } of tuning) {
    if (name === '.pragma') checkPragmas(strings, { start, end }, 'header', report);
    const { positive = false, most = null } = findTuning(name) ?? {};
    if (positive && values.includes(0)) {
      const ptxas = `Positive non-zero value expected for ${name.slice(1)}`;
      report(diagnose('PTX5026', { start, end }, { what: `${name} must be at least 1`, ptxas }));
    }
    const above = values.find((value) => most !== null && value > most);
    if (above === undefined) continue;
    const ptxas = `${name} ${above} is invalid for this target`;
    report(diagnose('PTX5026', { start, end }, { what: `${name} must be at most ${most}`, ptxas }));
  }
}

function checkNeeded(tuning: readonly TuningDirective[], report: Report): void {
  const names = new Set(tuning.map(({ name }) => name));
  for (const { name, start, end } of tuning) {
    const missing = (findTuning(name)?.needs ?? []).filter((other) => !names.has(other));
    if (missing.length > 0) report(diagnose('PTX5038', { start, end }, { name, missing: joinWords(missing, 'and') }));
  }
}

function checkExclusive(tuning: readonly TuningDirective[], report: Report): void {
  // For each name, the first directive with that name.
  const byName = new Map(tuning.toReversed().map((directive) => [directive.name, directive]));
  for (const directive of tuning) {
    const other = byName.get(findTuning(directive.name)?.not ?? '');
    if (other === undefined) continue;
    const { start, end } = other.start > directive.start ? other : directive;
    const ptxas = `Conflicting directives: ${other.name} and ${directive.name} cannot both be specified`;
    const what = `a kernel can have ${other.name} or ${directive.name}, but not both`;
    report(diagnose('PTX5026', { start, end }, { what, ptxas }));
  }
}
