/**
 * Checks the guard, the names and the operands of one instruction, and reports each problem at its position in the
 * text.
 */
import type { Span } from '../../base/span.ts';
import { type Diagnostic, diagnose, diagnoseStored } from '../../diagnostics/diagnostic.ts';
import { type Fix, rewrite } from '../../diagnostics/fix.ts';
import type { AvailabilityRow } from '../../isa/conditions.ts';
import type { Guard, Instruction, Operand } from '../../syntax/tree.ts';
import { checkCall } from './call.ts';
import { type VerdictCache, step, type Verdict } from './verdicts.ts';
import { checkExtents } from './extents.ts';
import { checkLimits } from './limits.ts';
import type { ShapeTable } from './shape-table.ts';
import type { CheckMemory } from '../memory.ts';
import type { Report, ReportIfListed } from '../report.ts';
import type { ModuleRequirements } from '../requirements.ts';
import { helpOf, type InstructionPart, type Problem } from './problem.ts';
import { describeShape } from './describe-shape.ts';
import type { FunctionUses } from '../declarations/function-uses.ts';
import type { Scope } from '../symbols.ts';
import { type NameHelp, undeclared } from '../unknown-name.ts';

/** The facts about a module that are needed to check an instruction. */
export interface InstructionContext {
  readonly source: string;
  readonly report: Report;
  readonly reportIfListed: ReportIfListed;
  readonly memory: CheckMemory;
  /** The verdicts for the module's environment. */
  verdicts(): VerdictCache;
  readonly requirements: ModuleRequirements;
  readonly uses: FunctionUses;
  readonly names: NameHelp;
  /**
   * Called with an opcode that is not in the tables. Returns true if this is the first time that it occurs in the
   * module.
   */
  firstUnchecked(opcode: string): boolean;
}

/** Checks an instruction and returns its verdict. */
export function checkInstruction(node: Instruction, scope: Scope, checker: InstructionContext): Verdict {
  if (node.guard !== null) checkGuard(node.guard, scope, checker);
  const verdict = verdictOn(node, scope, checker.memory.shapes, checker.verdicts());
  checker.requirements.met(verdict);
  if (!verdict.clean) reportVerdict(node, verdict, scope, checker);
  return verdict;
}

/** The verdict on an instruction, without reporting anything. */
export function verdictOn(node: Instruction, scope: Scope, shapes: ShapeTable, cache: VerdictCache): Verdict {
  const { operands } = node;
  const remembered = cache.recall(node.mnemonic);
  if (remembered.refused !== null) return remembered.refused;
  // Nearly every verdict is already cached, so the shapes of the operands are collected in a list only if the cache
  // does not contain the verdict.
  let place = remembered.root;
  for (const operand of operands) place = step(place, shapes.of(operand, scope));
  return (
    place.verdict ??
    cache.decide(
      remembered,
      place,
      operands.map((operand) => shapes.of(operand, scope)),
    )
  );
}

function reportVerdict(node: Instruction, verdict: Verdict, scope: Scope, checker: InstructionContext): void {
  if (verdict.reaches) checker.uses.instruction(node, scope);
  if (verdict.unchecked) reportUnchecked(node, verdict, checker);
  for (const found of [...verdict.problems, ...verdict.warnings])
    checker.reportIfListed(found.code, () => toDiagnostic(found, node, checker.source));
  if (verdict.undeclared && verdict.problems[0]?.code !== 'PTX2001')
    for (const operand of node.operands) reportUndeclared(operand, scope, checker);
  if (verdict.ranged) {
    const { version } = checker.verdicts().environment;
    const needs = (row: AvailabilityRow, span: Span): void => checker.requirements.uses(row, span);
    checkLimits(node, verdict, { version, report: checker.report, needs });
  }
  const { opcode, variant } = verdict;
  if (verdict.named && variant !== null && verdict.problems.length === 0)
    checkExtents(node, { opcode, variant }, scope, checker.report);
  if (verdict.calls && verdict.problems.length === 0 && !verdict.undeclared) checkCall(node, scope, checker.report);
}

function reportUnchecked(node: Instruction, { opcode }: Verdict, checker: InstructionContext): void {
  if (!checker.firstUnchecked(opcode)) return;
  const span = { start: node.mnemonicStart, end: node.mnemonicStart + opcode.length };
  checker.report(diagnose('PTX2002', span, { opcode }));
}

