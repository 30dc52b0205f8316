/**
 * Lists the instructions in test/golden that ptxas accepted or that have recorded values. Also finds the case names of
 * a mnemonic.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { resolveMnemonic } from '../../src/check/instructions/resolve.ts';
import { foldedValues } from '../golden/folded.ts';
import { caseFiles, readCases } from '../golden/module-cases.ts';
import { families, instructionsOf } from '../golden/vectors.ts';
import { caseName } from './case-name.ts';

const verdictFiles = [
  'legality',
  'legality-basic',
  'legality-more',
  'legality-values',
  'legality-warp',
  'legality-matrix',
  'legality-async',
  'legality-tensor',
  'legality-textures',
  'legality-later',
];

interface Verdict {
  readonly inst?: string;
  readonly body?: string | null;
  readonly ok?: boolean;
  /** Why the checker deliberately disagrees with a verdict of ptxas. */
  readonly quirk?: string;
}

function linesOf(name: string): readonly string[] {
  const bytes = readFileSync(new URL(`../golden/${name}`, import.meta.url));
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').trim().split('\n');
}

/** The mnemonics of the instructions in a text. */
function mnemonicsIn(text: string): readonly string[] {
  // Whitespace may precede a dot.
  const found = text
    .replaceAll(/(?<=\w)\s+(?=\.)/g, '')
    .matchAll(/(?:^|[;\n])[ \t]*(?:\w+:\s*)?(?:@!?%?\w+\s+)?([a-z][a-z0-9]*(?:[.:]+\w+)*)(?=\s|;)/g);
  return [...found].flatMap(([, mnemonic]) => (mnemonic === undefined ? [] : [mnemonic]));
}

/** The mnemonics of every recorded instruction that ptxas accepted, and of every instruction with recorded values. */
export function goldenMnemonics(): ReadonlySet<string> {
  const files = [...verdictFiles.map((name) => `${name}/cases.jsonl.gz`), 'legality-call/cases.jsonl'];
  const verdicts = files.flatMap(linesOf).map((line): Verdict => JSON.parse(line));
  const accepted = verdicts
    .filter(({ ok, quirk }) => ok === true && quirk === undefined)
    .flatMap(({ inst, body }) => mnemonicsIn(inst ?? body ?? ''));
  const modules = caseFiles()
    .flatMap(readCases)
    .filter(({ title, verdict }) => verdict === 'accepted' && !title.startsWith('quirk:'));
  const inModules = modules.flatMap(({ source }) => mnemonicsIn(source));
  const valued = [...families().flatMap(instructionsOf), ...foldedValues()].map(({ inst }) => inst);
  return new Set([...accepted, ...inModules, ...valued]);
}

/**
 * The case names of a mnemonic, one for each variant that the operands may select. Null if no form has the mnemonic.
 */
export function casesOf(mnemonic: string): readonly string[] | null {
  const resolution = resolveMnemonic(mnemonic);
  // A PTX instruction that is not in the table has no cases.
  if (resolution.kind === 'unchecked') return [];
  return resolution.kind === 'variants' ? resolution.variants.map(caseName) : null;
}
