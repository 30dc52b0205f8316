/** Arrays without elements, as ptxas 13.0 judges them. */
import { expect, test } from 'vitest';
import { check } from './check.ts';

const codesOf = (items: string): readonly string[] =>
  check(`.version 8.0\n.target sm_90\n.address_size 64\n${items}\n`).diagnostics.map(({ code }) => code);

const declarations: readonly (readonly [declaration: string, codes: readonly string[]])[] = [
  ['.global .b8 x[];', ['PTX5008']],
  ['.global .b8 x[0];', ['PTX5008']],
  ['.weak .shared .b8 x[0];', ['PTX5008']],
  ['.common .global .b8 x[0];', ['PTX5008']],
  ['.global .b8 x[0][2];', ['PTX5008']],
  ['.global .b8 x[2][0];', ['PTX5022']],
  ['.extern .shared .b8 x[0];', []],
  ['.extern .shared .b8 x[0][0];', ['PTX5022']],
  ['.extern .shared .b8 x[][2];', []],
  ['.global .b8 x[0] = {1};', []],
  ['.global .b8 x[0][2] = {{1, 2}, {3, 4}};', []],
  ['.entry k() { .local .b8 x[0]; ret; }', ['PTX5008']],
  ['.entry k() { { .param .b8 p[0]; } ret; }', ['PTX5008']],
  ['.entry k(.param .b8 x[]) { ret; }', ['PTX5022']],
  ['.entry k(.param .b8 x[0]) { ret; }', ['PTX5022']],
  ['.func (.param .b8 x[0]) f() { ret; }', ['PTX5022']],
  ['.func f(.param .b8 x[0]) { ret; }', []],
  ['.entry k(.reg .b64 x) { ret; }', ['PTX5007']],
];

test.each(declarations)('%s %j', (declaration, codes) => {
  expect(codesOf(declaration)).toEqual(codes);
});
