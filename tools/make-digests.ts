/**
 * Creates digests/conversions.json, which contains the digests of all conversions with at most 32 input bits. `ptxlab
 * sweep --published` compares its results with these digests. For conversions with at most 16 input bits, the reference
 * engine computes the digests; for all others, `ptxlab sweep` computes them. Digests already in the file are kept, so
 * an interrupted run can be continued.
 *
 * npm run build && tsx tools/make-digests.ts [pattern of mnemonics]
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { processSession } from '../src/cli/process-session.ts';
import { DigestFile } from '../src/cli/sweep/digest-file.ts';
import { prepareEval } from '../src/evaluation/prepare.ts';
import { expand } from '../src/isa/expand.ts';
import { allForms } from '../src/isa/table.ts';
import { digestWord } from '../src/jit/arrays/digest.ts';
import { prepareSweep, type Sweep } from '../src/sweep.ts';

const path = fileURLToPath(new URL('../digests/conversions.json', import.meta.url));
const anywhere = { target: null, version: null } as const;
const pattern = new RegExp(process.argv[2] ?? '');

function sweeps(): readonly Sweep[] {
  const mnemonics = new Set([...expand(allForms())].map(({ mnemonic }) => mnemonic));
  return [...mnemonics]
    .filter((mnemonic) => mnemonic.startsWith('cvt.') && pattern.test(mnemonic))
    .flatMap((mnemonic) => {
      const sweep = prepareSweep(mnemonic, anywhere);
      return sweep.ok ? [sweep.value] : [];
    });
}

/** The digest of all results, computed by the reference engine. */
function referenceDigest({ mnemonic, inputBits, plan }: Sweep): number {
  const prepared = prepareEval(mnemonic, null, anywhere, {});
  if (!prepared.ok) throw new Error(prepared.error.message);
  const { inputs, run } = prepared.value.evaluator;
  const fixed = new Map(plan.fixed);
  let digest = 0;
  for (let input = 0; input < 2 ** inputBits; input++) {
    const [result = 0] = run(inputs.map(({ name }) => fixed.get(name) ?? input));
    digest = digestWord(digest, Number(BigInt.asUintN(32, BigInt(result))));
    if (plan.resultWidth > 32) digest = digestWord(digest, Number(BigInt(result) >> 32n));
  }
  return digest;
}

const all = sweeps();
const narrow = all.filter(({ inputBits }) => inputBits <= 16);
// Fast conversions come first.
const wide = all.filter(({ inputBits }) => inputBits > 16).sort((a, b) => b.kernel.lanes - a.kernel.lanes);
const file = await DigestFile.read(path, processSession, true);
for (const sweep of narrow) {
  const known = file.of(sweep.name);
  if (!known.has(0)) known.set(0, referenceDigest(sweep));
}
await file.write();
process.stderr.write(`${narrow.length} by the reference engine; ${wide.length} to sweep\n`);

const main = fileURLToPath(new URL('../dist/bin/ptxlab.js', import.meta.url));
const left = wide.filter(({ name, chunks }) => file.sweeps.get(name)?.size !== chunks).map(({ mnemonic }) => mnemonic);
if (left.length > 0)
  spawnSync(process.execPath, [main, 'sweep', '--quiet', '--out', path, ...left], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
