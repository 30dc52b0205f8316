/**
 * Packed blocks to f32 as a WebAssembly module, as specified by src/arrays/quantized/plain-packed-decoder.ts: sixteen
 * elements at a time.
 */
import { elementAt } from '../../base/element-at.ts';
import {
  type LinearCodes,
  type ListedCodes,
  type PackedBlock,
  type Scale,
  type Segment,
  segmentsOf,
} from '../../numerics/packed-blocks.ts';
import { Code } from '../../wasm/code.ts';
import { ModuleBuilder } from '../../wasm/module.ts';
import { splat } from '../simd/vector-words.ts';
import { loop } from './memory-loop.ts';

/** Elements of a chunk; as f32 they are 64 KiB, which fits in the cache. */
const elements = 16384;
const lanes = 16;
/** No block has more than two bytes per element, or more than one factor per sixteen elements. */
const mostFactors = elements / lanes;
const values = 2 * elements;
const factors = values + 4 * elements;
const offsets = factors + 4 * mostFactors;

/** The memory of a kernel: addresses in bytes, and sizes. */
export const packedMemory: Readonly<
  Record<'elements' | 'mostFactors' | 'blocks' | 'values' | 'factors' | 'offsets' | 'pages', number>
> = {
  elements,
  mostFactors,
  blocks: 0,
  values,
  /** The factors of the scales as f32, in the order of the blocks, and those of the offsets. */
  factors,
  offsets,
  pages: Math.ceil((offsets + 4 * mostFactors) / 65536),
};

type KernelBlock = PackedBlock & { readonly codes: LinearCodes | ListedCodes };

export function hasKernel(block: PackedBlock): block is KernelBlock {
  return block.codes.kind === 'linear' || block.codes.kind === 'listed';
}

/** Exports `decode(blocks)`. */
export function packedBlockKernel(block: PackedBlock): Uint8Array<ArrayBuffer> {
  if (!hasKernel(block)) throw new Error(`no kernel for ${block.codes.kind}`);
  const builder = new ModuleBuilder();
  const parameters = ['i32'] as const;
  const index = builder.declare({ parameters, results: [] });
  const code = new Code(parameters, true);
  new KernelWriter(code, block).write();
  builder.define(index, code);
  builder.export('decode', index);
  return builder.encode();
}

interface ScaleLocals {
  readonly scale: Scale;
  /** The position of its factors, and the local that points to it. */
  readonly start: number;
  readonly pointer: number;
  readonly factor: number;
  readonly vector: number;
}

class KernelWriter {
  private readonly code: Code;
  private readonly block: KernelBlock;
  private readonly from: number;
  private readonly to: number;
  private readonly scale: ScaleLocals;
  private readonly offset: ScaleLocals | null;

  constructor(code: Code, block: KernelBlock) {
    this.code = code;
    this.block = block;
    this.from = code.local('i32');
    this.to = code.local('i32');
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

  /** Sets the vector of a scale at the elements where its value changes. */
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
    this.pushNumber(segmentsOf(multiplier.places(first / multiplier.share)), multiplier.signed);
    code.op('f32.convert_i32_s');
    if (multiplier.times !== 1) this.pushSingle(multiplier.times).op('f32.mul');
    if (multiplier.plus !== 0) this.pushSingle(multiplier.plus).op('f32.add');
    code.get(single).op('f32.mul').vector('f32x4.splat').set(vector);
  }

  /** Pushes a number of up to 8 bits as an i32. */
  private pushNumber(segments: readonly Segment[], signed: boolean): void {
    const { code, from } = this;
    segments.forEach(({ byte, down, mask, up }, i) => {
      code.get(from).memory('i32.load8_u', byte);
      if (down > 0) code.i32(down).op('i32.shr_u');
      if (mask << down < 0x80) code.i32(mask).op('i32.and');
      if (up > 0) code.i32(up).op('i32.shl');
      if (i > 0) code.op('i32.or');
    });
    if (signed) code.op('i32.extend8_s');
  }

  private pushSingle(value: number): Code {
    const [bits = 0] = new Uint32Array(Float32Array.of(value).buffer);
    return this.code.i32(bits).op('f32.reinterpret_i32');
  }

  private writeSixteen(first: number): void {
    const { code, block } = this;
    const stored = code.local('v128');
    const columns = columnsOf(Array.from({ length: lanes }, (_, i) => segmentsOf(block.codes.places(first + i))));
    columns.forEach((column, i) => {
      this.pushColumn(column);
      if (i > 0) code.vector('v128.or');
    });
    code.set(stored);
    if (block.codes.kind === 'linear') this.storeLinear(block.codes, stored, first);
    else this.storeListed(block.codes, stored, first);
  }

  /** Pushes the segments of sixteen numbers, a byte each. */
  private pushColumn(column: Column): void {
    const { code, from } = this;
    switch (column.kind) {
      case 'run':
        code.get(from).vectorMemory('v128.load', column.byte);
        this.shift(column);
        return;
      case 'halves': {
        const [low, high] = column.halves.map((half) => {
          const local = code.local('v128');
          code.get(from).vectorMemory('v128.load64_splat', half.byte);
          this.shift(half);
          code.set(local);
          return local;
        });
        code.get(low ?? 0).get(high ?? 0);
        code.shuffle([0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]);
        return;
      }
      case 'bits':
        code.get(from).vectorMemory('v128.load16_splat', column.byte);
        // Bytes 0 and 1, eight copies of each, and then one bit of each copy.
        code.words(0, 0, 0x01010101, 0x01010101).vector('i8x16.swizzle');
        code.words(0x08040201, 0x80402010, 0x08040201, 0x80402010).vector('v128.and');
        splat(code, 0).vector('i8x16.ne');
        splat(code, (1 << column.up) * 0x01010101).vector('v128.and');
    }
  }

