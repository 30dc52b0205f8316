/**
 * Compares the checker with a ptxas on this machine on real modules with one or two tokens changed, or for another
 * version and target. Prints every module on which the two disagree: the change, and what each says. Many of these
 * disagreements are peculiarities of ptxas that docs/spec-questions.md lists.
 *
 *     tsx tools/mutate-modules.ts COUNT SEED FILE.ptx …
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from '../src/check/check.ts';
import { formatVersion, targets, versions } from '../src/isa/targets.ts';
import { scratchFolder } from '../test/bench/scratch-folder.ts';
import { randomSource } from '../test/kernels/reference.ts';

const [count = 1000, seed = 1] = process.argv.slice(2, 4).map(Number);
const files = process.argv.slice(4);
const random = randomSource(seed);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

interface Module {
  readonly file: string;
  readonly header: string;
  readonly body: string;
}

/** The maximum size of a module in characters, because ptxas runs thousands of times. */
const longest = 14_000;

/** The functions of a file, each as a module of its own if it is legal by itself; a short file is not split. */
function modulesOf(file: string): readonly Module[] {
  const text = readFileSync(file, 'utf8').replace(/^\s*\/\/.*$/gm, '');
  const header = /\.version[^\n]*\s*\.target[^\n]*\s*(\.address_size[^\n]*\s)?/.exec(text)?.[0] ?? '';
  const behind = text.slice(text.indexOf(header) + header.length);
  const parts = text.length < longest ? [behind] : behind.split(/(?=^\.(?:visible|weak|extern|func|entry)[^;]*?\()/m);
  const modules = parts.map((body) => ({ file, header, body }));
  return modules.filter(({ body }) => body.length < longest && /^}/m.test(body) && isLegal(header + body));
}

function isLegal(text: string): boolean {
  return ourFirst(text) === null;
}

/** The checker's first error, or null. */
function ourFirst(text: string): string | null {
  const error = check(text).diagnostics.find(({ severity }) => severity === 'error');
  return error === undefined ? null : `${error.code} ${error.message}`;
}

const folder = scratchFolder();

/** The first complaint of ptxas; null if it accepts the module, undefined if it cannot tell. */
function theirFirst(text: string): string | null | undefined {
  const file = join(folder, 'm.ptx');
  writeFileSync(file, text);
  const arch = /\.target\s+(sm_\w+)/.exec(text)?.[1] ?? '';
  const run = spawnSync('ptxas', ['-c', '-O0', `-arch=${arch}`, file, '-o', '/dev/null'], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  const said = run.stdout + run.stderr;
  // ptxas compiles for fewer targets than it knows, does not support 32-bit addresses, and ignores limits on memory.
  if (run.status === null || /is not defined for option|32-Bit|Memory allocation failure/.test(said)) return undefined;
  return run.status === 0 ? null : (/(error|fatal)\s*:.*/.exec(said)?.[0] ?? said);
}

const token = /\/\/[^\n]*|"[^"\n]*"|[.%$_A-Za-z][\w$]*|\d[\w.]*|\s+|./g;
const dotted =
  '.u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .b8 .b16 .b32 .b64 .b128 .f16 .f16x2 .bf16 .f32 .f64 .pred .rn .rz .ftz .sat .lo .hi .wide .global .shared .local .param .const .volatile .v2 .v4 .relaxed .acquire .gpu .sys .cta .approx .to .uni .sync .x .y .aligned .relu .satfinite .noreturn .align .visible .weak .extern .common .reg .maxntid .pragma .unified'.split(
    ' ',
  );
const plain =
  '0 1 -1 2 7 32 33 64 256 65536 4294967295 0x7fffffff 0x80000000 1.0 0f3F800000 0d3FF0000000000000 1U 017 08 %r1 %rd1 %f1 %p1 %rs1 %tid.x %clock64 %cluster_ctarank WARP_SZ _ {} {%r1,%r2} [%rd1] [%rd1+4] !%p1 -%r1 %r1|%p1 %r1.x'.split(
    ' ',
  );

function changed(old: string, solid: readonly string[]): string {
  const roll = random();
  if (roll < 0.12) return '';
  if (roll < 0.2) return `${old} ${old}`;
  if (roll < 0.5) return pick(solid);
  if (old.startsWith('.')) return pick(dotted);
  return roll < 0.6 ? old + pick(dotted) : pick(plain);
}

interface Mutant {
  readonly text: string;
  readonly what: string;
}

function mutated({ header, body }: Module): Mutant {
  const tokens = (header + body).match(token) ?? [];
  const solid = tokens.filter((text) => /\S/.test(text) && !text.startsWith('//'));
  const notes: string[] = [];
  for (let left = random() < 0.8 ? 1 : 2; left > 0; left--) {
    const at = Math.floor(random() * tokens.length);
    const old = tokens[at] ?? '';
    if (!/\S/.test(old)) continue;
    tokens[at] = changed(old, solid);
    notes.push(`line ${tokens.slice(0, at).join('').split('\n').length}: ${old} -> ${tokens[at]}`);
  }
  return { text: tokens.join(''), what: notes.join('; ') };
}

/** The same module for another version and target. */
function moved({ body }: Module): Mutant {
  const target = pick(targets.filter(({ sm }) => sm >= 75));
  const version = formatVersion(pick(versions.filter((one) => one >= 500 && one <= 900)));
  return {
    text: `.version ${version}\n.target ${target.name}\n.address_size 64\n${body}`,
    what: `${version} ${target.name}`,
  };
}

const modules = files.flatMap(modulesOf);
if (modules.length === 0) throw new Error('no module to begin with: name files of PTX');
let disagreements = 0;
for (let i = 0; i < count; i++) {
  const module = pick(modules);
  const { text, what } = random() < 0.8 ? mutated(module) : moved(module);
  const theirs = theirFirst(text);
  const ours = ourFirst(text);
  if (theirs === undefined || (theirs === null) === (ours === null)) continue;
  disagreements++;
  console.log(`${module.file} ${what}\n  ptxas: ${theirs ?? 'accepts'}\n  ours:  ${ours ?? 'accepts'}`);
}
console.log(`${count} of ${modules.length} modules, ${disagreements} disagreements`);
