/**
 * A WebAssembly module for quantizing. The module can find the largest magnitude of an array, multiply all elements of
 * an array by one factor, and quantize blocks that have their own scales (four blocks at a time). The results match
 * src/arrays/elements/plain-encoder.ts bit for bit.
 */
import { elementAt } from '../../base/element-at.ts';
import { quadOf } from '../../base/tuples.ts';
import type { Conversion } from '../../numerics/conversion.ts';
import { formats } from '../../numerics/formats.ts';
import { Code } from '../../wasm/code.ts';
import { ModuleBuilder } from '../../wasm/module.ts';
import { narrowingForm, writeNarrowing } from './array-narrowing.ts';
import { groupBytes, type GroupLocals, groupOf, type StoredElements, storeGroup } from './array-storage.ts';
import { advance, loop } from './memory-loop.ts';
import { quantizeMemory } from './quantize-memory.ts';
import { type BlockScaling, storeScales } from './scale-lowering.ts';
import { vectorConversion } from '../simd/vector-convert.ts';
import { shift, splat } from '../simd/vector-words.ts';

/** A kernel's parameters, as data. */
export interface QuantizeSpec {
  readonly source: 'f32' | 'f16' | 'bf16';
  /** The conversion from f32 to the element format. */
  readonly conversion: Conversion;
  /** How the scale of each block is computed; null if blocks do not have their own scales. */
  readonly blocks: { readonly elements: 16 | 32; readonly scaling: BlockScaling } | null;
  readonly dense: boolean;
}

/**
 * Exports `maxima(blocks, groups)`, which writes the largest magnitude of each block to `factors`, and `scale(blocks,
 * groups)`, which multiplies each block by its factor. In both cases, `groups` is the size of a block in groups of
 * sixteen elements. If blocks have scales of their own, the module also exports `blocks(fours)`, which computes the
 * scales of four blocks at a time and multiplies the blocks by their factors. The elements must be padded with zeros to
 * a whole block; for `blocks`, they must be padded to a multiple of four blocks.
 */
export function quantizeKernel(spec: QuantizeSpec): Uint8Array<ArrayBuffer> {
  const builder = new ModuleBuilder();
  define(builder, 'maxima', ['i32', 'i32'], (code) => writeMaxima(code, spec));
  define(builder, 'scale', ['i32', 'i32'], (code) => writeScale(code, spec));
  const { blocks } = spec;
  if (blocks !== null) define(builder, 'blocks', ['i32'], (code) => writeBlocks(code, spec, blocks));
  return builder.encode();
}

function define(builder: ModuleBuilder, name: string, parameters: readonly 'i32'[], body: (code: Code) => void): void {
  const code = new Code(parameters, true);
  body(code);
  builder.export(name, builder.add({ parameters, results: [] }, code));
}

/** Number of vectors in a group. */
const groupVectors = 4;

/** Number of bytes that four elements occupy. */
function vectorBytes({ source }: QuantizeSpec): number {
  return source === 'f32' ? 16 : 8;
}

/**
 * Pushes the f32 values of four consecutive elements. The first of them is 4 * `index` elements after the element that
 * the pointer refers to.
 */
function pushSource(code: Code, spec: QuantizeSpec, pointer: number, index: number): void {
  const offset = quantizeMemory.source + index * vectorBytes(spec);
  code.get(pointer);
  if (spec.source === 'f32') {
    code.vectorMemory('v128.load', offset);
    return;
  }
  code.vectorMemory('v128.load16x4_u', offset);
  if (spec.source === 'bf16') {
    shift(code, 'i32x4.shl', 16);
    return;
  }
  const bits = code.local('v128');
  code.set(bits);
  const plain = { integral: false, sat: false, satfinite: false } as const;
  pushConverted(code, { ...spec.conversion, ...plain, from: 'f16', to: 'f32' }, bits);
}

function pushConverted(code: Code, c: Conversion, source: number): void {
  const write = vectorConversion(c);
  if (write === null) throw new Error(`the conversion from ${c.from} to ${c.to} has no vector form`);
  write(code, { source, random: source, scale: source });
}

/**
 * Updates the maximum in each lane of a vector: if the magnitude of the lane's element is greater, it becomes the new
 * maximum. NaNs are ignored.
 */
function raiseMaximum(code: Code, spec: QuantizeSpec, maximum: number, pointer: number, index: number): void {
  code.get(maximum);
  pushSource(code, spec, pointer, index);
  code.vector('f32x4.abs', 'f32x4.pmax').set(maximum);
}

/**
 * Pushes the bits of the largest magnitude in the groups that a pointer refers to, and advances the pointer past these
 * groups. Four independent maxima avoid a dependency chain.
 */
function pushAmax(code: Code, spec: QuantizeSpec, groups: number, pointer: number): void {
  const maxima = Array.from({ length: groupVectors }, () => code.local('v128'));
  for (const maximum of maxima) splat(code, 0).set(maximum);
  loop(code, groups, [[pointer, groupVectors * vectorBytes(spec)]], () => {
    maxima.forEach((maximum, i) => raiseMaximum(code, spec, maximum, pointer, i));
  });
  const most = elementAt(maxima, 0);
  for (const other of maxima.slice(1)) code.get(most).get(other).vector('f32x4.pmax').set(most);
  for (const lanes of [wordBytes(2, 3, 0, 1), wordBytes(1, 0, 3, 2)]) {
    code.get(most).get(most).get(most).shuffle(lanes).vector('f32x4.pmax').set(most);
  }
  code.get(most).lane('i32x4.extract_lane', 0);
}

