/** Finds the description of a modifier's meaning. */
import { meaningsByOpcode } from './meanings/by-opcode.ts';
import { generalMeanings } from './meanings/general.ts';
import { meaningPatterns } from './meanings/patterns.ts';

/** The meaning of a modifier in an opcode or a mnemonic; null if there is no description of it. */
export function modifierMeaning(modifier: string, mnemonic: string): string | null {
  const row = meaningsByOpcode.find(
    ({ opcodes, meanings }) => Object.hasOwn(meanings, modifier) && opcodes.some((one) => begins(mnemonic, one)),
  );
  return row?.meanings[modifier] ?? generalMeanings[modifier] ?? meaningByPattern(modifier, mnemonic);
}

function meaningByPattern(modifier: string, mnemonic: string): string | null {
  for (const { opcodes, pattern, meaning } of meaningPatterns) {
    const match = pattern.exec(modifier);
    const fits = opcodes === null || opcodes.some((one) => begins(mnemonic, one));
    if (match?.groups !== undefined && fits) return meaning(match.groups);
  }
  return null;
}

/** Whether a mnemonic begins with the given dot-separated words. */
function begins(mnemonic: string, words: string): boolean {
  return mnemonic === words || mnemonic.startsWith(`${words}.`);
}
