/** Tests calls from untyped code: every invalid argument must be reported with its error code. */
import { describe, expect, test } from 'vitest';
import { PtxlabError } from '../base/error.ts';
import { compareSemantics } from './statistics/compare-semantics.ts';
import { convert } from './convert.ts';
import { convertAsync } from './convert-async.ts';
import { dequantize } from './quantized/dequantize.ts';
import { formatNamed, spelling } from './names.ts';
import { largestMagnitude, quantize } from './quantized/quantize.ts';
import { Workspace } from './workspace.ts';

const values = Float32Array.of(1, 2.7, -3, 1e6);
const out = new Uint8Array(64);

function detached(): Float32Array {
  const array = new Float32Array(4);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
}

/** The function without its types, as plain JavaScript would call it. */
type Loose = (...given: readonly unknown[]) => unknown;
const [loosely, loosequantize, loosedequantize] = [convert as Loose, quantize as Loose, dequantize as Loose];
const [comparing, largest, spelled] = [compareSemantics as Loose, largestMagnitude as Loose, spelling as Loose];

function codeOf(run: () => unknown): string {
  try {
    return `no error, ${String(run())}`;
  } catch (error) {
    return error instanceof PtxlabError ? error.code : String(error);
  }
}

const small = quantize(values, { to: 's8' });

const mistakes: Readonly<Record<string, readonly (readonly [code: string, run: () => unknown])[]>> = {
  'the source': [
    ['bad-source', () => loosely([1, 2, 3], { from: 'f32', to: 'e4m3' })],
    ['bad-source', () => loosely('abc', { from: 'e4m3', to: 'f32' })],
    ['bad-source', () => loosely(null, { from: 'f32', to: 'e4m3' })],
    ['bad-source', () => loosely({ byteLength: 8 }, { from: 'f32', to: 'e4m3' })],
    ['bad-source', () => loosely(detached(), { to: 'e4m3' })],
    ['bad-source', () => loosequantize(detached(), { to: 'mxfp4' })],
    ['bad-source', () => loosequantize([1, 2], { to: 'mxfp4', from: 'f16' })],
    ['bad-source', () => loosequantize(new Float64Array(4), { to: 'mxfp4' })],
    ['bad-source', () => loosequantize(new Uint8Array(4), { to: 'mxfp4', from: 'f16' })],
    ['bad-source', () => loosequantize(new DataView(new ArrayBuffer(4)), { to: 'mxfp4' })],
    ['bad-source', () => loosequantize(new Uint16Array(4), { to: 'mxfp4' })],
    ['bad-source', () => loosequantize(new Uint16Array(4), { to: 'mxfp4', from: 'f32' })],
    ['bad-source', () => largest(new Int32Array(4))],
    ['buffer-size', () => convert(new Uint8Array(5), { from: 'f32', to: 'e4m3' })],
  ],
  'names of formats': [
    ['unknown-format', () => loosely(values, {})],
    ['unknown-format', () => loosely(values, { to: 5 })],
    ['unknown-format', () => loosely(values, { from: null, to: 'e4m3' })],
    ['unknown-format', () => loosely(values, { to: 'constructor' })],
    ['unknown-format', () => loosely(values, { to: '__proto__' })],
    ['unknown-format', () => spelled('zzz', 'torch')],
    ['bad-option', () => spelled('e4m3', 'jax')],
    ['unknown-scheme', () => loosequantize(values, { to: undefined })],
    ['unknown-scheme', () => loosequantize(values, { to: 'toString' })],
    ['unknown-format', () => new Workspace(100).array('zzz' as 'f32', 4)],
  ],
  options: [
    ['bad-option', () => loosely(values)],
    ['bad-option', () => loosequantize(values, null)],
    ['bad-option', () => comparing(1)],
    ['bad-option', () => comparing(470n, { to: 'e4m3' })],
    ['bad-option', () => comparing(1, { to: 'e4m3', rounding: 'rs' })],
    ['bad-option', () => comparing(1, { to: 'e4m3', rounding: 'zz' })],
    ['bad-option', () => loosely(values, { to: 'e4m3', rounding: 'up' })],
    ['bad-option', () => loosely(values, { to: 'e4m3', rounding: 'RN' })],
    ['bad-option', () => loosely(values, { to: 'f16', saturate: 'true' })],
    ['bad-option', () => loosely(values, { to: 'f16', relu: 1 })],
    ['bad-option', () => loosely(values, { to: 'f16', ftz: null })],
    ['bad-option', () => loosely(values, { to: 'e2m1', packing: 'high_first' })],
    ['bad-option', () => loosely(values, { to: 'e4m3', semantics: 'numpy' })],
    ['bad-option', () => loosequantize(values, { to: 'e4m3', granularity: 'block' })],
    ['bad-option', () => loosequantize(values, { to: 'mxfp4', scaleRule: 'ceil' })],
    ['bad-option', () => loosequantize(values, { to: 'mxfp4', rounding: 'rz' })],
    ['bad-option', () => loosequantize(values, { to: 'mxfp4', statistics: 'yes' })],
    ['bad-shape', () => loosequantize(values, { to: 'mxfp4', shape: 4 })],
    ['bad-amax', () => loosequantize(values, { to: 'nvfp4', amax: 5n })],
    ['bad-amax', () => loosequantize(values, { to: 'nvfp4', amax: '5' })],
    ['bad-count', () => loosely(values, { to: 'e4m3', count: 4n })],
    ['bad-count', () => new Workspace(100).array('f32', 4n as unknown as number)],
  ],
  'random bits': [
    ['no-random-bits', () => loosely(values, { to: 'e4m3', rounding: 'rs', rbits: [1] })],
    ['no-random-bits', () => loosely(values, { to: 'e4m3', rounding: 'rs', rbits: null })],
    ['no-random-bits', () => loosely(values, { to: 'e4m3', rounding: 'rs', rbits: new Float32Array(9) })],
    ['no-random-bits', () => convert(values, { to: 'e4m3', rounding: 'rs', seed: 1, rbits: new Uint32Array(9) })],
    ['no-random-bits', () => convert(values, { to: 'e4m3', firstElement: 4 })],
    ['no-random-bits', () => convert(values, { to: 'e4m3', rounding: 'rs', seed: 2 ** 53 })],
    ['not-offered', () => convert(Int32Array.of(1), { to: 's8', rounding: 'rs', seed: 1 })],
    ['no-random-bits', () => quantize(values, { to: 'mxfp4', rounding: 'rs' })],
    ['no-random-bits', () => quantize(values, { to: 'mxfp4', seed: 1 })],
  ],
  'where the result goes': [
    ['bad-output', () => loosely(values, { to: 'e4m3', out: [] })],
    ['bad-output', () => loosely(values, { to: 'e4m3', out: detached() })],
    ['bad-output', () => loosedequantize(small, { out: new Float64Array(4) })],
    ['bad-output', () => loosedequantize(small, { to: 'f16', out: new Uint32Array(4) })],
    ['bad-output', () => loosedequantize(small, { to: 'f16', out: new Float64Array(4) })],
    ['bad-option', () => loosedequantize(small, { to: 'e4m3' })],
    [
      'overlap',
      () => {
        const memory = new ArrayBuffer(64);
        const rbits = new Uint32Array(memory, 8, 1);
        return convert(values, { to: 'e4m3', rounding: 'rs', rbits, out: new Uint8Array(memory, 10, 4) });
      },
    ],
    [
      'bad-output',
      () => {
        const memory = new Float32Array(4);
        const codes = new Uint8Array(memory.buffer, 0, 4);
        return dequantize({ ...small, codes }, { out: memory });
      },
    ],
  ],
  'what is to be dequantized': [
    ['bad-quantized', () => loosedequantize()],
    ['bad-quantized', () => loosedequantize({})],
    ['bad-quantized', () => loosedequantize(JSON.parse(JSON.stringify(small)))],
    ['bad-quantized', () => dequantize({ ...small, scales: new Float32Array(0) })],
    ['bad-quantized', () => dequantize({ ...small, scales: new Uint8Array(1) })],
    ['bad-quantized', () => dequantize({ ...small, codes: small.codes.subarray(0, 2) })],
    ['bad-quantized', () => dequantize({ ...small, layout: { ...small.layout, rows: 2 } })],
  ],
};

