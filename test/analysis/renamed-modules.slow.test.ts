/**
 * Checks that a real module is still the same program after its names have been changed and its text has been
 * formatted. The comparison uses `diffModules`, which ignores names.
 */
import { describe, expect, it } from 'vitest';
import { Document, diffModules } from '../../src/analysis.ts';
import { check } from '../../src/check/check.ts';
import { edited } from '../../src/diagnostics/fix.ts';
import { randomSource } from '../kernels/reference.ts';
import { realModules } from './edit-sessions.ts';

const modules = realModules.filter(({ length }) => length > 2000 && length < 8_000);
const namesTried = 12;

function commentsOf(text: string): readonly string[] {
  return (text.match(/\/\/[^\n]*|\/\*[^]*?\*\//g) ?? []).map((one) => one.trimEnd());
}

function codesOf(text: string): readonly string[] {
  return check(text).diagnostics.map(({ code }) => code);
}

/**
 * Renames the symbol that a word in the text refers to, and returns the new text; null if the word cannot be renamed.
 */
function renamedAt(text: string, word: number, name: string): string | null {
  const starts = [...text.matchAll(/[%$]?[A-Za-z_$][\w$]*/g)].map(({ index }) => index);
  const { navigation } = new Document(text);
  const renaming = navigation.rename(starts[word % starts.length] ?? 0, name);
  return renaming?.ok === true ? edited(text, renaming.value) : null;
}

describe.each(modules.map((text, i) => ({ text, seed: i + 1, lines: text.split('\n').length })))(
  'real module $seed of $lines lines',
  ({ text, seed }) => {
    it('is the same program after its names are changed', () => {
      const random = randomSource(seed);
      let renamed = text;
      for (let i = 0; i < namesTried; i++) {
        renamed = renamedAt(renamed, Math.floor(random() * 1e6), `renamed_${i}_x`) ?? renamed;
      }
      expect(diffModules(new Document(text), new Document(renamed)).isSame).toBe(true);
      expect(codesOf(renamed)).toEqual(codesOf(text));
      expect(commentsOf(renamed)).toEqual(commentsOf(text));
    });

    it('is the same program after formatting', () => {
      const formatted = edited(text, new Document(text).navigation.format());
      expect(diffModules(new Document(text), new Document(formatted)).isSame).toBe(true);
      expect(commentsOf(formatted)).toEqual(commentsOf(text));
      expect(new Document(formatted).navigation.format()).toEqual([]);
    });
  },
);
