/**
 * Runs the command line in one of two ways: in this process, which takes a few milliseconds, or in a separate process,
 * as a user would, which takes about 200 ms. Tests of anything that involves the process itself (signals, pipes,
 * threads, startup) need a separate process. If the built program is not up to date, it is built before the process
 * starts.
 */
import { spawn, spawnSync, type SpawnOptionsWithoutStdio } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { compiledFolder } from '../../src/cli/bundle/compiled-files.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';

export const root: string = fileURLToPath(new URL('../..', import.meta.url));
export const mainFile: string = join(root, 'dist/bin/ptxlab.js');

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `ptxlab` in this process, with its own streams and environment. */
export async function ptxlab(args: readonly string[], { input = '', env = {} }: RunOptions = {}): Promise<Outcome> {
  const stdout = new TextStream();
  const stderr = new TextStream();
  const code = await runCommandLine(args, {
    stdin: () => chunksOf(input),
    stdout,
    stderr,
    env: { LANG: 'C.UTF-8', ...env },
    interruptible: (work) => work(new AbortController().signal),
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

async function* chunksOf(input: string | Uint8Array): AsyncGenerator<Buffer> {
  yield Buffer.from(input);
}

class TextStream extends Writable {
  private readonly chunks: Buffer[] = [];

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.chunks).toString();
  }
}

interface ProcessOptions extends RunOptions {
  readonly cwd?: string;
}

/**
 * Runs the built `ptxlab` in a process of its own, independently of the colors, locale and terminal of the test run.
 */
export async function spawned(args: readonly string[], options: ProcessOptions = {}): Promise<Outcome> {
  const child = await start(args, options);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A program that ends without reading its input closes the pipe early.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}

/** Starts `ptxlab` and returns the process, for tests that interact with it while it runs. */
export async function start(
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<ReturnType<typeof spawnNode>> {
  await built();
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, LANG: 'C.UTF-8', ...options.env };
  return spawnNode([mainFile, ...args], { env, ...(options.cwd === undefined ? {} : { cwd: options.cwd }) });
}

function spawnNode(args: readonly string[], options: SpawnOptionsWithoutStdio) {
  return spawn(process.execPath, args, options);
}

/**
 * Creates an empty folder for a test file. The folder is removed after all tests of the file have run. This function
 * must be called where the tests are declared, not inside a test.
 */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ptxlab-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates an empty folder for one test, inside the folder of its test file. */
export function scratchIn(folder: string): string {
  return mkdtempSync(join(folder, 'test-'));
}

/** Writes a file into a folder and returns its path. */
export function put(folder: string, name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Returns a module that contains a single kernel with the given body. */
export function moduleOf(body: string, target = 'sm_80', version = '8.0'): string {
  return `.version ${version}\n.target ${target}\n.address_size 64\n.visible .entry k()\n{\n${body}\nret;\n}\n`;
}

// --- building -------------------------------------------------------------------------------------------------------

let ready: Promise<void> | null = null;

/** Resolves when `dist`, from which the command line and worker threads are run, is up to date. */
export function built(): Promise<void> {
  ready ??= build();
  return ready;
}

/** Several test files may run at the same time. One of them builds the program, and the others wait for it. */
async function build(): Promise<void> {
  const lock = join(root, 'dist/.cli-test-lock');
  mkdirSync(join(root, 'dist'), { recursive: true });
  while (isStale()) {
    if (!take(lock)) {
      await sleep(200);
      continue;
    }
    try {
      compile();
    } finally {
      rmSync(lock, { force: true });
    }
  }
}

/**
 * `npm run build` writes this file last. If it is newer than all sources, the program does not have to be built again.
 */
const lastBuilt = join(root, 'dist/bin/THIRD-PARTY.txt');

function isStale(): boolean {
  // Another process may be building, and may have removed the file.
  const last = statSync(lastBuilt, { throwIfNoEntry: false });
  // If the compiled code is missing, a different version of Node has built the program.
  if (last === undefined || !existsSync(compiledFolder(dirname(mainFile)))) return true;
  return Math.max(newest(join(root, 'src')), newest(join(root, 'tools'))) > last.mtimeMs;
}

function newest(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = entries.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return Math.max(...sources.map((name) => statSync(join(folder, name)).mtimeMs));
}

/**
 * The lock file contains the id of the process that is building. If that process no longer exists, for example because
 * it was killed, the other processes do not wait for it.
 */
function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!isRunning(lock)) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function isRunning(lock: string): boolean {
  try {
    return process.kill(Number(readFileSync(lock, 'utf8')), 0);
  } catch {
    return false;
  }
}

function compile(): void {
  const made = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root });
  if (made.status !== 0) throw new Error(`the build failed:\n${made.stdout.toString()}${made.stderr.toString()}`);
}