describe.each(Object.entries(mistakes))('%s', (_what, cases) => {
  test.each(cases.map(([code, run]) => [run.toString().replace(/^\(\) => /, ''), code, run] as const))(
    '%s: %s',
    (_text, code, run) => {
      expect(codeOf(run)).toBe(code);
    },
  );
});

test('a rejected option is not cached', () => {
  expect(codeOf(() => loosely(values, { to: 'f16', saturate: 'true' }))).toBe('bad-option');
  expect(convert(Float32Array.of(1e6), { to: 'f16', saturate: true })).toEqual(Uint16Array.of(0x7bff));
});

test('a format name must be a string', () => {
  expect((formatNamed as Loose)(undefined)).toBe(null);
  expect((formatNamed as Loose)('hasOwnProperty')).toBe(null);
});

test('a signal must be an AbortSignal', async () => {
  await expect((convertAsync as Loose)(values, { to: 'e4m3', out, signal: {} })).rejects.toThrow('AbortSignal');
  await expect((convertAsync as Loose)(values)).rejects.toThrow('must be an object, not undefined');
});

test('arrays without elements take no time, however many rows they have', () => {
  expect(quantize(new Float32Array(0), { to: 'e4m3', granularity: 'row', shape: [2 ** 40, 0] }).scales.length).toBe(0);
  expect(quantize(new Float32Array(0), { to: 'e4m3', granularity: 'tile', shape: [2 ** 40, 0] }).codes.length).toBe(0);
});

test('a Float16Array is f16, if the runtime has it', () => {
  const bits = Uint16Array.of(0x3c00, 0x4100, 0xc200, 0x2e66);
  // The library recognizes a Float16Array by its name alone. The test therefore gives that name to another array, so
  // that it also works in runtimes without Float16Array.
  const halves = Object.defineProperty(new Uint16Array(bits), Symbol.toStringTag, { value: 'Float16Array' });
  const options = { to: 'mxfp8' } as const;
  expect(quantize(halves as never, options)).toEqual(quantize(bits, { ...options, from: 'f16' }));
});
