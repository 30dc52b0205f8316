/**
 * Combines the problems of several operands into one if the operands are in the wrong order, or if all of them are
 * wrong for the same reason.
 */
import { joinWords } from '../../base/join-words.ts';
import { matchOperands } from './match.ts';
import type { Problem } from './problem.ts';
import { describeShape } from './describe-shape.ts';
import type { Shape } from './shape.ts';
import type { Subject } from './subject.ts';

/** The operands are tried in every possible order only if an instruction has no more operands than this. */
const mostOperands = 5;

/**
 * Returns the problems found in the operands. If the operands would be valid in another order, or if all problems have
 * the same reason, only the first problem is returned, and its help covers the others.
 */
export function operandProblems(subject: Subject, shapes: readonly Shape[]): readonly Problem[] {
  const problems = matchOperands(subject, shapes);
  const [first, ...rest] = problems;
  if (first === undefined || rest.length === 0) return problems;
  if (rest.every((other) => isSameReason(first, other))) {
    const names = rest.map(({ parameters }) => `'${parameters['name']}'`);
    return [{ ...first, help: `the same applies to operand${names.length > 1 ? 's' : ''} ${joinWords(names, 'and')}` }];
  }
  if (shapes.length > mostOperands || shapes.some(({ undeclared }) => undeclared)) return problems;
  for (const order of orders(shapes)) {
    if (matchOperands(subject, order).length > 0) continue;
    return [{ ...first, help: `the operands fit in this order: ${order.map(describeShape).join(', ')}` }];
  }
  return problems;
}

function isSameReason(first: Problem, other: Problem): boolean {
  return (
    other.code === first.code &&
    other.parameters['expected'] === first.parameters['expected'] &&
    other.parameters['found'] === first.parameters['found']
  );
}

function* orders(shapes: readonly Shape[]): Generator<readonly Shape[]> {
  if (shapes.length < 2) yield shapes;
  for (const [i, first] of shapes.entries()) {
    if (shapes.length < 2) return;
    for (const rest of orders(shapes.toSpliced(i, 1))) yield [first, ...rest];
  }
}
