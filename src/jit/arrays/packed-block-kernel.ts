/**
 * A WebAssembly module that decodes packed blocks to f32, sixteen elements at a time, as specified by
 * src/arrays/quantized/plain-packed-decoder.ts.
 */
import { elementAt } from '../../base/element-at.ts';
import { wasmPageBytes } from '../../base/wasm-pages.ts';
import { type ListedCodes, type PackedBlock, type Scale, segmentsOf } from '../../numerics/packed-blocks.ts';
import { Code } from '../../wasm/code.ts';
import { ModuleBuilder } from '../../wasm/module.ts';
import { splat } from '../simd/vector-words.ts';
import { interleaved } from './interleaving.ts';
import { loop } from './memory-loop.ts';
import { CodeLoader, mostTableBytes, unitOf } from './packed-codes.ts';
import { lanes } from './packed-columns.ts';

/** Number of elements in a chunk. Converted to f32, a chunk occupies 64 KiB, which fits in the cache. */
const elements = 16384;
/**
 * The maximum number of factors in a chunk. No kind of block has more than one factor per sixteen elements. The packed
 * blocks fit in the area before `values`, because no kind of block has more than two bytes per element.
 */
const mostFactors = elements / lanes;
const values = 2 * elements;
const factors = values + 4 * elements;
const offsets = factors + 4 * mostFactors;
const tables = offsets + 4 * mostFactors;

/** The memory of a kernel: addresses in bytes, and sizes. */
export const packedMemory: Readonly<
  Record<'elements' | 'mostFactors' | 'blocks' | 'values' | 'factors' | 'offsets' | 'tables' | 'pages', number>
> = {
  elements,
  mostFactors,
  blocks: 0,
  values,
  /** Address of the scale factors, which are f32 values in block order; the factors of the offsets are at `offsets`. */
  factors,
  offsets,
  /** The tables that `tablesOf` returns. */
  tables,
  pages: Math.ceil((tables + mostTableBytes) / wasmPageBytes),
};

/** Exports `decode(blocks)`, which decodes that many blocks. */
export function packedBlockKernel(block: PackedBlock): Uint8Array<ArrayBuffer> {
  const builder = new ModuleBuilder();
  const parameters = ['i32'] as const;
  const code = new Code(parameters, true);
  new KernelWriter(code, block).write();
  builder.export('decode', builder.add({ parameters, results: [] }, code));
  return builder.encode();
}

interface ScaleLocals {
  readonly scale: Scale;
  /** Address of the first factor of this scale; `pointer` is the local that points to the next factor. */
  readonly start: number;
  readonly pointer: number;
  readonly factor: number;
  readonly vector: number;
}

class KernelWriter {
  private readonly code: Code;
  private readonly block: PackedBlock;
  private readonly from: number;
  private readonly to: number;
  private readonly codes: CodeLoader;
  private readonly scale: ScaleLocals;
  private readonly offset: ScaleLocals | null;
  private readonly stored: number;
  private readonly half: number;
  private readonly bytes: readonly [number, number];

  constructor(code: Code, block: PackedBlock) {
    this.code = code;
    this.block = block;
    this.from = code.local('i32');
    this.to = code.local('i32');
    this.codes = new CodeLoader(code, block, this.from, packedMemory.tables);
    this.stored = code.local('v128');
    this.half = code.local('v128');
    this.bytes = [code.local('v128'), code.local('v128')];
    this.scale = this.localsOf(block.scale, packedMemory.factors);
    this.offset = block.offset === null ? null : this.localsOf(block.offset, packedMemory.offsets);
  }

  write(): void {
    const { code, block, from, to, scale, offset } = this;
    const scales = offset === null ? [scale] : [scale, offset];
    for (const { pointer, start } of scales) code.i32(start).set(pointer);
    const strides = scales.map(
      ({ scale: { factor }, pointer }) => [pointer, (4 * block.elements) / factor.share] as const,
    );
    const rounds = [[from, block.bytes], [to, 4 * block.elements], ...strides] as const;
    loop(code, 0, rounds, () => {
      for (let first = 0; first < block.elements; first += lanes) {
        for (const one of scales) this.prepare(one, first);
        this.writeSixteen(first);
      }
    });
  }

