/** The variant of an instruction that the operands must match, and other values that all matchers need. */
import type { Variant } from '../../isa/form.ts';
import type { Texmode } from '../availability.ts';
import { operand, type Problem, problem } from './problem.ts';
import { describeShape } from './describe-shape.ts';
import type { Shape } from './shape.ts';

export interface Subject {
  readonly variant: Variant;
  readonly opcode: string;
  /** Opcode and types, as messages spell them: `cvt.f16.f32`. */
  readonly what: string;
  readonly texmode: Texmode;
}

/** Creates problem PTX3003, which reports an operand of a kind that is not allowed at its position. */
export function wrongKind(
  subject: Subject,
  name: string,
  shape: Shape,
  path: readonly number[],
  expected: string,
): Problem {
  const parameters = { name, what: subject.what, opcode: subject.opcode, expected, found: describeShape(shape) };
  return problem('PTX3003', operand(...path), parameters);
}
