/**
 * Compares the checker with the ptxas that is installed on this machine. Uses random legal and nearly legal
 * instructions, which are made from the tables for random versions and targets. Prints every line on which the two
 * disagree.
 *
 * tsx tools/compare-ptxas.ts [--modules 20] [--seed 1] [--opcode cvt] [--from 6.0] [--to 9.0] [--ptxas FILE]
 *                            [--record FILE]
 *
 * --from and --to specify the first and the last PTX version to use. Versions later than 9.0 require a newer ptxas.
 * With --record, every line that ptxas accepted or rejected is written to FILE as a case for test/golden. Cases in
 * which the two disagree are marked as quirks: check each of them before you keep it.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { check } from '../src/check/check.ts';
import { SourceText } from '../src/base/source-text.ts';
import { formsAt } from '../src/explain/form-listing.ts';
import { expandForm } from '../src/isa/expand.ts';
import { allForms } from '../src/isa/table.ts';
import { formatVersion, parseVersion, targets, versions } from '../src/isa/targets.ts';
import { scratchFolder } from '../test/bench/scratch-folder.ts';
import { randomSource } from '../test/kernels/reference.ts';

const { values: options } = parseArgs({
  options: {
    modules: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    opcode: { type: 'string' },
    from: { type: 'string', default: '6.0' },
    to: { type: 'string', default: '9.0' },
    ptxas: { type: 'string', default: 'ptxas' },
    record: { type: 'string' },
  },
});
const count = Number(options.modules);
const { opcode: onlyOpcode, record } = options;
const cases: string[] = [];
const perModule = 300;

const random = randomSource(Number(options.seed));
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

const registerTypes = [
  'pred',
  'b8',
  'b16',
  'b32',
  'b64',
  'u8',
  'u16',
  'u32',
  'u64',
  's8',
  's16',
  's32',
  's64',
  'f16',
  'f32',
  'f64',
];

const forms = allForms().filter((form) => onlyOpcode === undefined || form.id.split('.')[0] === onlyOpcode);
const mnemonics = forms.map((form) => {
  const found: string[] = [];
  for (const variant of expandForm(form, { inert: 'each' })) {
    found.push(variant.mnemonic);
    if (found.length >= 3000) break;
  }
  return { form, found };
});
const wordsOf = (mnemonic: string): readonly string[] => mnemonic.split('.').slice(1);
/** The modifiers of all instructions, and those of the instructions with the same opcode. */
const words = new Map<string, readonly string[]>();
for (const { form, found } of mnemonics) {
  const opcode = form.id.split('.')[0] ?? '';
  words.set(opcode, [...new Set([...(words.get(opcode) ?? []), ...found.flatMap(wordsOf)])]);
}
const allWords = [...new Set([...words.values()].flat())];

function mutate(mnemonic: string): string {
  const roll = random();
  const parts = mnemonic.split('.');
  const own = words.get(parts[0] ?? '') ?? [];
  const extra = own.length > 0 && random() < 0.5 ? pick(own) : pick(allWords);
  if (roll < 0.6) return mnemonic;
  if (roll < 0.8 && parts.length > 2) {
    parts.splice(1 + Math.floor(random() * (parts.length - 1)), 1);
    return parts.join('.');
  }
  if (roll < 0.9) {
    parts.splice(1 + Math.floor(random() * parts.length), 0, extra);
    return parts.join('.');
  }
  parts[1 + Math.floor(random() * (parts.length - 1))] = extra;
  return parts.join('.');
}

function atom(type: string | null): string {
  const roll = random();
  if (type !== null && roll < 0.75) return `%${type}_${Math.floor(random() * 4)}`;
  if (roll < 0.93) return `%${pick(registerTypes)}_${Math.floor(random() * 4)}`;
  return pick(['1', '-1', '0x10', '1.5', '0f3F800000', '0d3FF0000000000000', '%tid.x', '%clock64', 'gb', 'sb', '_']);
}

function operandOf(name: string, mnemonic: string): string {
  const types = mnemonic.split('.').filter((part) => registerTypes.includes(part));
  const type =
    types.length === 0
      ? null
      : pick([types[0] as string, types[types.length - 1] as string, `b${(types[0] as string).slice(1)}`]);
  if (name === '[a]') return pick(['[gb]', '[sb]', '[cb]', '[lb]', '[kp]', '[%u64_0]', '[%u64_0+8]', '[%s64_1+-4]']);
  const lanes = /\.v(\d)/.exec(mnemonic)?.[1];
  if (lanes !== undefined && random() < 0.9)
    return `{${Array.from({ length: Number(lanes) }, () => atom(type)).join(', ')}}`;
  return atom(type);
}

/** Creates a random instruction. In most cases, its form is one that exists for the module's version and target. */
function instruction(here: typeof mnemonics): string {
  const { form, found } = pick(random() < 0.9 ? here : mnemonics);
  const mnemonic = mutate(pick(found));
  const operands = form.operands.map((pattern) => {
    if (pattern.kind === 'address') return operandOf('[a]', mnemonic);
    if (pattern.kind === 'vector') return `{${pattern.elements.map(() => atom('f32')).join(', ')}}`;
    if (pattern.kind === 'label') return 'L0';
    if (pattern.kind === 'lanes') return operandOf(pattern.name, mnemonic);
    if (pattern.kind === 'value' && typeof pattern.type === 'string') return atom(pattern.type.slice(1));
    if (pattern.kind === 'pair' && pattern.first.kind === 'vector') return operandOf(pattern.name, mnemonic);
    if (pattern.kind === 'pair') return random() < 0.7 ? atom('pred') : `${atom('pred')}|${atom('pred')}`;
    return operandOf(pattern.name, mnemonic.replace(/\.v\d/, ''));
  });
  if (random() < 0.04) operands.pop();
  return `${mnemonic} ${operands.join(', ')};`;
}

