/**
 * Tests the golden rows, starting with the text of the mnemonic. This covers the resolver, the table, the steps and the
 * evaluator, including register widths. values.test.ts uses the same rows to test src/numerics alone.
 */
import { namedEnvironment } from '../../src/isa/environment.ts';
import { describe, expect, it } from 'vitest';
import { type Bits, hex } from '../../src/base/bits.ts';
import { resolveMnemonic } from '../../src/check/instructions/resolve.ts';
import { type Evaluator, evaluator } from '../../src/interp/evaluate.ts';
import { decode } from '../../src/numerics/exact.ts';
import { families, type Instruction, instructionsOf, rowsOf } from './vectors.ts';

const environment = namedEnvironment('sm_100', '9.1');

/** An evaluator for the variant whose number of sources is the same as in the rows. */
function evaluatorOf({ inst, in: sources, sreg, dreg }: Instruction): Evaluator {
  const resolution = resolveMnemonic(inst);
  const variants = resolution.kind === 'variants' ? resolution.variants : [];
  const widths = { ...(sreg === undefined ? {} : { source: sreg }), ...(dreg === undefined ? {} : { result: dreg }) };
  for (const variant of variants) {
    const made = evaluator(variant, environment, widths);
    if (made !== null && made.inputs.length === sources.length) return made;
  }
  throw new Error(`${inst} with ${sources.join(', ')} is not in the table`);
}

/** Whether two results are equal or, if `anyNan` is set, differ only in lanes in which both results are NaN. */
function agrees({ type, width }: Evaluator['outputs'][number], wanted: string, found: Bits, anyNan: boolean): boolean {
  if (hex(found, width) === wanted) return true;
  const { format } = type;
  if (!anyNan || format === null) return false;
  return Array.from({ length: type.lanes }, (_, lane) => {
    const cut = (bits: bigint) => BigInt.asUintN(type.laneStride, bits >> BigInt(lane * type.laneStride));
    const [one, other] = [cut(BigInt(`0x${wanted}`)), cut(BigInt(found))];
    const isNan = (bits: bigint) => decode(format, type.laneStride > 32 ? bits : Number(bits)).kind === 'nan';
    return one === other || (isNan(one) && isNan(other));
  }).every(Boolean);
}

describe.each(families())('golden rows of %s through the table', (family) => {
  it.each(instructionsOf(family).map((instruction) => [instruction.inst, instruction] as const))(
    '%s',
    (_, instruction) => {
      const { outputs, run } = evaluatorOf(instruction);
      const [output] = outputs;
      if (output === undefined) throw new Error('no result');
      const wrong = rowsOf(instruction).filter(({ operands, result, anyNan }) => {
        const [found = 0] = run(operands);
        return !agrees(output, result, found, anyNan);
      });
      expect(wrong).toEqual([]);
    },
  );
});
