/**
 * Checks files in the order given, several times in one process, and prints the cost as JSON: the user and system time
 * of the first pass, including start-up, the times of each later pass, and the peak memory. It runs the built package,
 * as users would.
 *
 *     node test/bench/check-passes.mjs PASSES FILE …
 */
import { readFileSync } from 'node:fs';
import { check } from '../../dist/index.js';

const [passes, ...files] = process.argv.slice(2);
const seconds = [];
for (let pass = 0; pass < Number(passes); pass++) {
  const before = process.cpuUsage();
  for (const file of files) check(readFileSync(file, 'latin1'));
  const { user, system } = pass === 0 ? process.cpuUsage() : process.cpuUsage(before);
  seconds.push((user + system) / 1e6);
}
console.log(JSON.stringify({ seconds, mebibytes: process.resourceUsage().maxRSS / 1024 }));
