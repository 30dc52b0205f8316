/** Multiplies matrices in tensor memory, and copies matrices to it. */
import type { StepOf } from '../isa/steps/step.ts';
import { misuse, ranksOf, type TensorAccess } from '../machine/tensor-memory/access.ts';
import { copyToTensor } from '../machine/tensor-memory/copy.ts';
import { multiplyInTensor } from '../machine/tensor-memory/product.ts';
import type { AccessContext } from './memory-access.ts';
import type { Block } from './thread.ts';
import { type Action, bigintIn, type Frame, type PlaceOf } from './value-steps.ts';

export function prepareTensorProduct(step: StepOf<'tensor-product'>, placeOf: PlaceOf, context: AccessContext): Action {
  const { product } = step;
  const [d, a, b] = [placeOf(step.d), placeOf(step.a), placeOf(step.b)];
  const [instruction, adds] = [placeOf(step.instruction), placeOf(step.adds)];
  const [scale = null, metadata = null, zeroColumns = null] = [step.scale, step.metadata, step.zeroColumns].map(
    (ref) => (ref === null ? null : placeOf(ref)),
  );
  const scales = (step.scales ?? []).map(placeOf);
  const unchanged = (step.unchanged ?? []).map(placeOf);
  return (frame: Frame) => {
    const call = {
      product,
      d: bigintIn(frame, d),
      a: bigintIn(frame, a),
      b: bigintIn(frame, b),
      instruction: Number(frame[instruction]),
      adds: frame[adds] === 1,
      scale: scale === null ? 0 : Number(frame[scale]),
      scales: scales.map((place) => bigintIn(frame, place)),
      metadata: metadata === null ? 0n : bigintIn(frame, metadata),
      zeroColumns: zeroColumns === null ? 0n : bigintIn(frame, zeroColumns),
      unchanged: unchanged.map((place) => Number(frame[place])),
    };
    multiplyInTensor(call, memoriesOf(product.blocks, context));
  };
}

export function prepareTensorCopy(step: StepOf<'tensor-copy'>, placeOf: PlaceOf, context: AccessContext): Action {
  const [to, source] = [placeOf(step.to), placeOf(step.source)];
  return (frame: Frame) => {
    copyToTensor(step.copy, bigintIn(frame, to), bigintIn(frame, source), memoriesOf(step.copy.blocks, context));
  };
}

/** The memories of the blocks that carry out an instruction. */
function memoriesOf(blocks: 1 | 2, { cpu }: AccessContext): readonly TensorAccess[] {
  const { block, blocksPerCluster } = cpu;
  if (blocks === 1) return [accessOf(block)];
  const ranks = ranksOf(blocks, block.number % blocksPerCluster, blocksPerCluster);
  return ranks.map((rank) => accessOf(cpu.neighbor(rank)));
}

/**
 * Bytes that were never written count as defined, because a tile at the edge of a matrix may have rows whose results are
 * not used.
 */
function accessOf({ shared, tensor }: Block): TensorAccess {
  if (tensor === null) throw misuse('the kernel has none');
  return {
    chunk: (address) => {
      shared.check('load', address, 16);
      return shared.bytesAt(address, 16);
    },
    read: (offset, size) => tensor.bytesAt(offset, size),
    write: (offset, size) => {
      tensor.mark(offset, size);
      return tensor.bytesAt(offset, size);
    },
  };
}
