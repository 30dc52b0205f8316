/**
 * A WebAssembly module that multiplies codes by factors and stores the products as f32, as specified by
 * src/arrays/elements/plain-decoder.ts.
 */
import { plainConversion } from '../../numerics/conversion.ts';
import { formats, type FormatName } from '../../numerics/formats.ts';
import { Code } from '../../wasm/code.ts';
import { ModuleBuilder } from '../../wasm/module.ts';
import { groupBytes, loadGroup, type StoredElements, type Storage } from './array-storage.ts';
import { loadAsSingles, wideningForm } from './array-widening.ts';
import { loop } from './memory-loop.ts';
import { quantizeMemory } from './quantize-memory.ts';
import { vectorConversion } from '../simd/vector-convert.ts';
import { splat } from '../simd/vector-words.ts';

/**
 * Exports `decode(blocks, groups)`, which decodes blocks of codes and multiplies each block by its factor. `groups` is
 * the size of a block in groups of sixteen codes. The memory layout is the same as in the quantizing kernel. Inputs and
 * outputs are swapped: codes and factors are read from the areas to which the quantizing kernel writes them, and values
 * are written to the area from which the quantizing kernel reads them.
 */
export function dequantizeKernel(element: FormatName, dense: boolean): Uint8Array<ArrayBuffer> {
  const builder = new ModuleBuilder();
  const parameters = ['i32', 'i32'] as const;
  const code = new Code(parameters, true);
  const { width } = formats[element];
  writeDecode(code, element, { width, dense: dense && width < 8, highFirst: false });
  builder.export('decode', builder.add({ parameters, results: [] }, code));
  return builder.encode();
}

function writeDecode(code: Code, element: FormatName, storage: Storage): void {
  const [codes, values, factors, groups] = [code.local('i32'), code.local('i32'), code.local('i32'), code.local('i32')];
  const factor = { vector: code.local('v128'), isOdd: code.local('i32') };
  code.i32(quantizeMemory.codes).set(codes);
  const strides = [
    [codes, groupBytes(storage)],
    [values, 64],
  ] as const;
  loop(code, 0, [[factors, 4]], () => {
    code.get(factors).vectorMemory('v128.load32_splat', quantizeMemory.factors).set(factor.vector);
    // Subtracting a factor from itself produces a NaN if the factor is not finite, and otherwise 0.
    code.get(factor.vector).get(factor.vector).vector('f32x4.sub');
    splat(code, 0).vector('f32x4.ne', 'i32x4.bitmask').set(factor.isOdd);
    code.get(1).set(groups);
    loop(code, groups, strides, () => writeGroup(code, element, { local: codes, storage }, values, factor));
  });
}

interface FactorLocals {
  readonly vector: number;
  /** An i32 local that is nonzero if the factor is an infinity or NaN. */
  readonly isOdd: number;
}

/**
 * Decodes a group. Some formats have a fast path, which is used if the factor and all codes are finite, because the
 * products are then never NaN. The slower path replaces NaNs.
 */
function writeGroup(
  code: Code,
  element: FormatName,
  codes: StoredElements,
  values: number,
  factor: FactorLocals,
): void {
  const form = wideningForm(plainConversion(element, 'f32'));
  const store = (i: number, push: () => void): void => {
    code.get(values);
    push();
    code.vectorMemory('v128.store', quantizeMemory.source + 16 * i);
  };
  code.block((done) => {
    code.block((otherwise) => {
      if (form === null) return;
      code.get(factor.isOdd).brIf(otherwise);
      loadAsSingles(code, form, codes, otherwise).forEach((words, i) =>
        store(i, () => code.get(words).get(factor.vector).vector('f32x4.mul')),
      );
      code.br(done);
    });
    loadGroup(code, codes.storage, codes.local).forEach((words, i) =>
      store(i, () => pushProduct(code, element, words, factor.vector)),
    );
  });
}

/**
 * Decodes the codes and pushes their products with the factor. Every NaN is replaced with the NaN that conversions to
 * f32 produce.
 */
function pushProduct(code: Code, element: FormatName, words: number, factor: number): void {
  const product = code.local('v128');
  vectorConversion(plainConversion(element, 'f32'))?.(code, { source: words, random: words, scale: words });
  code.get(factor).vector('f32x4.mul').set(product);
  splat(code, 0x7fffffff).get(product).get(product).get(product).vector('f32x4.ne', 'v128.bitselect');
}
