/**
 * One process that checks files in the order given, several times, and prints what it took as JSON: its user and system
 * time up to the end of the first pass, its start included, that of every later pass, and the peak of its memory. It runs
 * what is built, as strangers do.
 *
 * usage: node test/bench/check-passes.mjs PASSES FILE …
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
