/**
 * Tests every instruction of sm_90 that only computes values: the results must be the same as those of an H200, for
 * corner cases and random operands. The exceptions are listed in this file; for most of them, ptxas 13.0 generates code
 * that does not follow the ISA.
 */
import { describe, expect, it } from 'vitest';
import { recordedValues } from './recorded-values.ts';
import { replay } from './replay.ts';
import { type Batch, digestsOf, jobOf, nameOf, valueBatches } from './value-jobs.ts';

const exceptions: readonly (readonly [instruction: RegExp, reason: string])[] = [
  [/^v(add|sub|absdiff|min|max|shl|shr|set|mad)\./, 'scalar video instructions are programs that drop the 33rd bit'],
  [/^fma\.r[zmp]\S*\.bf16/, 'other roundings than .rn are ignored, and single values are treated as f16'],
  [/^madc\.hi\.[us]16/, 'the product is left out'],
  [/^madc\.hi\.sat/, '.sat is ignored'],
  [/^mov\.b(32|64|128) .*\{[^,]*\}/, 'a list with one register: other registers are read'],
  [/^fns/, 'an offset of -2^31 gives 0'],
  [/^createpolicy/, 'fractions above 1, which the ISA does not allow'],
  [/^mbarrier\.pending_count/, 'objects that no mbarrier instruction has made'],
];

const recorded = recordedValues();

async function mismatches(batch: Batch, engine: 'interp' | 'jit'): Promise<readonly string[]> {
  const found = await replay(jobOf(batch), { gpu: 'sm_90', engine });
  const digests = typeof found === 'string' ? [] : digestsOf(batch, found[0] ?? '');
  return batch.instructions.flatMap((instruction, i) => {
    const golden = recorded.get(nameOf(instruction));
    return golden === undefined || golden.differs || golden.digest === digests[i] ? [] : [nameOf(instruction)];
  });
}

const batches = [...valueBatches()];

describe('values of an H200', () => {
  it.each(batches.map((batch, i) => ({ batch, i, id: batch.id })))('$id', async ({ batch, i }) => {
    expect(await mismatches(batch, 'jit')).toEqual([]);
    if (i % 8 === 0) expect(await mismatches(batch, 'interp')).toEqual([]);
  });
});

it('most instructions are recorded', () => {
  const missing = batches.flatMap(({ instructions }) => instructions).filter((one) => !recorded.has(nameOf(one)));
  expect(missing.map(nameOf)).toEqual([]);
  expect(recorded.size).toBeGreaterThan(5_500);
});

it('instructions that give other results have a reason', () => {
  const unexplained = [...recorded].filter(
    ([name, { differs }]) => differs && !exceptions.some(([instruction]) => instruction.test(name)),
  );
  expect(unexplained.map(([name]) => name)).toEqual([]);
});
