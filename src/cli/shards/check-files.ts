/** The files of a planned check, and the results of its shards. */
import { isObject } from '../../base/json-values.ts';
import { readFile } from 'node:fs/promises';
import { elementAt } from '../../base/element-at.ts';
import { follows, listOf, recordWith, type Rule } from '../../base/rules.ts';
import { SourceText } from '../../base/source-text.ts';
import { withFileErrors } from '../../hosts/file-errors.ts';
import type { Judged } from '../check/report.ts';
import { pathOfInput, requireInput } from './inputs.ts';
import type { InputFile, Plan } from './manifest.ts';
import type { CheckWhat } from './what.ts';

/** The reports on each file, one for each target. */
export interface CheckBody {
  readonly files: readonly (readonly Judged['report'][])[];
}

const anyReport: Rule<Judged['report']> = { takes: 'an object', accepts: isObject };
const bodyRule: Rule<CheckBody> = recordWith<CheckBody>({ files: listOf(listOf(anyReport)) });

/** Checks only the outer structure, because the hash of a result already covers the reports in it. */
export function isCheckBody(body: object): body is CheckBody {
  return follows(body, bodyRule);
}

/** Reads a planned input. @throws UsageError if its contents have changed since the plan was made */
export async function readPlanned(plan: Plan, input: InputFile): Promise<string> {
  const path = pathOfInput(plan.folder, input);
  const bytes = await withFileErrors(path, () => readFile(path));
  requireInput(path, input, bytes);
  return bytes.toString('utf8');
}

/** The text of a planned file, together with the name by which findings refer to the file. */
export async function sourceOf(plan: Plan, { files }: CheckWhat, unit: number): Promise<SourceText> {
  const text = await readPlanned(plan, elementAt(plan.manifest.inputs, unit));
  return new SourceText(text, elementAt(files, unit).name);
}
