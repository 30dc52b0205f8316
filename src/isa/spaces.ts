/** State spaces as steps name them (PTX ISA 9.1, 5.1), and which threads share each memory. */
import type { Sameness } from './sameness.ts';

/** `generic` means that the instruction has no space modifier: the address itself determines the window. */
export type AccessSpace = 'generic' | 'global' | 'shared' | 'local' | 'const' | 'param';

/** True if a word names a space. */
export function isAccessSpace(word: unknown): word is AccessSpace {
  return typeof word === 'string' && Object.hasOwn(spaceSameness, word);
}

/** A window of the generic address space, as `cvta` and `isspacep` name it. */
export type WindowSpace = 'global' | 'shared' | 'shared::cluster' | 'local' | 'const' | 'param';

/** The threads for which an address refers to the same memory. A generic address may point into local memory. */
export const spaceSameness: Readonly<Record<AccessSpace, Sameness>> = {
  generic: 'thread',
  global: 'grid',
  shared: 'block',
  local: 'thread',
  const: 'grid',
  param: 'grid',
};