function checkGuard(guard: Guard, scope: Scope, checker: InstructionContext): void {
  const shape = checker.memory.shapes.of(guard.predicate, scope);
  if (shape.undeclared) {
    reportUndeclared(guard.predicate, scope, checker);
  } else if (shape.kind !== 'register' || shape.type.class !== 'predicate') {
    checker.reportIfListed('PTX3010', () => diagnose('PTX3010', guard, { found: describeShape(shape) }));
  }
}

/** Reports each undeclared name in an operand, and suggests the most similar declared name. */
function reportUndeclared(operand: Operand, scope: Scope, checker: InstructionContext): void {
  switch (operand.kind) {
    case 'name':
    case 'member': {
      if (!checker.memory.shapes.of(operand, scope).undeclared) return;
      const name = operand.kind === 'name' ? operand.name : operand.base + operand.member;
      checker.reportIfListed('PTX3001', () => undeclared(name, operand, scope, checker.names));
      return;
    }
    case 'offset':
      reportUndeclared(operand.base, scope, checker);
      return;
    case 'address':
      if (operand.base !== null) reportUndeclared(operand.base, scope, checker);
      for (const element of operand.rest) reportUndeclared(element, scope, checker);
      return;
    case 'unary':
      reportUndeclared(operand.operand, scope, checker);
      return;
    case 'pair':
      reportUndeclared(operand.first, scope, checker);
      reportUndeclared(operand.second, scope, checker);
      return;
    case 'vector':
    case 'list':
      for (const element of operand.elements) reportUndeclared(element, scope, checker);
      return;
    case 'integer':
    case 'float':
    case 'sink':
      return;
  }
}

/** The diagnostic for a cached problem, at its position in this instruction. */
export function toDiagnostic(found: Problem, node: Instruction, source: string): Diagnostic {
  const span = spanOf(found.place, node, source);
  const mnemonic: Span = { start: node.mnemonicStart, end: node.mnemonicEnd };
  const repaired = found.repair?.(source.slice(span.start, span.end)) ?? null;
  const fixes = repaired === null ? fixesOf(found, mnemonic, span) : [rewrite(span, repaired)];
  const { accepted } = found;
  const help = repaired === null ? helpOf(found) : `write ${repaired}`;
  const extras = found.section === null ? { help, fixes, accepted } : { help, fixes, accepted, section: found.section };
  return diagnoseStored(found.code, span, found.parameters, extras);
}

/** @param span the span of the problem */
function fixesOf({ spelling, meant }: Problem, mnemonic: Span, span: Span): readonly Fix[] {
  if (spelling !== null) return [rewrite(mnemonic, spelling)];
  const word = meant?.() ?? null;
  return word === null ? [] : [rewrite(span, word)];
}

function spanOf(place: InstructionPart, node: Instruction, source: string): Span {
  switch (place.kind) {
    case 'mnemonic':
      return { start: node.mnemonicStart, end: node.mnemonicEnd };
    case 'part':
      return partSpan(source.slice(node.mnemonicStart, node.mnemonicEnd), node.mnemonicStart, place.index);
    case 'operand': {
      let operand: Operand | undefined;
      for (const index of place.path)
        operand = operand === undefined ? node.operands[index] : (childAt(operand, index) ?? operand);
      return operand ?? { start: node.mnemonicStart, end: node.mnemonicEnd };
    }
  }
}

function childAt(operand: Operand, index: number): Operand | undefined {
  if (operand.kind === 'vector' || operand.kind === 'list') return operand.elements[index];
  if (operand.kind === 'pair') return index === 0 ? operand.first : operand.second;
  return undefined;
}

/** The span of the n-th dot-part of a mnemonic as written; white space and comments may precede a dot. */
function partSpan(text: string, start: number, index: number): Span {
  const words = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\.?[^\s./]+/g;
  let seen = 0;
  for (let found = words.exec(text); found !== null; found = words.exec(text)) {
    if (found[0].startsWith('/')) continue;
    if (seen === index) return { start: start + found.index, end: start + found.index + found[0].length };
    seen++;
  }
  return { start, end: start + text.length };
}
