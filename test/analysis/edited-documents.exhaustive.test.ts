import { expect, test } from 'vitest';
import { realModules } from './edit-sessions.ts';
import { runSession } from './edited-documents.ts';

/** The largest modules are several hundred kilobytes long. */
const modules = realModules.filter(({ length }) => length < 70_000);
const sessions = 20_000;
const firstSeed = 1_000_000;

test('20,000 sessions of edits leave documents with the findings of their texts', () => {
  let checkpoints = 0;
  let clean = 0;
  for (let seed = firstSeed; seed < firstSeed + sessions; seed++) {
    const result = runSession(seed, 5, modules);
    expect(result.failure).toBeNull();
    checkpoints += result.checkpoints;
    clean += result.clean;
  }
  expect(clean).toBeGreaterThan(checkpoints / 2);
}, 14_400_000);
