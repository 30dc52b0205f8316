/** Describes in words how the elements of a tensor are stored. */
import type { ModelTensor } from '../tensors/checkpoints/model-tensors.ts';
import { describeScales } from '../tensors/scales.ts';

type Encoded = Pick<ModelTensor, 'entry' | 'scales'>;

/** The type of a tensor's elements, such as `F8_E4M3*`. The star means that the tensor has scales. */
export function starredType({ entry, scales }: Encoded): string {
  return entry.dtype + (scales === null ? '' : '*');
}

/** `F8_E4M3 with a scale per row (F32)`. */
export function encodingText({ entry, scales }: Encoded, isAscii: boolean): string {
  if (scales === null) return entry.dtype;
  const shared = describeScales(scales, isAscii ? ' x ' : ' \u00d7 ');
  const { second } = scales;
  const whole = second?.entry.elements === 1 ? 'one for all' : 'one per matrix';
  const rule = second?.rule === 'divide' ? 'divided by ' : '';
  const further = second === null ? '' : `, ${rule}${whole} (${second.entry.dtype})`;
  const zeros = (scales.words?.zeros ?? null) === null ? '' : ' and zero points';
  return `${entry.dtype} with ${shared} (${scales.scale.dtype})${further}${zeros}`;
}
