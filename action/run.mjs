/**
 * The steps of action.yml: `install` puts ptxlab into the runner's temporary folder, `check` writes annotations, a SARIF file
 * and a summary, and `finish` fails the job if there were errors. Inputs arrive as environment variables, never as parts
 * of a command line that a shell reads.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const { env } = process;
const temporary = env.RUNNER_TEMP ?? '.';
const program = env.PTXLAB_PROGRAM ?? join(temporary, 'ptxlab/node_modules/ptxlab/dist/bin/ptxlab.js');

/** A message that GitHub shows at the run. */
function annotate(kind, text) {
  const escaped = text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  process.stdout.write(`::${kind}::${escaped}\n`);
}

/** Appends to one of the files that GitHub reads after the step; the delimiter cannot occur in the value. */
function setOutput(name, value) {
  const end = randomUUID();
  if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}

/** Prints text in which GitHub must not find commands. */
function printSafely(text) {
  const token = randomUUID();
  process.stdout.write(`::stop-commands::${token}\n${text}\n::${token}::\n`);
}

function install() {
  if (existsSync(program)) return 0;
  const version = env.PTXLAB_VERSION ?? '';
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
    annotate('error', `'${version}' is not a version of ptxlab`);
    return 2;
  }
  const args = ['install', '--prefix', join(temporary, 'ptxlab'), '--ignore-scripts', '--no-audit', '--no-fund'];
  // On Windows, npm is a script, which only a shell can start; the version has no characters that a shell heeds.
  const npm = spawnSync('npm', [...args, `ptxlab@${version}`], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  return npm.status ?? 2;
}

/** The pattern as an expression for paths with slashes. */
function expressionOf(pattern) {
  const source = pattern
    .replaceAll('\\', '/')
    .replace(/^\.\//, '')
    .replace(/[.+^$()|[\]]/g, String.raw`\$&`)
    .replace(/\{([^{}]*)\}/g, (_, choices) => `(?:${choices.replaceAll(',', '|')})`)
    .replace(/[{}]/g, String.raw`\$&`)
    .replace(/\*\*\/|\*\*|\*|\?(?!:)/g, (star) => ({ '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' })[star]);
  return new RegExp(`^${source}$`);
}

/**
 * The files and folders that the patterns stand for. A pattern that is a path stands for it; `ptxlab check` looks for
 * modules in folders. Hidden folders are searched only for patterns that name one, and
 * node_modules are not searched.
 */
function filesOf(patterns) {
  const wanted = patterns
    .filter((pattern) => !existsSync(pattern))
    .map((pattern) => ({ pattern, expression: expressionOf(pattern) }));
  const namesHidden = wanted.some(({ pattern }) => /(?:^|\/)\.[^./]/.test(pattern));
  const matched = new Set();
  const found = patterns.filter((pattern) => existsSync(pattern));
  const look = (path) => {
    const matching = wanted.filter(({ expression }) => expression.test(path));
    for (const { pattern } of matching) matched.add(pattern);
    if (matching.length > 0) found.push(path);
  };
  const search = (folder) => {
    for (const entry of readdirSync(folder === '' ? '.' : folder, { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const isLeftOut =
        entry.name === 'node_modules' || entry.name === '.git' || (entry.name.startsWith('.') && !namesHidden);
      if (entry.isDirectory() && !isLeftOut) search(path);
      else if (entry.isFile() || isLinkedFile(entry, path)) look(path);
    }
  };
  if (wanted.length > 0) search('');
  // A name that begins with a dash would be an option.
  const files = found.toSorted((a, b) => (a < b ? -1 : 1)).map((path) => (path.startsWith('-') ? `./${path}` : path));
  return {
    files: [...new Set(files)],
    unmatched: wanted.map(({ pattern }) => pattern).filter((one) => !matched.has(one)),
  };
}

function isLinkedFile(entry, path) {
  return entry.isSymbolicLink() && (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false);
}

function ptxlab(format, files, options) {
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    [program, 'check', '--color', 'never', '--format', format, ...options, '--', ...files],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  return { status: status ?? 2, stdout: stdout ?? '', stderr: error === undefined ? stderr : error.message };
}

const everything = '**/*.ptx';

function check() {
  const lines = (env.PTXLAB_FILES ?? everything).split('\n').map((line) => line.trim());
  const patterns = lines.filter((line) => line !== '');
  const { files, unmatched } = filesOf(patterns);
  const { PTXLAB_TARGET: target = '', PTXLAB_BASELINE: baseline = '' } = env;
  const options = [
    ...(target === '' ? [] : ['--target', target]),
    ...(baseline === '' ? [] : ['--baseline', baseline]),
    ...(env.PTXLAB_WARNINGS_AS_ERRORS === 'true' ? ['-Werror'] : []),
  ];
  // A repository may have no modules, but a pattern that somebody wrote is meant to match some.
  const mistakes = unmatched.filter((pattern) => pattern !== everything);
  for (const pattern of mistakes) annotate('error', `no file matches ${pattern}`);
  if (files.length === 0 || mistakes.length > 0) {
    if (mistakes.length === 0) annotate('warning', `no file matches ${patterns.join(' ')}`);
    setOutput('findings', 0);
    setOutput('exit', mistakes.length === 0 ? 0 : 2);
    return 0;
  }
  const annotations = ptxlab('github', files, options);
  process.stdout.write(annotations.stdout);
  printSafely(annotations.stderr);
  const { status, stdout } = ptxlab('sarif', files, ['--quiet', ...options]);
  const path = join(temporary, 'ptxlab.sarif');
  if (status !== 2) writeFileSync(path, stdout);
  const findings = annotations.stdout.split('\n').filter((line) => line.startsWith('::')).length;
  setOutput('findings', findings);
  setOutput('sarif', status === 2 ? '' : path);
  setOutput('exit', annotations.status);
  summarize(annotations.stderr, findings);
  // The job fails in the last step, so that the SARIF file is uploaded first.
  return 0;
}

/** The run shows at most ten annotations of a kind for each step; the summary has all counts. */
function summarize(text, findings) {
  if (!env.GITHUB_STEP_SUMMARY) return;
  const indented = text.trimEnd().replace(/^/gm, '    ');
  const words = `${findings} ${findings === 1 ? 'finding' : 'findings'}`;
  appendFileSync(env.GITHUB_STEP_SUMMARY, `### ptxlab check: ${words}\n\n${indented}\n`);
}

function finish() {
  const { PTXLAB_EXIT: exit } = env;
  if (exit === '0') return 0;
  annotate('error', exit === '1' ? 'PTX modules have errors' : 'ptxlab could not check all files');
  return exit === '1' ? 1 : 2;
}

const steps = { install, check, finish };
const [step = ''] = process.argv.slice(2);
process.exitCode = Object.hasOwn(steps, step) ? steps[step]() : 2;
