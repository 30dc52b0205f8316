/** Tests every input of the 346 forms with at most 16 input bits, with one checksum per form. */
import { expect, it } from 'vitest';
import { Checksum } from './checksum.ts';
import { evaluator } from './lanes.ts';
import { checksums } from './vectors.ts';

const forms = Object.entries(checksums().small);

it('has 346 forms', () => {
  expect(forms.length).toBe(346);
});

it.each(forms)('%s', (inst, { input_bits, checksum }) => {
  const evaluate = evaluator(inst);
  const sum = new Checksum();
  const operands = [0];
  for (let input = 0; input < 2 ** input_bits; input++) {
    operands[0] = input;
    sum.add(evaluate(operands));
  }
  expect(sum.digits()).toBe(checksum);
});
