/**
 * A tour from start to end: reads PTX made by nvcc, checks it, runs it on generated data, and prints the results. `npm
 * run demo`.
 */
import { readFileSync } from 'node:fs';
import { check } from 'ptxlab';
import { Device } from 'ptxlab/device';

const kernels = new URL('./kernels/', import.meta.url);
const read = (name) => readFileSync(new URL(name, kernels), 'utf8');
const title = (text) => console.log(`\n${text}\n${'-'.repeat(text.length)}`);

title('1. Check: is this PTX legal, and where?');
for (const name of ['bench_vecadd.ptx', 'quantize_sm89.ptx', 'blackwell_sm100a.ptx', 'collective_sm80.ptx']) {
  const { diagnostics, requirements } = check(read(name));
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const places = requirements.targets.map(({ target }) => target);
  const shown = places.length > 3 ? `${places[0]} and ${places.length - 1} later targets` : places.join(', ');
  console.log(
    `${name.padEnd(22)} ${errors} errors, .version ${requirements.minimumVersion} on ${requirements.target}; runs on ${shown}`,
  );
}

title('2. Refuse: the same MXFP4 kernel on sm_120 without its suffix');
const { diagnostics } = check(read('blackwell_sm100a.ptx'), { target: 'sm_120' });
const [first] = diagnostics.filter(({ severity }) => severity === 'error');
console.log(`${first.code}: ${first.message}\nhelp: ${first.help}`);

title('3. Run: one row of f32 to e4m3 and back, bit for bit as on sm_89');
const n = 16;
const row = Float32Array.from({ length: n }, (_, i) => Math.fround(Math.cos(i) * 2 ** (i - 8)));
const device = await Device.create();
const module = device.load(read('quantize_sm89.ptx'));
const [x, codes, scale, back] = [device.alloc(row), device.alloc(n), device.alloc(4), device.alloc(4 * n)];
const down = await module.kernel('quantize_rows_e4m3').launch({ grid: 1, block: 128, args: [x, codes, scale, n] });
const up = await module.kernel('dequantize_rows_e4m3').launch({ grid: 1, block: 128, args: [codes, scale, back, n] });
if (!down.ok || !up.ok) throw new Error(JSON.stringify(down.ok ? up : down));
const bytes = codes.read();
const restored = new Float32Array(back.read().buffer);
console.log(`scale ${new Float32Array(scale.read().buffer)[0]}`);
console.log('        f32   e4m3   back again        f32   e4m3   back again');
const cell = (i) =>
  `${row[i].toPrecision(5).padStart(11)}   0x${bytes[i].toString(16).padStart(2, '0')}   ${restored[i].toPrecision(5).padEnd(10)}`;
for (let i = 0; i < n / 2; i++) console.log(`${cell(i)}${cell(i + n / 2)}`);

title('4. Run: 4096 values to MXFP4, stochastic rounding included, as on sm_100a');
const values = Float32Array.from({ length: 4096 }, (_, i) => Math.fround(Math.sin(i * 12.9898) * 6));
const blackwell = device.load(read('blackwell_sm100a.ptx'));
const [input, fp4, scales] = [device.alloc(values), device.alloc(2048), device.alloc(128)];
const mxfp4 = await blackwell.kernel('quantize_mxfp4').launch({ grid: 2, block: 64, args: [input, fp4, scales, 128] });
const quads = device.alloc(2 * 1024);
const words = device.alloc(4 * 1024);
const random = device.alloc(Uint32Array.from({ length: 1024 }, (_, i) => Math.imul(i + 1, 0x9e3779b1)));
const rs = await blackwell
  .kernel('quantize_rs')
  .launch({ grid: 8, block: 128, args: [input, random, quads, words, 1024] });
for (const [name, result] of [
  ['quantize_mxfp4', mxfp4],
  ['quantize_rs', rs],
]) {
  if (!result.ok) throw new Error(JSON.stringify(result.fault));
  const { instructions, threads, milliseconds } = result.stats;
  console.log(
    `${name.padEnd(16)} ${threads} threads, ${instructions} thread-instructions in ${milliseconds.toFixed(0)} ms`,
  );
}
console.log(
  `first block: scale 2^${scales.read()[0] - 127}, codes ${Buffer.from(fp4.read().subarray(0, 16)).toString('hex')}`,
);

title('5. Fault: the same kernel with a buffer that is too small');
const small = device.alloc(64);
const fault = await blackwell
  .kernel('quantize_mxfp4')
  .launch({ grid: 2, block: 64, args: [input, small, scales, 128] });
if (fault.ok) throw new Error('the small buffer went unnoticed');
const { code, message, kernel, block, thread, line } = fault.fault;
console.log(
  `${code}: ${message}\nkernel ${kernel}, block ${block.join(',')}, thread ${thread.join(',')}, line ${line}`,
);
