/**
 * Every diagnostic there is. Codes are permanent: a number is never given a second meaning, a dropped one stays unused.
 * `PTX1xxx` syntax, `PTX2xxx` form and modifier, `PTX3xxx` operand, `PTX4xxx` version and target, `PTX5xxx` address,
 * state space and declaration, `PTX6xxx` runtime.
 *
 * `message` says what was found and what is allowed; `ptxas` is ptxas's wording of the same category; `explain` is what
 * `ptxlab explain CODE` prints. Words in braces are parameters, shared by both templates.
 */
import type { Severity } from './diagnostic.ts';

export interface CatalogueEntry {
  readonly severity: Severity;
  readonly title: string;
  readonly message: string;
  readonly ptxas: string;
  readonly section: string | null;
  readonly explain: string;
}

export const catalogue = {
  PTX1001: {
    severity: 'error',
    title: 'unexpected token',
    message: 'unexpected {found}; expected {expected}',
    ptxas: "Parsing error near '{near}': syntax error",
    section: '4.2',
    explain: 'The text does not continue in any way the grammar of PTX knows. Reading goes on at the next statement.',
  },
} as const;

export type Code = keyof typeof catalogue;

type Names<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

/** The parameters of a code's templates, all of them strings. */
export type Parameters<C extends Code> = {
  readonly [Name in Names<(typeof catalogue)[C]['message']> | Names<(typeof catalogue)[C]['ptxas']>]: string;
};
