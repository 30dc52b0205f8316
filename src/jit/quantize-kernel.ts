/**
 * Quantizing as a WebAssembly module: the largest magnitude of an array, blocks with scales of their own, four at a time,
 * and an array times one factor. It does what src/arrays/plain-encoder.ts specifies, every bit of it.
 */
import type { Conversion } from '../numerics/conversion.ts';
import { Code } from '../wasm/code.ts';
import { ModuleBuilder } from '../wasm/module.ts';
import { codeBytesOf, storeCodes } from './code-packing.ts';
import { quantizeMemory } from './quantize-memory.ts';
import { type BlockScaling, storeScales } from './scale-lowering.ts';
import { vectorConversion } from './vector-convert.ts';
import { shift, splat } from './vector-words.ts';

/** What a kernel is made for, as data. */
export interface QuantizeSpec {
  readonly source: 'f32' | 'f16' | 'bf16';
  /** From f32 to the element. */
  readonly conversion: Conversion;
  /** Null where no block has a scale of its own. */
  readonly blocks: { readonly elements: 16 | 32; readonly scaling: BlockScaling } | null;
  readonly dense: boolean;
}

/**
 * Exports `amax(vectors) → f32`, `scale(steps)` and, with blocks, `blocks(groups)`. A vector is four elements, a step
 * sixteen, a group four blocks. What lies behind the elements must be zeros up to a whole one.
 */
export function quantizeKernel(spec: QuantizeSpec): Uint8Array<ArrayBuffer> {
  const builder = new ModuleBuilder();
  define(builder, 'amax', ['f32'], (code) => writeAmax(code, spec));
  define(builder, 'scale', [], (code) => writeScale(code, spec));
  const { blocks } = spec;
  if (blocks !== null) define(builder, 'blocks', [], (code) => writeBlocks(code, spec, blocks));
  return builder.encode();
}

function define(builder: ModuleBuilder, name: string, results: readonly 'f32'[], body: (code: Code) => void): void {
  const type = { parameters: ['i32'], results } as const;
  const index = builder.declare(type);
  const code = new Code(type.parameters);
  body(code);
  builder.define(index, code);
  builder.export(name, index);
}

/** Bytes of four elements. */
function vectorBytes({ source }: QuantizeSpec): number {
  return source === 'f32' ? 16 : 8;
}

/** Pushes the f32 values of the `index`-th four elements behind a pointer. */
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
  const exact: Conversion = {
    ...spec.conversion,
    from: 'f16',
    to: 'f32',
    integral: false,
    sat: false,
    satfinite: false,
  };
  write(exact, code, bits);
}

function write(c: Conversion, code: Code, source: number): void {
  const writer = vectorConversion(c);
  if (writer === null) throw new Error(`no form on vectors from ${c.from} to ${c.to}`);
  writer(code, { source, random: source, scale: source });
}

/** Raises a vector of maxima by four elements' magnitudes; a NaN is not greater. */
function raiseMaximum(code: Code, spec: QuantizeSpec, maximum: number, pointer: number, index: number): void {
  code.get(maximum);
  pushSource(code, spec, pointer, index);
  code.vector('f32x4.abs', 'f32x4.pmax').set(maximum);
}

/** Locals of a loop over the memory: how often it runs is the parameter. */
function loop(code: Code, steps: readonly (readonly [pointer: number, bytes: number])[], body: () => void): void {
  code.block((end) => {
    code.get(0).op('i32.eqz').brIf(end);
    code.loop((again) => {
      body();
      for (const [pointer, bytes] of steps) code.get(pointer).i32(bytes).op('i32.add').set(pointer);
      code.get(0).i32(1).op('i32.sub').tee(0).brIf(again);
    });
  });
}

function writeAmax(code: Code, spec: QuantizeSpec): void {
  const pointer = code.local('i32');
  const maximum = code.local('v128');
  loop(code, [[pointer, vectorBytes(spec)]], () => raiseMaximum(code, spec, maximum, pointer, 0));
  for (const lanes of [swapPairs, swapNeighbours]) {
    code.get(maximum).get(maximum).get(maximum).shuffle(lanes).vector('f32x4.pmax').set(maximum);
  }
  code.get(maximum).lane('i32x4.extract_lane', 0).op('f32.reinterpret_i32');
}

