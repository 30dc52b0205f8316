/** Compares edited documents with full checks of the same texts. */
import { check } from '../../src/check/check.ts';
import { Document } from '../../src/analysis/document.ts';
import { applied, type Edit, EditSession, editsOf, shrunk } from './edit-sessions.ts';

export interface SessionResult {
  /**
   * Null if the results for the edited document agreed with those of a full check of its text. Otherwise, a description
   * of the difference, with the edits that are needed to reproduce it.
   */
  readonly failure: string | null;
  readonly checkpoints: number;
  /** Number of checkpoints at which the text has no syntax errors. */
  readonly clean: number;
}

interface Comparison {
  /**
   * Whether the results for the edited document differ from those of a full check of the same text. Findings and
   * requirements are compared after every edit; tokens and symbols are compared after the last edit.
   */
  readonly differs: boolean;
  /** Number of edits after which the text has no syntax errors. Counting stops at the first difference. */
  readonly clean: number;
}

function compare(start: string, edits: readonly Edit[]): Comparison {
  const document = new Document(start);
  let text = start;
  let clean = 0;
  const hasOthers = edits.some((edit) => {
    document.edit(edit.start, edit.end, edit.text);
    text = applied(text, edit);
    const { diagnostics, requirements } = check(text);
    const own = { diagnostics: document.diagnostics(), requirements: document.requirements() };
    if (!diagnostics.some(({ code }) => code.startsWith('PTX1'))) clean++;
    return document.text() !== text || JSON.stringify(own) !== JSON.stringify({ diagnostics, requirements });
  });
  return { differs: hasOthers || structureOf(document) !== structureOf(new Document(text)), clean };
}

/** Writes the tokens, symbols and folds of a document as text. */
function structureOf({ navigation, length }: Document): string {
  return JSON.stringify([[...navigation.tokens(0, length)], navigation.symbols(), navigation.folds()]);
}

export function runSession(seed: number, length: number, modules: readonly string[]): SessionResult {
  const session = new EditSession(seed, modules);
  const { start } = session;
  const edits = editsOf(session, length);
  const fails = (some: readonly Edit[]): boolean => compare(start, some).differs;
  const { differs, clean } = compare(start, edits);
  const failure = differs ? `session ${seed}: ${JSON.stringify(shrunk(start, edits, fails))}` : null;
  return { failure, checkpoints: edits.length, clean };
}
