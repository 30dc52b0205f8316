/** Presents a file that the user has opened in the browser as a source of bytes. Only the requested bytes are read. */
import { type ByteSource, TensorFileError } from 'ptxlab/tensors';

export function blobSource(blob: Blob): ByteSource {
  return {
    size: blob.size,
    async read(offset, into) {
      if (offset + into.byteLength > blob.size)
        throw new TensorFileError(
          'truncated',
          `the file ends at byte ${blob.size}, before byte ${offset + into.byteLength}`,
        );
      try {
        into.set(new Uint8Array(await blob.slice(offset, offset + into.byteLength).arrayBuffer()));
      } catch (cause) {
        throw new TensorFileError('changed', 'the file was changed, moved or deleted while it was being read', {
          cause,
        });
      }
    },
  };
}
