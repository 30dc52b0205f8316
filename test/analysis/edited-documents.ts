/** Compares documents that were edited with checks of the same texts. */
import { check } from '../../src/check/check.ts';
import { Document } from '../../src/analysis/document.ts';
import { applied, type Edit, EditSession, editsOf, shrunk } from './edit-sessions.ts';

export interface SessionResult {
  /** The edits that are needed to make a difference; null if there is none. */
  readonly failure: string | null;
  readonly checkpoints: number;
  /** Checkpoints whose text has no syntax errors. */
  readonly clean: number;
}

/** Whether the findings or requirements of an edited document differ from those of its text, after any edit. */
function differs(start: string, edits: readonly Edit[]): boolean {
  const document = new Document(start);
  let text = start;
  return edits.some((edit) => {
    document.edit(edit.start, edit.end, edit.text);
    text = applied(text, edit);
    const { diagnostics, requirements } = check(text);
    const own = { diagnostics: document.diagnostics(), requirements: document.requirements() };
    return document.text() !== text || JSON.stringify(own) !== JSON.stringify({ diagnostics, requirements });
  });
}

export function runSession(seed: number, length: number, modules: readonly string[]): SessionResult {
  const session = new EditSession(seed, modules);
  const { start } = session;
  const edits = editsOf(session, length);
  const fails = (some: readonly Edit[]): boolean => differs(start, some);
  const failure = fails(edits) ? `session ${seed}: ${JSON.stringify(shrunk(start, edits, fails))}` : null;
  let text = start;
  let clean = 0;
  for (const edit of edits) {
    text = applied(text, edit);
    if (!check(text).diagnostics.some(({ code }) => code.startsWith('PTX1'))) clean++;
  }
  return { failure, checkpoints: edits.length, clean };
}