function writeMaxima(code: Code, spec: QuantizeSpec): void {
  const [source, result, groups] = [code.local('i32'), code.local('i32'), code.local('i32')];
  loop(code, 0, [[result, 4]], () => {
    code.get(1).set(groups).get(result);
    pushAmax(code, spec, groups, source);
    code.memory('i32.store', quantizeMemory.factors);
  });
}

/**
 * Returns the byte indices for a shuffle that selects the given words from two vectors. Words 0 to 3 are in the first
 * vector, and words 4 to 7 are in the second vector.
 */
function wordBytes(...words: readonly [number, number, number, number]): readonly number[] {
  return words.flatMap((word) => [0, 1, 2, 3].map((byte) => word * 4 + byte));
}

function writeScale(code: Code, spec: QuantizeSpec): void {
  const elements = elementLocals(code, spec);
  const [factor, groups] = [code.local('i32'), code.local('i32')];
  loop(code, 0, [[factor, 4]], () => {
    code.get(factor).vectorMemory('v128.load32_splat', quantizeMemory.factors).set(elements.factor);
    code.get(1).set(groups);
    loop(code, groups, [[elements.pointer, groupVectors * vectorBytes(spec)]], () => {
      writeGroup(code, spec, elements, 0);
    });
  });
}

interface ElementLocals {
  readonly pointer: number;
  readonly codes: StoredElements;
  readonly factor: number;
}

function elementLocals(code: Code, spec: QuantizeSpec): ElementLocals {
  const pointer = code.local('i32');
  const local = code.local('i32');
  code.i32(quantizeMemory.codes).set(local);
  const { width } = formats[spec.conversion.to];
  const storage = { width, dense: spec.dense && width < 8, highFirst: false };
  return { pointer, codes: { local, storage }, factor: code.local('v128') };
}

/**
 * Multiplies a group of elements by the factor, and stores the results as codes. The group starts 4 * `first` elements
 * after the element that the pointer refers to. Also advances `codes`, the pointer to the next code.
 */
function writeGroup(code: Code, spec: QuantizeSpec, { pointer, codes, factor }: ElementLocals, first: number): void {
  const products = groupOf(code, (i) => {
    pushSource(code, spec, pointer, first + i);
    code.get(factor).vector('f32x4.mul');
  });
  const form = narrowingForm(spec.conversion);
  code.block((done) => {
    code.block((otherwise) => {
      if (form === null) return;
      writeNarrowing(code, form, true, { words: products, target: codes, otherwise }, noRandom);
      code.br(done);
    });
    storeAny(code, spec, codes, products);
  });
  advance(code, codes.local, groupBytes(codes.storage));
}

function noRandom(): never {
  throw new Error('codes with scales must be rounded to nearest');
}

function storeAny(code: Code, spec: QuantizeSpec, codes: StoredElements, products: GroupLocals): void {
  const words = groupOf(code, (i) => pushConverted(code, spec.conversion, elementAt(products, i)));
  storeGroup(code, codes.storage, codes.local, words);
}

/**
 * Computes the scales of all blocks first, then their elements. With two separate loops, the processor can overlap
 * iterations; in a single loop, it would have to wait for each scale before it could convert the elements of the block.
 */
function writeBlocks(code: Code, spec: QuantizeSpec, blocks: NonNullable<QuantizeSpec['blocks']>): void {
  const vectors = blocks.elements / 4;
  const bytes = vectors * vectorBytes(spec);
  const source = code.local('i32');
  const to = { scales: code.local('i32'), factors: code.local('i32') };
  const left = code.local('i32');
  code.get(0).set(left);
  const strides = [
    [source, 4 * bytes],
    [to.scales, 4],
    [to.factors, 16],
  ] as const;
  loop(code, left, strides, () => storeScales(code, blocks.scaling, fourMaxima(code, spec, source, vectors), to));
  const elements = elementLocals(code, spec);
  const factor = code.local('i32');
  const elementStrides = [
    [elements.pointer, bytes],
    [factor, 4],
  ] as const;
  code.get(0).i32(2).op('i32.shl').set(left);
  loop(code, left, elementStrides, () => {
    code.get(factor).vectorMemory('v128.load32_splat', quantizeMemory.factors).set(elements.factor);
    for (let first = 0; first < vectors; first += groupVectors) writeGroup(code, spec, elements, first);
  });
}

/** Returns a local that holds the largest magnitudes of four blocks, one per lane. */
function fourMaxima(code: Code, spec: QuantizeSpec, pointer: number, vectors: number): number {
  const [a, b, c, d] = quadOf(
    [0, 1, 2, 3].map((block) => {
      const maximum = code.local('v128');
      splat(code, 0).set(maximum);
      for (let i = 0; i < vectors; i++) raiseMaximum(code, spec, maximum, pointer, block * vectors + i);
      return maximum;
    }),
  );
  const larger = (x: number, y: number, ones: readonly number[], others: readonly number[]): number => {
    const result = code.local('v128');
    code.get(x).get(y).shuffle(ones).get(x).get(y).shuffle(others).vector('f32x4.pmax').set(result);
    return result;
  };
  const left = larger(a, b, wordBytes(0, 4, 1, 5), wordBytes(2, 6, 3, 7));
  const right = larger(c, d, wordBytes(0, 4, 1, 5), wordBytes(2, 6, 3, 7));
  return larger(left, right, wordBytes(0, 1, 4, 5), wordBytes(2, 3, 6, 7));
}
