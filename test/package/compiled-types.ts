/** Compiles a program that uses the declarations of the package. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../cli/ptxlab.ts';

const use = `import { check, type Diagnostic, evaluate, explain } from 'ptxlab';
import { convert, quantize } from 'ptxlab/arrays';
import { Device } from 'ptxlab/device';
import { openTensorFile } from 'ptxlab/tensors';
export const found: readonly Diagnostic[] = check('').diagnostics;
export const doors: readonly unknown[] = [evaluate, explain, convert, quantize, Device, openTensorFile];
`;

export interface TypeSettings {
  readonly module: string;
  readonly moduleResolution: string;
  readonly lib: readonly string[];
}

/** What the compiler prints for a program in `folder`, which must contain the package in its `node_modules`. */
export function typeErrors(folder: string, settings: TypeSettings): string {
  const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true, types: [] };
  const compilerOptions = { ...strict, target: 'es2022', ...settings };
  writeFileSync(join(folder, 'use.ts'), use);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' }).stdout;
}
