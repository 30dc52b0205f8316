import { describe, expect, it } from 'vitest';
import { realModules } from './edit-sessions.ts';
import { runSession } from './edited-documents.ts';

const small = realModules.filter(({ length }) => length < 20_000);

/**
 * The number of sessions in each test; running them takes a few seconds on a loaded machine. The exhaustive test runs
 * 20,000 sessions.
 */
const each = 20;

describe('an edited document', () => {
  it.each([0, 1, 2, 3].map((part) => part * each + 1))(
    'has the findings and requirements of its text, after random edits of real modules: sessions from %i on',
    (first) => {
      const results = Array.from({ length: each }, (_, i) => runSession(first + i, 5, small));
      expect(results.map(({ failure }) => failure).filter((failure) => failure !== null)).toEqual([]);
      const total = results.reduce((sum, { checkpoints }) => sum + checkpoints, 0);
      const clean = results.reduce((sum, one) => sum + one.clean, 0);
      expect(clean).toBeGreaterThan(total / 2);
    },
  );
});
