/** Declares lists of targets and prototypes, to which calls and indirect branches refer (PTX ISA 9.1, section 11.3). */
import type { PtxType } from '../../isa/types.ts';
import type { PrototypeDirective, TargetsDirective, Variable } from '../../syntax/tree.ts';
import type { Report } from '../report.ts';
import type { ModuleRequirements } from '../requirements.ts';
import type { DeclaredSymbol, Scope } from '../symbols.ts';
import { checkResults, checkSizes } from './functions.ts';
import { checkTuning } from './kernels.ts';
import { signatureOf } from './signature.ts';
import { checkTargetNames, targetsSymbol } from './target-lists.ts';

interface Context {
  readonly report: Report;
  readonly requirements: ModuleRequirements;
  /** The type in a declaration; null if the declaration must be ignored. */
  declaredType(variable: Variable, space: string): PtxType | null;
  declare(scope: Scope, symbol: DeclaredSymbol): void;
}

/**
 * Declares a list of branch or call targets. A label may be defined after the list; a function must be declared before
 * it.
 */
export function declareTargets(directive: TargetsDirective, scope: Scope, context: Context): void {
  context.requirements.directive(directive.directive, directive);
  context.declare(scope, targetsSymbol(directive, scope));
  checkTargetNames(directive, scope, context.report);
}

export function declarePrototype(prototype: PrototypeDirective, scope: Scope, context: Context): void {
  const { report, requirements } = context;
  const { label: name, results, parameters, start, end } = prototype;
  const types = [...results, ...parameters].map((parameter) => context.declaredType(parameter, parameter.space));
  checkResults(prototype, name, { start, end }, report);
  checkSizes(prototype, report);
  requirements.directive('.callprototype', { start, end });
  if (prototype.noreturn) requirements.directive('.noreturn', { start, end });
  requirements.tuning(prototype.tuning);
  checkTuning(prototype.tuning, report);
  if (types.includes(null)) return;
  context.declare(scope, { kind: 'prototype', name, signature: signatureOf(prototype), declared: { start, end } });
}