/** Bytes of the words so numbered, 0 to 3 of the first vector and 4 to 7 of the second. */
export function wordBytes(...words: readonly [number, number, number, number]): readonly number[] {
  return words.flatMap((word) => [0, 1, 2, 3].map((byte) => word * 4 + byte));
}

const swapPairs = wordBytes(2, 3, 0, 1);
const swapNeighbours = wordBytes(1, 0, 3, 2);

/** Vectors that are packed together. */
const stepVectors = 4;

function writeScale(code: Code, spec: QuantizeSpec): void {
  const pointer = code.local('i32');
  const codes = code.local('i32');
  const factor = code.local('v128');
  code.i32(quantizeMemory.factor).vectorMemory('v128.load32_splat', 0).set(factor);
  const bytes = codeBytesOf(spec.conversion.to, spec.dense, 4 * stepVectors);
  const strides = [
    [pointer, stepVectors * vectorBytes(spec)],
    [codes, bytes],
  ] as const;
  loop(code, strides, () => writeElements(code, spec, { pointer, codes, factor }, 0));
}

interface ElementLocals {
  readonly pointer: number;
  readonly codes: number;
  readonly factor: number;
}

/** Sixteen elements from the `first`-th four on, times the factor, as codes. */
function writeElements(code: Code, spec: QuantizeSpec, { pointer, codes, factor }: ElementLocals, first: number): void {
  const words = Array.from({ length: stepVectors }, (_, i) => {
    const product = code.local('v128');
    const word = code.local('v128');
    pushSource(code, spec, pointer, first + i);
    code.get(factor).vector('f32x4.mul').set(product);
    write(spec.conversion, code, product);
    code.set(word);
    return word;
  });
  const { to } = spec.conversion;
  const offset = quantizeMemory.codes + codeBytesOf(to, spec.dense, 4 * first);
  storeCodes(code, to, spec.dense, words, codes, offset);
}

function writeBlocks(code: Code, spec: QuantizeSpec, blocks: NonNullable<QuantizeSpec['blocks']>): void {
  const pointer = code.local('i32');
  const codes = code.local('i32');
  const scales = code.local('i32');
  const vectors = blocks.elements / 4;
  const blockSource = vectors * vectorBytes(spec);
  const blockCodes = codeBytesOf(spec.conversion.to, spec.dense, blocks.elements);
  loop(code, [[scales, 4]], () => {
    const maxima = pushMaxima(code, spec, pointer, vectors);
    storeScales(code, blocks.scaling, maxima, scales);
    for (let block = 0; block < 4; block++) {
      const factor = code.local('v128');
      code
        .i32(quantizeMemory.factors + 4 * block)
        .vectorMemory('v128.load32_splat', 0)
        .set(factor);
      for (let first = 0; first < vectors; first += stepVectors) {
        writeElements(code, spec, { pointer, codes, factor }, first);
      }
      code.get(pointer).i32(blockSource).op('i32.add').set(pointer);
      code.get(codes).i32(blockCodes).op('i32.add').set(codes);
    }
  });
}

/** The largest magnitudes of four blocks, one a lane. */
function pushMaxima(code: Code, spec: QuantizeSpec, pointer: number, vectors: number): number {
  const maxima = [0, 1, 2, 3].map((block) => {
    const maximum = code.local('v128');
    splat(code, 0).set(maximum);
    for (let i = 0; i < vectors; i++) raiseMaximum(code, spec, maximum, pointer, block * vectors + i);
    return maximum;
  }) as [number, number, number, number];
  const [a, b, c, d] = maxima;
  const larger = (x: number, y: number, low: readonly number[], high: readonly number[]): void => {
    code.get(x).get(y).shuffle(low).get(x).get(y).shuffle(high).vector('f32x4.pmax');
  };
  const [left, right, result] = [code.local('v128'), code.local('v128'), code.local('v128')];
  larger(a, b, wordBytes(0, 4, 1, 5), wordBytes(2, 6, 3, 7));
  code.set(left);
  larger(c, d, wordBytes(0, 4, 1, 5), wordBytes(2, 6, 3, 7));
  code.set(right);
  larger(left, right, wordBytes(0, 1, 4, 5), wordBytes(2, 3, 6, 7));
  code.set(result);
  return result;
}