  private localsOf(scale: Scale, start: number): ScaleLocals {
    const { code } = this;
    return { scale, start, pointer: code.local('i32'), factor: code.local('f32'), vector: code.local('v128') };
  }

  /** If a scale changes at element `first`, updates the vector that holds the scale. */
  private prepare(
    { scale: { factor, multiplier }, pointer, factor: single, vector }: ScaleLocals,
    first: number,
  ): void {
    const { code } = this;
    const isFresh = first % factor.share === 0;
    if (isFresh)
      code
        .get(pointer)
        .memory('f32.load', (4 * first) / factor.share)
        .set(single);
    if (multiplier === null) {
      if (isFresh) code.get(single).vector('f32x4.splat').set(vector);
      return;
    }
    if (first % multiplier.share !== 0) return;
    this.codes.pushNumber(segmentsOf(multiplier.places(first / multiplier.share)));
    // Signed multipliers are always 8 bits wide.
    if (multiplier.signed) code.op('i32.extend8_s');
    code.op('f32.convert_i32_s');
    const unit = unitOf(this.block);
    if (multiplier.times * unit !== 1) this.pushSingle(multiplier.times * unit).op('f32.mul');
    if (multiplier.plus !== 0) this.pushSingle(multiplier.plus * unit).op('f32.add');
    code.get(single).op('f32.mul').vector('f32x4.splat').set(vector);
  }

  private pushSingle(value: number): Code {
    const [bits = 0] = new Uint32Array(Float32Array.of(value).buffer);
    return this.code.i32(bits).op('f32.reinterpret_i32');
  }

  private writeSixteen(first: number): void {
    const { code, block, stored } = this;
    this.codes.push(first);
    code.set(stored);
    if (block.codes.kind === 'listed') this.storeListed(block.codes, first);
    else this.storeSigned(first);
  }

  private storeSigned(first: number): void {
    const { code, stored, half } = this;
    for (const [part, side] of (['low', 'high'] as const).entries()) {
      code.get(stored).vector(`i16x8.extend_${side}_i8x16_s`).set(half);
      for (const [quarter, end] of (['low', 'high'] as const).entries()) {
        this.store(first + 8 * part + 4 * quarter, () =>
          code.get(half).vector(`i32x4.extend_${end}_i16x8_s`, 'f32x4.convert_i32x4_s'),
        );
      }
    }
  }

  /**
   * Stores the values that the codes select from a list. The upper halves of the f32 values are looked up byte by byte;
   * the lower halves are zero.
   */
  private storeListed({ values: listed }: ListedCodes, first: number): void {
    const { code, stored, half, bytes } = this;
    for (const [i, shift] of [16, 24].entries()) {
      const table = new Uint32Array(Float32Array.from(listed).buffer).map((bits) => (bits >>> shift) & 0xff);
      const words = new Uint32Array(Uint8Array.from({ length: 16 }, (_, row) => table[row] ?? 0).buffer);
      const word = (at: number): number => elementAt(words, at);
      code.words(word(0), word(1), word(2), word(3)).get(stored);
      code.vector('i8x16.swizzle').set(elementAt(bytes, i));
    }
    for (let lane = 0; lane < lanes; lane += 4) {
      if (lane % 8 === 0) code.get(bytes[0]).get(bytes[1]).shuffle(interleaved(lane, 1)).set(half);
      this.store(first + lane, () => {
        splat(code, 0).get(half);
        code.shuffle(interleaved(2 * (lane % 8), 2));
      });
    }
  }

  /** Multiplies four codes by their scale, adds their offset, and stores the results. */
  private store(first: number, pushCodes: () => void): void {
    const { code, to, scale, offset } = this;
    code.get(to);
    pushCodes();
    code.get(scale.vector).vector('f32x4.mul');
    if (offset !== null) code.get(offset.vector).vector('f32x4.add');
    code.vectorMemory('v128.store', packedMemory.values + 4 * first);
  }
}
