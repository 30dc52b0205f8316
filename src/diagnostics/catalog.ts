/**
 * Every diagnostic. Codes are permanent: the meaning of a code never changes, and a retired code is never reused. The
 * first digit of a code determines which of the files in `codes` contains it.
 */
import { declarations } from './codes/declarations.ts';
import { embedded } from './codes/embedded.ts';
import { faults } from './codes/faults.ts';
import { forms } from './codes/forms.ts';
import { operands } from './codes/operands.ts';
import { syntax } from './codes/syntax.ts';
import { versions } from './codes/versions.ts';

type Catalog = typeof syntax &
  typeof forms &
  typeof operands &
  typeof versions &
  typeof declarations &
  typeof faults &
  typeof embedded;

export const catalog: Catalog = {
  ...syntax,
  ...forms,
  ...operands,
  ...versions,
  ...declarations,
  ...faults,
  ...embedded,
};

export type Code = keyof typeof catalog;

export function isCode(word: string): word is Code {
  return Object.hasOwn(catalog, word);
}

type Names<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;

/** The parameters of a code's templates, all of which are strings. */
export type Parameters<C extends Code> = {
  readonly [Name in Names<(typeof catalog)[C]['message']> | Names<(typeof catalog)[C]['ptxas']>]: string;
};
