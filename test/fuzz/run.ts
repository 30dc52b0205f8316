/**
 * `npm run test:fuzz -- --minutes N` runs the fuzz tests in this folder repeatedly, with fresh seeds, until N minutes
 * have passed or a property fails. Without `--minutes`, they run once. All other arguments are passed on to vitest.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values, tokens } = parseArgs({
  options: { minutes: { type: 'string' } },
  allowPositionals: true,
  strict: false,
  tokens: true,
});
const minutes = values.minutes === undefined ? 0 : Number(values.minutes);
if (!(minutes >= 0 && minutes <= 1440)) {
  process.stderr.write(`--minutes takes a number from 0 to 1440, not '${String(values.minutes)}'\n`);
  process.exit(2);
}
const rest = tokens.flatMap((token) => {
  if (token.kind === 'positional') return [token.value];
  if (token.kind !== 'option' || token.name === 'minutes') return [];
  return token.value === undefined ? [token.rawName] : [`${token.rawName}=${token.value}`];
});

const end = performance.now() + 60_000 * minutes;
let rounds = 0;
do {
  const { status } = spawnSync('npx', ['vitest', 'run', '--config', 'vitest.fuzz.config.ts', ...rest], {
    stdio: 'inherit',
  });
  rounds += 1;
  if (status !== 0) process.exit(status ?? 1);
} while (performance.now() < end);
process.stdout.write(`${rounds} ${rounds === 1 ? 'round' : 'rounds'} without a failure\n`);
