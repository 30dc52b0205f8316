/**
 * Quantizes a safetensors model and reports how much accuracy it lost. Without an argument, it first makes a small
 * model.
 *
 *   node examples/quantize-model.mjs [model.safetensors] [scheme]
 */
import { readFileSync, writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dequantize, quantize } from 'ptxlab/arrays';
import { convertFile, layoutFile, memorySink, memorySource, openTensorFile, planConversion } from 'ptxlab/tensors';

const [given, scheme = 'nvfp4'] = process.argv.slice(2);
const model = given === undefined ? smallModel() : new Uint8Array(readFileSync(given));

// Anything that reads bytes at an offset can serve as a file; this one is in memory.
const file = await openTensorFile(memorySource(model));
const plan = planConversion(file, 'safetensors', { to: scheme, takes: (name) => !name.includes('norm') });
const bytes = new Uint8Array(plan.layout.size);
await convertFile(plan, file, { ...memorySource(bytes), ...memorySink(bytes) });
const out = join(mkdtempSync(join(tmpdir(), 'ptxlab-')), `model-${scheme}.safetensors`);
writeFileSync(out, bytes);

for (const { entry, kind } of plan.work) console.log(`${kind.padEnd(9)} ${entry.dtype.padEnd(5)} ${entry.name}`);
console.log(`${model.length} bytes became ${bytes.length}: ${out}`);

// Quantizes a single array and reports its statistics.
const weights = Float32Array.from({ length: 64 * 64 }, (_, i) => Math.sin(i * 1.3) / 8);
const quantized = quantize(weights, { to: scheme, shape: [64, 64], statistics: true });
const back = dequantize(quantized);
const worst = weights.reduce((most, value, i) => Math.max(most, Math.abs(value - back[i])), 0);
console.log(`an array of 64 x 64 in ${scheme}: largest error ${worst.toPrecision(3)}`, quantized.statistics);

function smallModel() {
  const weight = Float32Array.from({ length: 128 * 256 }, (_, i) => Math.sin(i) * 0.05);
  const norm = new Float32Array(256).fill(1);
  const data = { 'layers.0.weight': weight, 'layers.0.norm': norm };
  const layout = layoutFile('safetensors', [
    { name: 'layers.0.weight', dtype: 'F32', shape: [128, 256] },
    { name: 'layers.0.norm', dtype: 'F32', shape: [256] },
  ]);
  const made = new Uint8Array(layout.size);
  made.set(layout.header);
  for (const { name, offset } of layout.tensors) made.set(new Uint8Array(data[name].buffer), offset);
  return made;
}
