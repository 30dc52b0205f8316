/** Computes one shard of planned kernel tests: the results of some of the tests. */
import { readFile } from 'node:fs/promises';
import { elementAt } from '../../base/element-at.ts';
import { withFileErrors } from '../../hosts/file-errors.ts';
import { UsageError } from '../exit.ts';
import type { Session } from '../session.ts';
import { filesOf } from '../test/files.ts';
import { type CaseResult, runCase } from '../test/run-case.ts';
import { readSuite, type TestCase } from '../test/suite.ts';
import type { UnitRange } from './cut.ts';
import { pathOfInput, requireInput } from './inputs.ts';
import type { InputFile, Plan } from './manifest.ts';
import type { TestBody } from './test-files.ts';
import type { TestWhat } from './what.ts';

/** Resolves with null if the signal stopped the work. */
export async function testShard(
  plan: Plan,
  what: TestWhat,
  { from, to }: UnitRange,
  signal: AbortSignal,
  session: Session,
): Promise<TestBody | null> {
  const inputs = new Inputs(plan);
  const results: CaseResult[] = [];
  let first = 0;
  for (const [i, { name, cases }] of what.suites.entries()) {
    const own = { from: Math.max(from - first, 0), to: Math.min(to - first, cases) };
    first += cases;
    if (own.from >= own.to) continue;
    const found = await plannedCases(plan, what, i, inputs, session);
    for (const one of found.slice(own.from, own.to)) {
      for (const file of filesOf(one)) await inputs.require(file);
      const result = await runCase(one, false, session);
      const { gpu, target } = one;
      results.push({ ...result, one: { suite: name, name: one.name, gpu, target } });
      if (signal.aborted) return null;
    }
  }
  return { results };
}

async function plannedCases(
  plan: Plan,
  { suites, choice }: TestWhat,
  suite: number,
  inputs: Inputs,
  session: Session,
): Promise<readonly TestCase[]> {
  const { cases } = elementAt(suites, suite);
  const path = pathOfInput(plan.folder, elementAt(plan.manifest.inputs, suite));
  await inputs.require(path);
  const found = await readSuite(path, choice.filter, session);
  if (found.length === cases) return found;
  throw new UsageError(`${path}: has ${found.length} tests; ${cases} were planned`);
}

/**
 * Checks that files are inputs of the plan and have not changed since the plan was made. Each file is checked only
 * once.
 */
class Inputs {
  private readonly planned: ReadonlyMap<string, InputFile>;
  private readonly compared = new Set<string>();

  constructor({ folder, manifest }: Plan) {
    this.planned = new Map(manifest.inputs.map((input) => [pathOfInput(folder, input), input]));
  }

  /** @throws UsageError if the file changed, or if it did not exist when the plan was made */
  async require(path: string): Promise<void> {
    if (this.compared.has(path)) return;
    this.compared.add(path);
    const input = this.planned.get(path);
    const bytes = await withFileErrors(path, () => readFile(path)).catch((error: unknown) => {
      if (input !== undefined) throw error;
      return null;
    });
    if (input !== undefined && bytes !== null) requireInput(path, input, bytes);
    if (input === undefined && bytes !== null) throw new UsageError(`${path}: did not exist when the plan was made`);
  }
}
