/** Finds suites of kernel tests, reads them, and lists what is to be run. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { matchesGlob } from '../../base/glob.ts';
import { fileTrouble } from '../../hosts/file-errors.ts';
import { importUrl } from '../../hosts/import-url.ts';
import { UsageError } from '../exit.ts';
import { displayName, readInput } from '../io.ts';
import { readGpu, readTarget } from '../options.ts';
import { placed } from '../run/job-inputs.ts';
import { parseFile, requireRule } from '../json-file.ts';
import type { Session } from '../session.ts';
import { runSuiteCode } from './suite-code.ts';
import { type KernelTest, type SuiteFile, suiteRule } from './suite-rules.ts';

/** Identifies one run of a test by its suite, its name, the GPU and the target. */
export interface CaseName {
  /** The path of the suite, as specified by the user. */
  readonly suite: string;
  readonly name: string;
  /** If null, the GPU or target of the module is used. */
  readonly gpu: string | null;
  readonly target: string | null;
}

export interface TestCase extends CaseName {
  readonly test: KernelTest;
  /** The folder to which paths in the test are relative. */
  readonly folder: string;
}

const suiteName = /\.ptxtest\.(json|mjs)$/;

/** The suites at these paths. Folders are searched for suites, unless they are hidden or named node_modules. */
export async function findSuites(paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const isFolder = await stat(path).then(
      (one) => one.isDirectory(),
      (error: unknown) => {
        throw new UsageError(`${displayName(path)}: ${fileTrouble(error)}`, { cause: error });
      },
    );
    if (isFolder) found.push(...(await suitesIn(path)));
    else if (suiteName.test(path)) found.push(path);
    else throw new UsageError(`${displayName(path)}: the name of a suite ends in .ptxtest.json or .ptxtest.mjs`);
  }
  if (found.length === 0) throw new UsageError(`no suite in ${paths.map(displayName).join(', ')}`);
  return [...new Set(found)];
}

async function suitesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules') {
      found.push(...(await suitesIn(path)));
    } else if (entry.isFile() && suiteName.test(entry.name)) found.push(path);
  }
  return found;
}

/**
 * Reads a suite, and returns the tests with names that match `filter`. A test that lists GPUs or targets is returned
 * once for each combination.
 */
export async function readSuite(
  path: string,
  filter: string | undefined,
  session: Session,
): Promise<readonly TestCase[]> {
  const { tests, $schema: _, ...defaults } = await placed(displayName(path), () => readFile(path, session));
  if (tests === undefined || tests.length === 0)
    throw new UsageError(`${displayName(path)}: tests: must have at least one test`);
  const { ptx: _ptx, source: _source, ...others } = defaults;
  const seen = new Set<string>();
  return tests.flatMap((one, i) => {
    const { name } = one;
    const place = `${displayName(path)}: tests[${i}]`;
    if (name === undefined || name === '') throw new UsageError(`${place}.name: is missing`);
    if (seen.has(name)) throw new UsageError(`${place}.name: there is another test '${name}'`);
    seen.add(name);
    if (filter !== undefined && !matchesGlob(filter, name)) return [];
    const hasModule = one.ptx !== undefined || one.source !== undefined;
    const test: KernelTest = { ...(hasModule ? others : defaults), ...one };
    const folder = dirname(resolve(path));
    const gpus = choices(test.gpus, `${place}.gpus`, readGpu);
    const targets = choices(test.targets, `${place}.targets`, readTarget);
    return gpus.flatMap((gpu) => targets.map((target) => ({ suite: path, name, gpu, target, test, folder })));
  });
}

/**
 * Calls `read` to check each name in a list, and returns the list. If the list is empty, returns a list that contains
 * only null, which stands for the module's own GPU or target.
 */
function choices(
  names: readonly string[] = [],
  place: string,
  read: (name: string) => unknown,
): readonly (string | null)[] {
  try {
    for (const name of names) read(name);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${place}: ${error.message}`, { cause: error });
    throw error;
  }
  return names.length === 0 ? [null] : names;
}

async function readFile(path: string, session: Session): Promise<SuiteFile> {
  const found: unknown = await (path.endsWith('.mjs') ? moduleDefault(path, session) : jsonIn(path, session));
  requireRule(found, suiteRule, 'the suite');
  return found;
}

async function jsonIn(path: string, session: Session): Promise<unknown> {
  const text = await readInput(path, session);
  if (!text.ok) throw new UsageError(text.error);
  return parseFile(text.value, basename(path));
}

async function moduleDefault(path: string, session: Session): Promise<unknown> {
  const found = await importFresh(path, session);
  if (!('default' in found)) throw new UsageError('has no default export');
  return found.default;
}

/** Imports the current version of a module's file, even if an older version was imported before. */
export async function importFresh(path: string, session: Pick<Session, 'stderr'>): Promise<object> {
  try {
    const { mtimeMs } = await stat(path);
    const url = pathToFileURL(resolve(path));
    url.searchParams.set('changed', String(mtimeMs));
    const found = await runSuiteCode(() => importUrl(url.href), session);
    return typeof found === 'object' && found !== null ? found : {};
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** The name of a test case, followed by its GPU and target if the test lists GPUs or targets. */
export function caseName({ name, gpu, target }: CaseName): string {
  const place = [gpu, target].filter((one) => one !== null).join(', ');
  return place === '' ? name : `${name} [${place}]`;
}