  /** Moves a segment of each byte to its place. Bits of neighbouring bytes may move in next to it. */
  private shift({ down, mask, up }: Segment): void {
    const { code } = this;
    if (down > up) code.i32(down - up).vector('i16x8.shr_u');
    if (up > down) code.i32(up - down).vector('i16x8.shl');
    if (mask !== 0xff) splat(code, (mask << up) * 0x01010101).vector('v128.and');
  }

  private storeLinear({ plus }: LinearCodes, stored: number, first: number): void {
    const { code } = this;
    // Unsigned numbers have at most seven bits.
    if (plus !== 0) {
      code.get(stored);
      splat(code, (plus & 0xff) * 0x01010101)
        .vector('i8x16.add')
        .set(stored);
    }
    const half = code.local('v128');
    for (const [part, side] of (['low', 'high'] as const).entries()) {
      code.get(stored).vector(`i16x8.extend_${side}_i8x16_s`).set(half);
      for (const [quarter, end] of (['low', 'high'] as const).entries()) {
        this.store(first + 8 * part + 4 * quarter, () =>
          code.get(half).vector(`i32x4.extend_${end}_i16x8_s`, 'f32x4.convert_i32x4_s'),
        );
      }
    }
  }

  /** The upper halves of the values as f32 are looked up byte by byte; the lower halves are zero. */
  private storeListed({ values: listed }: ListedCodes, stored: number, first: number): void {
    const { code } = this;
    const [upper, lower] = [24, 16].map((shift) => {
      const local = code.local('v128');
      const bytes = new Uint32Array(Float32Array.from(listed).buffer).map((bits) => (bits >>> shift) & 0xff);
      const words = new Uint32Array(Uint8Array.from({ length: 16 }, (_, i) => bytes[i] ?? 0).buffer);
      const word = (i: number): number => elementAt(words, i);
      code.words(word(0), word(1), word(2), word(3)).get(stored).vector('i8x16.swizzle').set(local);
      return local;
    });
    const half = code.local('v128');
    for (let lane = 0; lane < lanes; lane += 4) {
      if (lane % 8 === 0) {
        code.get(lower ?? 0).get(upper ?? 0);
        code.shuffle(interleaved(lane, 1)).set(half);
      }
      this.store(first + lane, () =>
        splat(code, 0)
          .get(half)
          .shuffle(interleaved(2 * (lane % 8), 2)),
      );
    }
  }

  /** Stores four codes times their scale, plus their offset. */
  private store(first: number, pushCodes: () => void): void {
    const { code, to, scale, offset } = this;
    code.get(to);
    pushCodes();
    code.get(scale.vector).vector('f32x4.mul');
    if (offset !== null) code.get(offset.vector).vector('f32x4.add');
    code.vectorMemory('v128.store', packedMemory.values + 4 * first);
  }
}

/**
 * For `shuffle`: takes parts of this many bytes alternately from the first and the second vector, from byte `start` on.
 */
function interleaved(start: number, size: number): readonly number[] {
  return Array.from({ length: lanes }, (_, i) => {
    const part = Math.floor(i / size);
    return start + Math.floor(part / 2) * size + (i % size) + (part % 2) * lanes;
  });
}

/** Segments of sixteen numbers with the same mask and position. */
type Column =
  /** In sixteen consecutive bytes, at the same bits. */
  | ({ readonly kind: 'run' } & Segment)
  /** In eight bytes, twice. */
  | { readonly kind: 'halves'; readonly halves: readonly [Segment, Segment] }
  /** In sixteen consecutive bits. */
  | { readonly kind: 'bits'; readonly byte: number; readonly up: number };

function columnsOf(rows: readonly (readonly Segment[])[]): readonly Column[] {
  return elementAt(rows, 0).map((_, k) => columnOf(rows.map((row) => elementAt(row, k))));
}

function columnOf(segments: readonly Segment[]): Column {
  const [first, ninth] = [elementAt(segments, 0), elementAt(segments, 8)];
  if (areRun(segments)) return { kind: 'run', ...first };
  if (areRun(segments.slice(0, 8)) && areRun(segments.slice(8))) return { kind: 'halves', halves: [first, ninth] };
  const areBits = segments.every(
    ({ byte, down, mask }, i) => mask === 1 && down === i % 8 && byte === first.byte + Math.floor(i / 8),
  );
  if (!areBits) throw new Error(`no vector of numbers at byte ${first.byte}`);
  return { kind: 'bits', byte: first.byte, up: first.up };
}

function areRun(segments: readonly Segment[]): boolean {
  const first = elementAt(segments, 0);
  return segments.every(
    ({ byte, down, mask }, i) => byte === first.byte + i && down === first.down && mask === first.mask,
  );
}
