/**
 * Tests completion against the whole table for every target. completion.slow.test.ts does the same for a single target.
 */
import { describe, expect, it } from 'vitest';
import { allForms } from '../../src/isa/table.ts';
import { newestVersion, targets } from '../../src/isa/targets.ts';
import { CompletedMnemonics } from './completed-mnemonics.ts';

describe.each(targets)('for $name', (target) => {
  const completed = new CompletedMnemonics(newestVersion, target);

  it.each(allForms())('every legal variant of $id can be reached', (form) => {
    expect(completed.unreached(form, { inert: 'each', optional: 'all' })).toEqual([]);
  });

  it('no item leads to anything illegal', () => {
    expect(completed.misleading()).toEqual([]);
  });
});