const known = versions.filter(
  (version) => version >= parseVersion(options.from) && version <= parseVersion(options.to),
);
const folder = scratchFolder();

interface Verdicts {
  /** The lines that ptxas rejects, with its messages. */
  readonly theirs: ReadonlyMap<number, string>;
  /** The lines that the checker rejects. */
  readonly ours: ReadonlySet<number>;
}

/**
 * Compares the verdicts on all lines in one module. After a fatal error or a crash, ptxas reports nothing about the
 * other lines, so the lines are split into two halves, and each half is compiled in a module of its own.
 */
function verdicts(version: number, target: string, lines: readonly string[]): Verdicts {
  const { fatal, ...whole } = judge(version, target, lines);
  if (fatal === '') return whole;
  if (lines.length === 1) return { ...whole, theirs: new Map([[0, [...whole.theirs.values()][0] ?? fatal]]) };
  const half = lines.length >> 1;
  const first = verdicts(version, target, lines.slice(0, half));
  const second = verdicts(version, target, lines.slice(half));
  return {
    theirs: new Map([...first.theirs, ...[...second.theirs].map(([i, said]) => [i + half, said] as const)]),
    ours: new Set([...first.ours, ...[...second.ours].map((i) => i + half)]),
  };
}

function judge(version: number, target: string, lines: readonly string[]): Verdicts & { readonly fatal: string } {
  const generation = Number(/\d+/.exec(target)?.[0]);
  const b128 = version >= 803 && generation >= 70 ? '.reg .b128 %b128_<4>;' : '';
  const packed = version >= 402 && generation >= 53 ? '.reg .f16x2 %f16x2_<4>;' : '';
  const parameter = '.param .align 16 .b8 kp[64]';
  const addressSize = version >= 203 ? '.address_size 64' : '';
  const declarations = registerTypes.map((type) => `.reg .${type} %${type}_<4>;`).join(' ');
  const head = `.version ${formatVersion(version)}\n.target ${target}\n${addressSize}\n.global .align 16 .b8 gb[64]; .shared .align 16 .b8 sb[64]; .const .align 16 .b8 cb[64];\n.visible .entry k${version >= 104 ? `(${parameter})` : ''} {\n${version >= 104 ? '' : `${parameter};`} ${declarations} ${packed} ${b128} .local .align 16 .b8 lb[64];\nL0:\n`;
  const source = `${head}${lines.join('\n')}\nret; }\n`;
  const first = head.split('\n').length;
  const file = join(folder, 'm.ptx');
  writeFileSync(file, source);
  const run = spawnSync(options.ptxas, ['-arch', generation < 75 ? 'sm_75' : target, '-O0', '-o', '/dev/null', file], {
    encoding: 'utf8',
  });
  const theirs = new Map<number, string>();
  for (const found of run.stderr.matchAll(/line (\d+); (?:error|fatal)\s*: (.*)/g)) {
    theirs.set(Number(found[1]) - first, found[2] as string);
  }
  const crashed = run.status !== 0 && run.status !== 255 ? 'crash' : '';
  const fatal = /fatal(?!.*aborted due to errors).*/.exec(run.stderr)?.[0] ?? crashed;
  const text = new SourceText(source);
  const ours = new Set<number>();
  for (const diagnostic of check(source).diagnostics) {
    if (diagnostic.severity === 'error') ours.add(text.position(diagnostic.span.start).line - first);
  }
  return { theirs, ours, fatal };
}

let total = 0;
let legal = 0;
const disagreements = new Map<string, string>();
for (let m = 0; m < count; m++) {
  const versionsOf = (since: number): typeof known => known.filter((candidate) => candidate >= since);
  const target = pick(targets.filter(({ sm, since }) => sm !== 82 && sm !== 101 && versionsOf(since).length > 0));
  const version = pick(versionsOf(target.since));
  const existing = new Set(formsAt({ version, target }, null).map(({ form }) => form.id));
  const here = mnemonics.filter(({ form }) => existing.has(form.id));
  if (here.length === 0) continue;
  const lines = Array.from({ length: perModule }, () => instruction(here));
  const result = verdicts(version, target.name, lines);
  lines.forEach((line, i) => {
    total++;
    const said = result.theirs.get(i);
    const ok = said === undefined;
    if (ok) legal++;
    const agrees = ok === !result.ours.has(i);
    const found = { version: formatVersion(version), target: target.name, inst: line, ok };
    cases.push(JSON.stringify(agrees ? found : { ...found, quirk: said ?? 'accepted' }));
    if (agrees) return;
    const verdict = ok ? 'ptxas accepts' : `ptxas refuses (${said})`;
    disagreements.set(
      `${line.split(' ')[0]} ${verdict}`,
      `${formatVersion(version)} ${target.name}  ${line}  ${verdict}`,
    );
  });
}
for (const text of disagreements.values()) console.log(text);
console.log(`${total} lines, ${legal} legal by ptxas, ${disagreements.size} kinds of disagreement`);
if (record !== undefined) writeFileSync(record, `${cases.join('\n')}\n`);
process.exitCode = disagreements.size === 0 ? 0 : 1;
