/**
 * `ptxlab ptxas` and `ptxlab-ptxas`: a stand-in for ptxas that verifies PTX but generates no machine code. Its command
 * line, messages and exit codes are those of ptxas 13.0.
 */
import { readFileSync } from 'node:fs';
import { architectureOf } from './ptxas/architecture.ts';
import { helpText, versionList, versionText } from './ptxas/help-text.ts';
import { linkCommand } from './ptxas/link.ts';
import { OptionError, type ReadOptions, readOptions } from './ptxas/read-options.ts';
import { aborted, message } from './ptxas/message.ts';
import { type Input, type Verification, verify } from './ptxas/verify.ts';
import type { VerifyOptions } from './ptxas/verify-options.ts';
import { readInput } from './io.ts';
import { write } from './output.ts';
import type { Session } from './session.ts';
import { packageVersion } from './version.ts';

/** Exit codes of ptxas: 0 if the input is accepted, and 255 otherwise. */
export type PtxasExit = 0 | 255;

/** Runs a ptxas command line. `args` are the words that follow the name of the program. */
export async function ptxasCommand(args: readonly string[], session: Session): Promise<PtxasExit> {
  if (args[0] === '--link') return linkCommand(args.slice(1), session);
  const { stdout, stderr } = session;
  const options = read(args);
  if (typeof options === 'string') {
    await write(stderr, `${message('fatal', options)}\n`);
    return 255;
  }
  const isQuiet = options.values.has('disable-warnings');
  const warnings = isQuiet ? [] : options.warnings.map((text) => `${message('warning', text)}\n`);
  await write(stderr, warnings.join(''));
  const text = requestedText(options);
  if (text === null) return verifyInputs(options, session);
  await write(stdout, text);
  return 0;
}

/** The options, or a message about what is wrong with them. */
function read(args: readonly string[]): ReadOptions | string {
  try {
    return readOptions(args, readOptionsFile);
  } catch (error) {
    if (error instanceof OptionError) return error.message;
    throw error;
  }
}

function readOptionsFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function requestedText({ values, files, strings }: ReadOptions): string | null {
  if (values.has('version')) return versionText(packageVersion());
  if (values.has('list-version')) return versionList();
  const isEmpty = files.length === 0 && strings.length === 0;
  return values.has('help') || isEmpty ? helpText() : null;
}

async function verifyInputs(options: ReadOptions, session: Session): Promise<PtxasExit> {
  session.expectShortRun?.();
  const { inputs, unopened } = await readInputs(options, session);
  const verifyOptions = verifyOptionsOf(options);
  const found = verify(inputs, verifyOptions);
  const lines = [...unopened, ...(options.values.has('verbose') ? summary(found, verifyOptions) : []), ...found.lines];
  if (unopened.length > 0 && found.lines.at(-1) !== aborted) lines.push(aborted);
  const isAccepted = found.isAccepted && unopened.length === 0;
  const output = isAccepted ? unwritable(options, verifyOptions) : null;
  if (output !== null) lines.push(message('fatal', output));
  await write(session.stderr, lines.map((line) => `${line}\n`).join(''));
  return isAccepted && output === null ? 0 : 255;
}

interface Inputs {
  readonly inputs: readonly Input[];
  /** One message for each file that could not be opened. */
  readonly unopened: readonly string[];
}

async function readInputs({ files, strings }: ReadOptions, session: Session): Promise<Inputs> {
  const inputs: Input[] = strings.map((text) => ({ name: 'application ptx input', text }));
  const unopened: string[] = [];
  for (const file of files) {
    const text = await readInput(file, session);
    if (text.ok) inputs.push({ name: file === '-' ? '<stdin>' : file, text: text.value });
    else unopened.push(message('fatal', `Input file '${file}' could not be opened`));
  }
  return { inputs, unopened };
}

function verifyOptionsOf({ values }: ReadOptions): VerifyOptions {
  const printed = values.has('warning-as-error') ? 'refuse' : 'print';
  return {
    architecture: architectureOf(values.get('gpu-name') ?? 'sm_75'),
    isPart: values.has('compile-only'),
    warnings: values.has('disable-warnings') ? 'hide' : printed,
    entries: values.get('entry')?.split(',') ?? [],
    allowUnverified: values.has('allow-unverified'),
  };
}

/**
 * The output of `-v`. Instead of this summary, ptxas prints register and memory usage, which only its own code
 * generator can determine.
 */
function summary({ kernels, instructions }: Verification, { architecture }: VerifyOptions): readonly string[] {
  const { verified, all } = instructions;
  return [
    ...kernels.map((name) => message('info', `Verifying entry function '${name}' for '${architecture.target.name}'`)),
    message('info', `Verified ${verified} of ${all} instructions; no code was generated`),
  ];
}

/** The reason why the requested output file cannot be written; null if no output file was requested. */
function unwritable({ values }: ReadOptions, { architecture }: VerifyOptions): string | null {
  const path = values.get('output-file') ?? '/dev/null';
  if (path === '/dev/null' || !architecture.isReal) return null;
  return `ptxlab verifies PTX but generates no machine code, so '${path}' was not written; use -o /dev/null`;
}
