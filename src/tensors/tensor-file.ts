/**
 * A tensor file, whatever its container: what is in it, and where. Opening one reads its header only; the data of a tensor
 * is read piece by piece through `data`, so neither the file nor a tensor needs to fit into memory.
 */
import type { FormatName } from '../numerics/formats.ts';
import type { ByteSink, ByteSource } from './bytes.ts';
import type { Container } from './containers.ts';

/**
 * How the elements of a tensor lie in its bytes, in C order (the last extent varies fastest), little-endian.
 *
 * - `whole`: each element in the bytes it needs; formats narrower than a byte in the low bits of one.
 * - `dense`: elements of 2, 4 or 6 bits without padding; the first in the lowest bits of the first byte.
 * - `q8_0`, `mxfp4`, `nvfp4`: blocks of GGUF, see gguf-blocks.ts; each holds scales besides the elements.
 * - `opaque`: bytes that ptxlab can copy, not read.
 */
export type Packing = 'whole' | 'dense' | BlockLayout | 'opaque';

export type BlockLayout = 'q8_0' | 'mxfp4' | 'nvfp4';

export interface TensorEntry {
  readonly name: string;
  /** The element type as the file spells it: `F8_E4M3`, `<f4`, `MXFP4`. */
  readonly dtype: string;
  /** What one element is (of a block: what its codes are); `opaque` for bool, complex and what PTX does not know. */
  readonly format: FormatName | 'opaque';
  /** Extents in elements, the last varying fastest; empty for a scalar. */
  readonly shape: readonly number[];
  /** The product of the shape. */
  readonly elements: number;
  readonly packing: Packing;
  /** Of the data, in the file that holds it (`shard`); for a compressed one, where the compressed data begins. */
  readonly offset: number;
  /** Of the data as `data` gives it, uncompressed. */
  readonly byteLength: number;
  /** The file that holds the data, for a model of several; else null. */
  readonly shard: string | null;
}

/** What a container says beside its tensors. */
export type Metadata = Readonly<Record<string, MetadataValue>>;
export type MetadataValue = string | number | bigint | boolean | readonly MetadataValue[];

export interface TensorFile {
  readonly container: Container;
  /** In the order of the file's header. */
  readonly tensors: readonly TensorEntry[];
  readonly metadata: Metadata;
  /**
   * The data of a tensor of this file, `byteLength` bytes. Reads in ascending order are fast; for a compressed tensor of
   * an .npz, reading backwards starts over.
   */
  readonly data: (entry: TensorEntry) => ByteSource;
}

/** A tensor to be written; `dtype` as the container spells it. */
export interface TensorPlan {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
}

/**
 * A file to be written: its size and where everything goes. Write `header` at 0, the data of each tensor at its `offset`,
 * in whatever order and pieces, and call `finish` at the end; what lies between stays zero.
 */
export interface FileLayout {
  readonly container: Container;
  readonly size: number;
  readonly header: Uint8Array;
  /** In the order of the data, which need not be that of the plan. */
  readonly tensors: readonly TensorEntry[];
  /** Writes what comes last: the checksums of an .npz, headers and index of several files. Null where nothing does. */
  readonly finish: ((file: ByteSource & ByteSink) => Promise<void>) | null;
  /** Of a model in several files, these: what is laid out is their bytes, one after the other. Else null. */
  readonly files: readonly FilePlace[] | null;
}

/** A file among several that are laid out as one. */
export interface FilePlace {
  readonly name: string;
  /** Of its first byte, in the whole. */
  readonly offset: number;
  readonly size: number;
}
