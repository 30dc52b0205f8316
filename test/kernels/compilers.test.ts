/** Tests modules in the style of many compilers. ptxas 13.0 accepts all of them, so the checker must find no errors. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';

const folder = new URL('compilers/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.ptx'));

test.each(files)('%s', (name) => {
  const { diagnostics } = check(readFileSync(new URL(name, folder), 'utf8'));
  expect(diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
});
