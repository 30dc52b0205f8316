/**
 * Measures the time that it takes to load a module and run its first block, both in a fresh process and in a process
 * that has already run other kernels.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Row } from './run-kernels.ts';

const device = new URL('../../dist/device.js', import.meta.url).href;
const kernels = fileURLToPath(new URL('../../examples/kernels/quantize_sm89.ptx', import.meta.url));

/**
 * Prints the time of each run in milliseconds. The text is different in each run, so that no result comes from a cache.
 */
const script = `
import { readFileSync } from 'node:fs';
const { Device } = await import('${device}');
const text = readFileSync('${kernels}', 'utf8');
const long = '.version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry k() { .reg .b32 %r<3>;\\n' +
  'add.u32 %r1, %r1, %r2;\\n'.repeat(20000) + 'ret; }\\n';
const quantize = (device) => [device.alloc(new Float32Array(1024).fill(1.5)), device.alloc(1024), device.alloc(4), 1024];
async function once(source, name, args) {
  const started = performance.now();
  const device = await Device.create();
  const kernel = device.load(source).kernel(name);
  const result = await kernel.launch({ block: 128, args: args(device) });
  if (!result.ok) throw new Error(result.fault.message);
  console.log(performance.now() - started);
}
for (let i = 0; i < 9; i++) await once(text + '\\n'.repeat(i), 'quantize_rows_e4m3', quantize);
await once(long, 'k', () => []);
`;

const runs = 9;

export function firstBlockRows(): readonly Row[] {
  const all = Array.from({ length: runs }, () => {
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    if (run.status !== 0) throw new Error(run.stderr);
    return run.stdout.trim().split('\n').map(Number);
  });
  const median = (values: readonly number[]): string =>
    `${([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number).toFixed(1)} ms`;
  return [
    { what: 'text to first block, cold', figure: median(all.map(([first]) => first ?? 0)), beside: 'limit 50 ms' },
    { what: '  in a warm process', figure: median(all.flatMap((times) => times.slice(4, 9))), beside: 'quantize_sm89' },
    { what: '  20,000 instructions', figure: median(all.map((times) => times[9] ?? 0)), beside: 'limit 5 s' },
  ];
}
