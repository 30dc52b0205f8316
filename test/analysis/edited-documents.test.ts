import { describe, expect, it } from 'vitest';
import { realModules } from './edit-sessions.ts';
import { runSession } from './edited-documents.ts';

const small = realModules.filter(({ length }) => length < 20_000);

describe('an edited document', () => {
  it('has the findings and requirements of its text, after random edits of real modules', () => {
    const results = Array.from({ length: 200 }, (_, seed) => runSession(seed + 1, 5, small));
    expect(results.map(({ failure }) => failure).filter((failure) => failure !== null)).toEqual([]);
    const total = results.reduce((sum, { checkpoints }) => sum + checkpoints, 0);
    const clean = results.reduce((sum, one) => sum + one.clean, 0);
    expect(clean).toBeGreaterThan(total / 2);
  });
});
