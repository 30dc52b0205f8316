/** The files of planned tests, and the results of their shards. */
import { resolve } from 'node:path';
import { listOf, mistakeIn, recordOf, type Rule } from '../../base/rules.ts';
import { fileOf } from '../test/expected.ts';
import type { CaseResult } from '../test/run-case.ts';
import type { TestCase } from '../test/suite.ts';

/** The results of the tests of a shard, in order. */
export interface TestBody {
  readonly results: readonly CaseResult[];
}

const anyResult: Rule<CaseResult> = {
  takes: 'a result',
  accepts: (value) => typeof value === 'object' && value !== null && 'one' in value && 'status' in value,
};
const bodyRule: Rule<TestBody> = recordOf<TestBody>({ results: listOf(anyResult) });

/** Checks only the outer structure, because the hash of a result already covers its contents. */
export function isTestBody(body: object): body is TestBody {
  return mistakeIn(body, bodyRule) === null;
}

/**
 * The paths of the files that a test names: its module, its data, and the modules of its reference functions. Files
 * that those modules import and files that commands read are not included, because the test does not name them.
 */
export function filesOfCase(one: TestCase): readonly string[] {
  const { test, folder } = one;
  const expected = Object.values(test.expect ?? {}).flatMap((expectation) => {
    const reference = typeof expectation.function === 'string' ? [expectation.function.replace(/#[^#]*$/, '')] : [];
    return [...reference, fileOf(expectation, one) ?? []].flat();
  });
  const given = [test.buffers, test.variables, test.args, test.launches].flatMap(filesWithin);
  return [test.ptx ?? [], given, expected].flat().map((file) => resolve(folder, file));
}

/** The values of all members named `file`, at any depth within the given value. */
function filesWithin(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) =>
    key === 'file' && typeof member === 'string' ? [member] : filesWithin(member),
  );
}
