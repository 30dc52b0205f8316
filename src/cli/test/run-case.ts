/** Runs one test for one GPU and one target, and compares the results with the expected ones. */
import { performance } from 'node:perf_hooks';
import { dirname, resolve } from 'node:path';
import { valueAt } from '../../base/element-at.ts';
import { memberPath } from '../../base/rules.ts';
import type { SourceText } from '../../base/source-text.ts';
import type { Race } from '../../device.ts';
import { makeFolder } from '../../hosts/node-folders.ts';
import { refuseSameFiles, writeFiles } from '../../hosts/node-output.ts';
import { TensorFileError } from '../../tensors/tensor-error.ts';
import { UsageError } from '../exit.ts';
import { readJob } from '../run/job.ts';
import type { BufferContents } from '../run/inputs.ts';
import { execute, type LaunchOutcome, type RunOutcome } from '../run/launch.ts';
import type { Session } from '../session.ts';
import { compareElements, differenceLines, type Tolerance } from './compare.ts';
import { bytesOfFormat, formatOfNpy, formatOfType, npyOfFormat } from './element-format.ts';
import { expectedContents, fileContents, fileOf, type Inputs } from './expected.ts';
import { inputFilesOf } from './files.ts';
import type { CaseName, TestCase } from './suite.ts';
import type { Expectation, TestTolerance } from './suite-rules.ts';

export type CaseStatus =
  | { readonly kind: 'passed' }
  /** Each finding has one or more lines, the first of which describes the problem. */
  | { readonly kind: 'failed'; readonly findings: readonly (readonly string[])[] }
  /** A mistake in the suite or in a file that it refers to. */
  | { readonly kind: 'error'; readonly message: string };

export interface CaseResult {
  readonly one: CaseName;
  readonly status: CaseStatus;
  readonly milliseconds: number;
  /** The expected files that were overwritten with the actual results. */
  readonly updated: readonly string[];
}

/** @param update whether to overwrite expected files with the actual results if they differ */
export async function runCase(one: TestCase, update: boolean, session: Session): Promise<CaseResult> {
  const begun = performance.now();
  const updated: string[] = [];
  const status = await statusOf(one, update ? updated : null, session).catch((error: unknown): CaseStatus => {
    if (!(error instanceof UsageError || error instanceof TensorFileError)) throw error;
    return { kind: 'error', message: error.message };
  });
  return { one, status, milliseconds: performance.now() - begun, updated };
}

async function statusOf(one: TestCase, updated: string[] | null, session: Session): Promise<CaseStatus> {
  const {
    gpus: _gpus,
    targets: _targets,
    expect = {},
    prints,
    fault,
    tolerance: _usual,
    name: _name,
    ...job
  } = one.test;
  if (Object.keys(expect).length === 0 && [prints, fault, job.races].every((expected) => expected === undefined))
    throw new UsageError("needs 'expect', 'prints', 'fault' or 'races'");
  const buffers = new Set(Object.keys(job.buffers ?? {}));
  const { run, inputs } = await readJob(
    {
      ...job,
      ...(one.gpu === null ? {} : { gpu: one.gpu }),
      ...(one.target === null ? {} : { target: one.target }),
      read: Object.keys(expect).filter((key) => !buffers.has(key)),
    },
    one.folder,
    session,
  );
  if (fault !== undefined && Object.keys(expect).length > 0)
    throw new UsageError("has both 'fault' and 'expect'; after a fault, there are no results");
  const outcome = await execute(run);
  const ended = endOf(outcome, fault ?? null);
  if (ended !== null) return { kind: 'failed', findings: [ended] };
  if (outcome.kind !== 'done') return statusAfterFault(outcome, prints);
  const findings = outcome.launches.flatMap(({ output }) => output.races.map((race) => raceLines(race, outcome.text)));
  const printed = printedBy(outcome.launches);
  if (prints !== undefined && prints !== printed) findings.push(printedLines(printed, prints));
  const left = new Map([...outcome.buffers, ...outcome.variables]);
  for (const [key, expectation] of Object.entries(expect)) {
    const result: Result = { key, bytes: valueAt(left, key), input: inputs.get(key) ?? null };
    const found = await judge(result, expectation, { one, inputs, updated, session });
    if (found !== null) findings.push(found);
  }
  return findings.length === 0 ? { kind: 'passed' } : { kind: 'failed', findings };
}

/** The status of a test whose launches ended with a fault, as expected. */
function statusAfterFault(outcome: RunOutcome, prints: string | undefined): CaseStatus {
  if (outcome.kind !== 'fault' || prints === undefined) return { kind: 'passed' };
  const printed = printedBy(outcome.before) + outcome.output.printed;
  return printed === prints ? { kind: 'passed' } : { kind: 'failed', findings: [printedLines(printed, prints)] };
}

