/** The results of the shards of a planned test run. */
import { follows, listOf, recordWith, type Rule } from '../../base/rules.ts';
import type { CaseResult } from '../test/run-case.ts';

/** The results of a shard's tests, in order. */
export interface TestBody {
  readonly results: readonly CaseResult[];
}

const anyResult: Rule<CaseResult> = {
  takes: 'a result',
  accepts: (value) => typeof value === 'object' && value !== null && 'one' in value && 'status' in value,
};
const bodyRule: Rule<TestBody> = recordWith<TestBody>({ results: listOf(anyResult) });

/** Checks only the outer structure, because the hash of a result already covers its contents. */
export function isTestBody(body: object): body is TestBody {
  return follows(body, bodyRule);
}
