/**
 * Tests that a user who only accepts completion items can write every legal variant in the table, but no illegal one.
 * This test covers a single target, and variants with at most one optional modifier; the exhaustive test covers
 * everything.
 */
import { describe, expect, it } from 'vitest';
import { allForms } from '../../src/isa/table.ts';
import { findTarget, newestTarget, newestVersion } from '../../src/isa/targets.ts';
import { CompletedMnemonics } from './completed-mnemonics.ts';

const completed = new CompletedMnemonics(newestVersion, findTarget('sm_100a') ?? newestTarget);

describe('completion for sm_100a', () => {
  it('reaches every legal variant', () => {
    expect(allForms().flatMap((form) => completed.unreached(form, { optional: 'one' }))).toEqual([]);
    expect(completed.size).toBeGreaterThan(2000);
  });

  it('offers nothing that leads to anything illegal', () => {
    expect(completed.misleading()).toEqual([]);
  });
});
