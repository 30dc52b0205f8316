/** A tensor as it is stored in a safetensors file. */
export interface StoredTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** The tensors of a file, by name. */
export type StoredTensors = Readonly<Record<string, StoredTensor>>;

/** The bytes of a safetensors file. */
export function safetensorsBytes(tensors: StoredTensors, metadata?: Readonly<Record<string, string>>): Buffer {
  let end = 0;
  const entries = Object.entries(tensors).map(([name, { dtype, shape, bytes }]) => {
    const begin = end;
    end += bytes.length;
    return [name, { dtype, shape, data_offsets: [begin, end] }] as const;
  });
  const own = metadata === undefined ? {} : { __metadata__: metadata };
  const header = Buffer.from(JSON.stringify({ ...own, ...Object.fromEntries(entries) }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, ...Object.values(tensors).map(({ bytes }) => bytes)]);
}
