/** `ptxlab diff a.ptx b.ptx`: the differences between two modules. */
import { demangle, Document, diffModules } from '../../analysis.ts';
import { PtxlabError } from '../../base/error.ts';
import { matchesGlob } from '../../base/glob.ts';
import { type ExitCode, UsageError } from '../exit.ts';
import { displayName, readInput } from '../io.ts';
import { write, writeJson } from '../output.ts';
import type { Session } from '../session.ts';
import { isAscii, screenWidth, styleFor } from '../style.ts';
import type { DiffFlags } from './diff-flags.ts';
import type { ModuleFilesDiff, NamedModule } from './module-files-diff.ts';
import { moduleDiffJson } from './module-json.ts';
import { moduleDiffText } from './module-text.ts';

const flagsOfTensors = [
  ['maxAbs', '--max-abs'],
  ['maxRel', '--max-rel'],
  ['minSqnr', '--min-sqnr'],
  ['worst', '--worst'],
  ['html', '--html'],
  ['dtype', '--dtype'],
  ['shape', '--shape'],
] as const;

/** @param details number of functions shown in detail */
export async function diffModuleFiles(
  pathA: string,
  pathB: string,
  details: number,
  flags: DiffFlags,
  session: Session,
): Promise<ExitCode> {
  for (const [name, spelled] of flagsOfTensors) {
    if (flags[name] !== undefined) throw new UsageError(`${spelled} applies to tensor files, not to PTX`);
  }
  if (pathA === '-' && pathB === '-') throw new UsageError('only one of the two modules can come from stdin');
  const files = { a: await readModule(pathA, session), b: await readModule(pathB, session) };
  const { only = [] } = flags;
  const takes = (name: string): boolean =>
    only.length === 0 || only.some((glob) => matchesGlob(glob, name) || matchesGlob(glob, demangle(name) ?? name));
  const diff: ModuleFilesDiff = { files, ...diffModules(files.a.document, files.b.document, { takes }) };
  if (only.length > 0 && diff.functions.length + diff.onlyInA.length + diff.onlyInB.length === 0)
    throw new PtxlabError('no-such-function', '--only matches no function in either file');
  const { stdout, env } = session;
  if (flags.json === true) await writeJson(stdout, moduleDiffJson(diff));
  else {
    const layout = {
      style: await styleFor(flags.color, stdout, env),
      width: screenWidth(stdout, env),
      isAscii: isAscii(flags.ascii === true, env),
      details,
    };
    await write(stdout, moduleDiffText(diff, layout));
  }
  return diff.isSame ? 0 : 1;
}

async function readModule(path: string, session: Session): Promise<NamedModule> {
  const text = await readInput(path, session);
  if (!text.ok) throw new UsageError(text.error);
  const document = new Document(text.value);
  const name = displayName(path);
  const isUnreadable = document
    .diagnostics()
    .some(({ code, severity }) => severity === 'error' && code.startsWith('PTX1'));
  if (isUnreadable) throw new PtxlabError('syntax-error', `${name} has syntax errors, which ptxlab check shows`);
  return { path: name, document };
}
