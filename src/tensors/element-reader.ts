/**
 * Reads the elements of a stored tensor one piece at a time. The elements are returned in a form that conversions
 * accept.
 */
import { convert } from '../arrays/convert.ts';
import type { SourceArray, SourceFormat } from '../arrays/elements/source-values.ts';
import { packedDecoder } from '../arrays/quantized/packed-decoder.ts';
import { elementAt } from '../base/element-at.ts';
import { formats, type FormatName } from '../numerics/formats.ts';
import type { PackedBlock } from '../numerics/packed-blocks.ts';
import type { ByteSource } from './bytes.ts';
import { blockRows } from './gguf/block-rows.ts';
import { isBlockLayout } from './gguf/blocks.ts';
import type { TensorEntry, TensorFile } from './tensor-file.ts';
import { loadUnit, type TensorValues } from './tensor-values.ts';

export interface Values {
  readonly source: SourceArray;
  readonly from: SourceFormat;
}

/** Number of bits that each element occupies in the file, if the tensor is not stored in blocks. */
export function storedBits({ format, packing }: TensorEntry): number {
  const width = format === 'opaque' ? 8 : formats[format].width;
  return packing === 'dense' ? width : Math.max(8, width);
}

/**
 * Reads the pieces of one tensor into two buffers, which are used alternately. The result of a read therefore remains
 * valid during the next read, but not during the one after that.
 */
export class ElementReader {
  /**
   * All pieces are read from the same source, so that compressed or checksummed data does not have to be read again
   * from the start for each piece.
   */
  private readonly source: ByteSource;
  private readonly entry: TensorEntry;
  private readonly format: FormatName;
  private readonly scaled: TensorValues | null;
  private readonly block: PackedBlock | null;
  private readonly stored = new Rooms();
  private readonly decoded = new Rooms();

  /** @param scaled an object that reads the tensor's values if the tensor has separate scales; otherwise null */
  constructor(file: TensorFile, entry: TensorEntry, scaled: TensorValues | null = null) {
    this.source = file.data(entry);
    this.entry = entry;
    this.format = entry.format === 'opaque' ? 'u8' : entry.format;
    this.scaled = scaled;
    this.block = isBlockLayout(entry.packing) ? blockRows[entry.packing] : null;
  }

  /** Reads a range of the tensor's bytes as they are stored. */
  async bytes(from: number, to: number): Promise<Uint8Array> {
    const size = to - from;
    const room = new Uint8Array(this.stored.next(size), 0, size);
    await this.source.read(from, room);
    return room;
  }

  /**
   * Reads elements as they are stored or, if they have scales, their values as f32. The range must start at the
   * beginning of a byte and of a block.
   */
  async elements(first: number, count: number): Promise<Uint8Array | Float32Array> {
    if (this.scaled !== null) return this.scaledValues(this.scaled, first, count);
    if (this.block !== null) return this.blockValues(this.block, first, count);
    const bits = storedBits(this.entry);
    return this.bytes((first * bits) / 8, Math.ceil(((first + count) * bits) / 8));
  }

  /**
   * Reads values as f32, f16 or bf16. Elements of other formats are converted to f32; f64 elements are rounded to
   * nearest.
   */
  async values(first: number, count: number): Promise<Values> {
    const elements = await this.elements(first, count);
    if (elements instanceof Float32Array) return { source: elements, from: 'f32' };
    const { buffer } = elements;
    const { format } = this;
    if (format === 'f32') return { source: new Float32Array(buffer, 0, count), from: format };
    if (format === 'f16' || format === 'bf16') return { source: new Uint16Array(buffer, 0, count), from: format };
    const source = convert(elements, { from: format, to: 'f32', count, ...this.packing });
    return { source, from: 'f32' };
  }

  /** The options that tell `convert` how the elements are packed. */
  get packing(): { readonly sourcePacking?: 'bytes' | 'low-first' } {
    if (this.scaled !== null || this.block !== null || formats[this.format].width >= 8) return {};
    return { sourcePacking: this.entry.packing === 'dense' ? 'low-first' : 'bytes' };
  }

  private async blockValues(block: PackedBlock, first: number, count: number): Promise<Float32Array> {
    const { elements, bytes: size } = block;
    const bytes = await this.bytes((first / elements) * size, ((first + count) / elements) * size);
    const singles = new Float32Array(this.decoded.next(4 * count), 0, count);
    packedDecoder(block).decode(bytes, singles);
    return singles;
  }

  private async scaledValues(scaled: TensorValues, first: number, count: number): Promise<Float32Array> {
    const start = first - (first % loadUnit);
    const end = Math.min(Math.ceil((first + count) / loadUnit) * loadUnit, scaled.elements);
    const values = (await scaled.load(start, end - start))();
    const singles = new Float32Array(this.decoded.next(4 * count), 0, count);
    singles.set(values.subarray(first - start, first - start + count));
    return singles;
  }
}

/** Two buffers that are used alternately. */
class Rooms {
  private readonly rooms: [ArrayBuffer, ArrayBuffer] = [new ArrayBuffer(0), new ArrayBuffer(0)];
  private turn = 0;

  /** Returns the other buffer, enlarged to at least `size` bytes if necessary. */
  next(size: number): ArrayBuffer {
    this.turn = 1 - this.turn;
    const known = elementAt(this.rooms, this.turn);
    if (known.byteLength >= size) return known;
    const fresh = new ArrayBuffer(size);
    this.rooms[this.turn] = fresh;
    return fresh;
  }
}
