/**
 * How PTX, OCP, ml_dtypes and torch convert one value, and why they differ.
 *
 *   node examples/compare-semantics.mjs values for which the stacks disagree node examples/compare-semantics.mjs 470
 *   e4m3 your own value and format, in any spelling
 */
import { compareSemantics, PtxlabError } from 'ptxlab/arrays';

const disputed = [
  [470, 'e4m3'],
  [Number.NaN, 'e2m1'],
  [70_000, 'e5m2'],
  [3, 'ue8m0'],
];

const [value, to] = process.argv.slice(2);
const questions = value === undefined ? disputed : [[Number(value), to ?? 'e4m3']];

for (const [number, format] of questions) {
  try {
    const { from, source, to: destination, results, agree, sentence } = compareSemantics(number, { to: format });
    console.log(`${source.value} (${from}) to ${destination}`);
    for (const result of results) {
      const bits = result.bits === null ? '' : `0x${result.bits.toString(16)}`;
      console.log(`  ${result.semantics.padEnd(10)} ${bits.padEnd(6)} ${result.value || 'has no such conversion'}`);
    }
    console.log(agree ? '  all agree\n' : `  ${sentence}\n`);
  } catch (error) {
    if (!(error instanceof PtxlabError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
