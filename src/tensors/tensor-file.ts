/**
 * A tensor file of any container: its tensors and their positions. When a file is opened, only its header is read. The
 * data of a tensor is read piece by piece through `data`, so neither the file nor any of its tensors has to fit into
 * memory.
 */
import type { FormatName } from '../numerics/formats.ts';
import type { ByteSink, ByteSource } from './bytes.ts';
import type { Container } from './containers.ts';

/**
 * How the elements of a tensor are stored. Elements are always in C order (the last index varies fastest) and
 * little-endian.
 *
 * - `whole`: each element takes up a whole number of bytes; an element narrower than a byte is in the low bits of its
 *   byte.
 * - `dense`: elements of 2, 4 or 6 bits without padding; the first element is in the lowest bits of the first byte.
 * - `q4_0`, `q4_k`, `mxfp4`, …: GGUF blocks (see gguf/block-rows.ts). Each block contains scales in addition to
 *   elements.
 * - `opaque`: bytes that ptxlab can copy, but not read.
 */
export type Packing = 'whole' | 'dense' | BlockLayout | 'opaque';

/** GGUF block types, with ggml's names in lower case. */
export type BlockLayout =
  | 'q4_0'
  | 'q4_1'
  | 'q5_0'
  | 'q5_1'
  | 'q8_0'
  | 'q2_k'
  | 'q3_k'
  | 'q4_k'
  | 'q5_k'
  | 'q6_k'
  | 'iq4_nl'
  | 'iq4_xs'
  | 'tq1_0'
  | 'tq2_0'
  | 'mxfp4'
  | 'nvfp4'
  | 'iq1_s'
  | 'iq1_m'
  | 'iq2_xxs'
  | 'iq2_xs'
  | 'iq2_s'
  | 'iq3_xxs'
  | 'iq3_s';

export interface TensorEntry {
  readonly name: string;
  /** The element type as it is written in the file: `F8_E4M3`, `<f4`, `MXFP4`. */
  readonly dtype: string;
  /**
   * The format of an element. If the elements are stored in blocks, this is the narrowest format that can hold their
   * codes. The format is `opaque` for booleans, complex numbers and other types that PTX does not have.
   */
  readonly format: FormatName | 'opaque';
  /** The extents of the tensor. The last index varies fastest; the list is empty for a scalar. */
  readonly shape: readonly number[];
  /** Number of elements, which is the product of the extents. */
  readonly elements: number;
  readonly packing: Packing;
  /**
   * Offset of the data in the file that contains it (see `shard`). If the data is compressed, this is the offset of the
   * first compressed byte.
   */
  readonly offset: number;
  /** Length in bytes of the uncompressed data, which is what `data` returns. */
  readonly byteLength: number;
  /** The file that contains the data, if the model consists of several files; otherwise null. */
  readonly shard: string | null;
}

/** Metadata that is stored in a file in addition to tensors. */
export type Metadata = Readonly<Record<string, MetadataValue>>;
export type MetadataValue = string | number | bigint | boolean | readonly MetadataValue[];

/**
 * Information that is needed to interpret the packed integers of a checkpoint, in addition to the names, types and
 * shapes of its tensors.
 */
export interface ModelHints {
  /** The contents of the small tensors that specify the shape of a packed matrix, by tensor name. */
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /**
   * The version of GPTQ's format: version 1 stores zero points minus 1, and version 2 stores the zero points
   * themselves. Null if no file specifies the version.
   */
  readonly gptq: 1 | 2 | null;
}

export interface TensorFile {
  readonly container: Container;
  /** The tensors, in the order of the file's header. */
  readonly tensors: readonly TensorEntry[];
  readonly metadata: Metadata;
  /**
   * Returns the data of a tensor of this file, as a source of `byteLength` bytes. Read the data in ascending order if
   * possible. If a compressed tensor of an .npz file is read at a lower offset than in the previous read, its data must
   * be decompressed again from the start.
   */
  readonly data: (entry: TensorEntry) => ByteSource;
  /** Additional information for interpreting packed integers, which `openTensorFile` has read. */
  readonly hints?: ModelHints;
  /**
   * For a model in several files: the names of tensors that are in these files, but not in the index. Such tensors are
   * not part of the model.
   */
  readonly unlisted?: readonly string[];
  /**
   * For .npz: members that contain something other than numbers, such as Python objects. These members are left out of
   * `tensors`.
   */
  readonly unreadable?: readonly UnreadableMember[];
}

/** A part of a file that ptxlab cannot read. */
export interface UnreadableMember {
  readonly name: string;
  /** Why the part cannot be read, worded as an error message. */
  readonly reason: string;
}

/** A tensor to be written; `dtype` is the type name that the container uses. */
export interface TensorPlan {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
}

/**
 * A file to be written: its size and layout. Write `header` at 0 and the data of each tensor at its `offset`, in any
 * order and in any pieces, then call `finish`. The bytes between these parts must be zero.
 */
export interface FileLayout {
  readonly container: Container;
  readonly size: number;
  readonly header: Uint8Array;
  /** The tensors, in the order of their data in the file. This order may differ from the order in the plan. */
  readonly tensors: readonly TensorEntry[];
  /**
   * Writes the parts that remain after the tensors have been written. For an .npz file, the remaining parts are the
   * checksums; for a model that is split into several files, they are the headers of these files and the index. Null if
   * nothing remains to be written.
   */
  readonly finish: ((file: ByteSource & ByteSink) => Promise<void>) | null;
  /**
   * The files into which a model is split. The layout treats them as a sequence: the bytes of each file follow those of
   * the previous one. Null if there is only one file.
   */
  readonly files: readonly FilePlace[] | null;
}

/** The position of a file in a sequence of several files. */
export interface FilePlace {
  readonly name: string;
  /** Offset of the file's first byte in the sequence. */
  readonly offset: number;
  readonly size: number;
}
