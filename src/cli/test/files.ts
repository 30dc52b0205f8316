/** Lists the files that a test refers to. */
import { resolve } from 'node:path';
import { fileOf } from './expected.ts';
import type { TestCase } from './suite.ts';

/**
 * The paths of the files that a test reads: its module, its data, and the modules of its reference functions. Any other
 * files that are imported by these modules or read by commands are left out, because the test does not mention them.
 */
export function inputFilesOf({ test, folder }: TestCase): readonly string[] {
  const references = Object.values(test.expect ?? {}).flatMap(({ function: reference }) =>
    typeof reference === 'string' ? [reference.replace(/#[^#]*$/, '')] : [],
  );
  const given = [test.buffers, test.variables, test.args, test.launches].flatMap(filesWithin);
  return [test.ptx ?? [], given, references].flat().map((file) => resolve(folder, file));
}

/** The paths of all files that a test refers to: those that it reads, and those that contain its expected results. */
export function filesOf(one: TestCase): readonly string[] {
  const expected = Object.values(one.test.expect ?? {})
    .flatMap((expectation) => fileOf(expectation, one) ?? [])
    .map((file) => resolve(one.folder, file));
  return [...inputFilesOf(one), ...expected];
}

/** The values of all members named `file`, at any depth within the given value. */
function filesWithin(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) =>
    key === 'file' && typeof member === 'string' ? [member] : filesWithin(member),
  );
}
