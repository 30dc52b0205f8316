/**
 * Compiles a program with the published declarations, but without the types of the DOM, which a program for Node does
 * not have. package.exhaustive.test.ts compiles it with other settings.
 */
import { cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { built, root, scratch } from '../cli/ptxlab.ts';
import { typeErrors } from './compiled-types.ts';

const folder = scratch();

test('types compile strictly without the DOM, with skipLibCheck off', async () => {
  await built();
  // The declarations are copied, because a link to this folder would also lead to the types of its development
  // dependencies.
  const target = join(folder, 'node_modules/ptxlab');
  mkdirSync(target, { recursive: true });
  cpSync(join(root, 'package.json'), join(target, 'package.json'));
  const isDeclaration = (path: string): boolean => statSync(path).isDirectory() || path.endsWith('.d.ts');
  cpSync(join(root, 'dist'), join(target, 'dist'), { recursive: true, filter: isDeclaration });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  expect(typeErrors(folder, { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2022'] })).toBe('');
});