/** Returns the lines of a finding if the launches did not end as expected; otherwise null. */
function endOf(outcome: RunOutcome, expected: string | null): readonly string[] | null {
  switch (outcome.kind) {
    case 'refused': {
      const { text, diagnostics } = outcome;
      return diagnostics
        .filter(({ severity }) => severity === 'error')
        .map(({ code, message, span }) => `${text.name}:${text.position(span.start).line}: ${code}: ${message}`);
    }
    case 'fault': {
      const { code, message, line, block, thread } = outcome.fault;
      if (code === expected) return null;
      const where = [
        line === null ? null : `${outcome.text.name}:${line}`,
        block === null || thread === null ? null : `block ${block.join()}, thread ${thread.join()}`,
      ].filter((part) => part !== null);
      const wanted = expected === null ? [] : [`expected fault ${expected}`];
      return [`fault ${code}: ${message}`, ...(where.length === 0 ? [] : [where.join(', ')]), ...wanted];
    }
    case 'done':
      return expected === null ? null : [`expected fault ${expected}, but the kernels ended without a fault`];
  }
}

function printedBy(launches: readonly LaunchOutcome[]): string {
  return launches.map(({ output }) => output.printed).join('');
}

function raceLines({ code, message, first, second }: Race, { name }: SourceText): readonly string[] {
  const places = [first, second].map(
    ({ line, block, thread }) => `${name}:${line}, block ${block.join()}, thread ${thread.join()}`,
  );
  return [`race ${code}: ${message}`, ...places];
}

function printedLines(got: string, expected: string): readonly string[] {
  const [gotLines, expectedLines] = [got.split('\n'), expected.split('\n')];
  const at = expectedLines.findIndex((line, i) => line !== gotLines[i]);
  const line = at < 0 ? expectedLines.length : at;
  const shown = (lines: readonly string[]): string => (lines[line] === undefined ? 'nothing' : `'${lines[line]}'`);
  return [`printed line ${line + 1}: got ${shown(gotLines)}, expected ${shown(expectedLines)}`];
}

/** The contents of a buffer or variable after the last launch. */
interface Result {
  readonly key: string;
  readonly bytes: Uint8Array;
  /** The contents of the buffer before the launches; null for a variable. */
  readonly input: BufferContents | null;
}

interface Judging {
  readonly one: TestCase;
  readonly inputs: Inputs;
  /** Collects the names of the files that were updated; null if files must not be updated. */
  readonly updated: string[] | null;
  readonly session: Session;
}

/** The finding for one result; null if the result is as expected, or if the file of expected results was updated. */
async function judge(
  result: Result,
  expectation: Expectation,
  { one, inputs, updated, session }: Judging,
): Promise<readonly string[] | null> {
  const usual = one.test.tolerance;
  const file = updated === null ? null : fileOf(expectation, one);
  if (updated === null || file === null) {
    const expected = await expectedContents(expectation, memberPath('expect', result.key), inputs, { one, session });
    return difference(result, expected, expectation, usual);
  }
  const isUsable = await expectedContents(expectation, memberPath('expect', result.key), inputs, { one, session }).then(
    (expected) => difference(result, expected, expectation, usual) === null,
    () => false,
  );
  if (isUsable) return null;
  const format = expectation.type === undefined ? null : formatOfType(expectation.type);
  const count = format === null ? 0 : result.bytes.byteLength / bytesOfFormat(format);
  const element = format === null ? (result.input?.element ?? null) : { type: npyOfFormat(format), shape: [count] };
  const path = resolve(one.folder, file);
  await refuseSameFiles([one.suite, ...inputFilesOf(one)], [path]);
  await makeFolder(dirname(path));
  await writeFiles([{ path, bytes: fileContents(path, { bytes: result.bytes, element }) }], true);
  updated.push(file);
  return null;
}

function difference(
  { key, bytes, input }: Result,
  expected: BufferContents,
  { type, tolerance }: Expectation,
  usual: TestTolerance | undefined,
): readonly string[] | null {
  if (bytes.byteLength !== expected.bytes.byteLength)
    return [`${key} has ${bytes.byteLength} bytes; ${expected.bytes.byteLength} are expected`];
  const known = expected.element ?? input?.element ?? null;
  const own = known === null ? 'u8' : formatOfNpy(known.type);
  const format = type === undefined ? own : formatOfType(type);
  const found = compareElements(bytes, expected.bytes, format, toleranceOf(tolerance ?? usual));
  return found === null ? null : differenceLines(key, found, format, known?.shape ?? []);
}

function toleranceOf(given: TestTolerance | undefined): Tolerance {
  if (given === undefined || given === 'exactly') return { kind: 'exactly' };
  const { ulps, abs, rel } = given;
  if (ulps === undefined) return { kind: 'absolute and relative', abs: abs ?? 0, rel: rel ?? 0 };
  if (abs === undefined && rel === undefined) return { kind: 'ulps', most: ulps };
  throw new UsageError("tolerance: has 'ulps' or 'abs' and 'rel', not both");
}
