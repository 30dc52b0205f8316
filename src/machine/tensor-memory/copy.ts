/** Carries out tcgen05.cp (PTX ISA 9.1, section 9.7.16.9.1). Each engine provides the functions that access memory. */
import type { TensorCopy } from '../../isa/tensor-copy.ts';
import { tensorLanes, tensorOffset, tensorPlace } from '../../isa/tensor-memory.ts';
import { sharedTile } from './shared-tile.ts';
import { warpSize } from '../launch.ts';
import { misuse, requireColumns, smallCode, type TensorAccess } from './access.ts';

const chunkBytes = 16;

/**
 * Copies rows of a matrix to lanes.
 *
 * @param to the address in tensor memory
 * @param source a descriptor of the matrix in shared memory, in which elements of a row are adjacent
 * @param memories the functions that access memory, for each block that copies
 */
export function copyToTensor(copy: TensorCopy, to: bigint, source: bigint, memories: readonly TensorAccess[]): void {
  for (const memory of memories) copyInBlock(copy, to, source, memory);
}

function copyInBlock({ parts, chunks, unpacks }: TensorCopy, to: bigint, source: bigint, memory: TensorAccess): void {
  const tile = sharedTile(source, true, 8);
  const [lane, column] = tensorPlace(to);
  const perChunk = chunkBytes / 4;
  requireColumns(column, chunks * perChunk, memory);
  if (lane + Math.max(...parts.flat()) + warpSize > tensorLanes) throw misuse('the rows do not fit into the lanes');
  parts.forEach((lanes, part) => {
    for (let row = 0; row < warpSize; row++) {
      for (let at = 0; at < chunks; at++) {
        const chunk = memory.chunk(tile(part * warpSize + row, at)).slice();
        const bytes = unpacks === null ? chunk : unpacked(chunk, unpacks);
        for (const first of lanes)
          memory.write(tensorOffset(lane + first + row, column + at * perChunk), chunkBytes).set(bytes);
      }
    }
  });
}

/** Unpacks 16 elements to bytes. An fp4 number is placed in bits 2 to 5, an fp6 number in bits 0 to 5. */
function unpacked(chunk: Uint8Array, width: 4 | 6): Uint8Array {
  return Uint8Array.from({ length: chunkBytes }, (_, i) => smallCode(chunk, i, width) << (width === 4 ? 2 : 0));
}
