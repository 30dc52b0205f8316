/**
 * A WebAssembly module that computes codes and scales from f32 values and packs both into blocks, as specified by
 * src/arrays/quantized/plain-packed-encoder.ts.
 */
import { assertNever } from '../../base/assert-never.ts';
import { elementAt } from '../../base/element-at.ts';
import {
  type BlockEncoding,
  type PackedBlock,
  type Places,
  type Scale,
  type Segment,
  segmentsOf,
} from '../../numerics/packed-blocks.ts';
import { Code } from '../../wasm/code.ts';
import { ModuleBuilder } from '../../wasm/module.ts';
import { splat } from '../simd/vector-words.ts';
import { writeBlockEncoding } from './block-encoding-kernel.ts';
import { loop } from './memory-loop.ts';
import { columnsAt, lanes } from './packed-columns.ts';
import { packingMemory } from './packing-memory.ts';

/**
 * Exports `pack(blocks)`, which packs the codes and the bit patterns of scales and offsets. If an encoding is given,
 * also exports `encode(blocks)`, which computes codes, scales and offsets from values.
 */
export function packingKernel(block: PackedBlock, encoding: BlockEncoding | null): Uint8Array<ArrayBuffer> {
  const builder = new ModuleBuilder();
  define(builder, 'pack', (code) => writePacking(code, block));
  if (encoding !== null) define(builder, 'encode', (code) => writeBlockEncoding(code, block, encoding));
  return builder.encode();
}

function define(builder: ModuleBuilder, name: string, body: (code: Code) => void): void {
  const parameters = ['i32'] as const;
  const code = new Code(parameters, true);
  body(code);
  builder.export(name, builder.add({ parameters, results: [] }, code));
}

function writePacking(code: Code, { elements, bytes, codes, scale, offset }: PackedBlock): void {
  if (codes.kind !== 'linear' && codes.kind !== 'listed') throw new Error(`${codes.kind} codes are not packed`);
  const { places } = codes;
  const [from, to] = [code.local('i32'), code.local('i32')];
  const factors = [{ scale, at: packingMemory.scalePatterns, pointer: code.local('i32') }];
  if (offset !== null) factors.push({ scale: offset, at: packingMemory.offsetPatterns, pointer: code.local('i32') });
  const parts = Array.from({ length: elements / lanes }, (_, i) => partsAt(places, lanes * i)).flat();
  const strides = factors.map(
    ({ scale: { factor }, pointer }) => [pointer, (patternBytes * elements) / factor.share] as const,
  );
  loop(code, 0, [[from, elements], [to, bytes], ...strides], () => {
    for (const { scale: one, at, pointer } of factors) copyFactors(code, one, elements, { pointer, at, to });
    for (const byte of new Set(parts.map((part) => part.byte)))
      storeParts(
        code,
        parts.filter((part) => part.byte === byte),
        { from, to },
      );
  });
}

/** Number of bytes that are reserved in memory for the bit pattern of a factor. The pattern may be shorter. */
const patternBytes = 2;

interface FactorPointers {
  /** The local that holds an offset. The sum of this offset and `at` is the address of this block's bit patterns. */
  readonly pointer: number;
  readonly at: number;
  readonly to: number;
}

function copyFactors(code: Code, { factor }: Scale, elements: number, { pointer, at, to }: FactorPointers): void {
  for (let i = 0; i < elements / factor.share; i++) {
    const [{ byte } = { byte: 0 }, ...more] = segmentsOf(factor.places(i));
    code
      .get(to)
      .get(pointer)
      .memory('i32.load16_u', at + patternBytes * i)
      .memory(more.length > 0 ? 'i32.store16' : 'i32.store8', packingMemory.blocks + byte);
  }
}

/**
 * A segment at the same position in each of several consecutive codes, and the place where these segments are stored.
 */
interface Part extends Segment {
  /** Index of the first code. */
  readonly first: number;
  /**
   * Number of codes, each of which has its segment in a byte of its own. The value `bits` stands for sixteen codes
   * whose segments are single bits; these bits are stored together in two bytes.
   */
  readonly count: 8 | 16 | 'bits';
}

function partsAt(places: Places, first: number): readonly Part[] {
  return columnsAt(places, first).flatMap((column): readonly Part[] => {
    switch (column.kind) {
      case 'run':
        return [{ ...column, first, count: 16 }];
      case 'halves':
        return column.halves.map((half, i) => ({ ...half, first: first + 8 * i, count: 8 }));
      case 'bits':
        return [{ ...column, first, count: 'bits', down: 0, mask: 1 }];
      default:
        return assertNever(column);
    }
  });
}

/** Combines parts that are stored in the same bytes, and stores them. */
function storeParts(code: Code, parts: readonly Part[], { from, to }: Readonly<Record<'from' | 'to', number>>): void {
  const { byte, count } = elementAt(parts, 0);
  const address = packingMemory.blocks + byte;
  code.get(to);
  parts.forEach((part, i) => {
    pushPart(code, part, from);
    if (i > 0) code.vector('v128.or');
  });
  if (count === 'bits') code.memory('i32.store16', address);
  else if (count === 16) code.vectorMemory('v128.store', address);
  else code.laneMemory('v128.store64_lane', address);
}

function pushPart(code: Code, { first, count, down, mask, up }: Part, from: number): void {
  code.get(from).vectorMemory(count === 8 ? 'v128.load64_zero' : 'v128.load', packingMemory.codes + first);
  if (count === 'bits') {
    if (up < 7) code.i32(7 - up).vector('i16x8.shl');
    code.vector('i8x16.bitmask');
    return;
  }
  // Bits that are shifted in from neighboring bytes are masked out.
  if (up > 0) code.i32(up).vector('i16x8.shr_u');
  if (mask !== 0xff) splat(code, mask * 0x01010101).vector('v128.and');
  if (down > 0) code.i32(down).vector('i16x8.shl');
}
