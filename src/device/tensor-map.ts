/** Makes tensor maps, which kernels take as arguments to copy boxes of tensors. */
import { elementAt } from '../base/element-at.ts';
import { PtxlabError } from '../base/error.ts';
import { requireOptions } from '../base/require.ts';
import type { RulesFor } from '../base/rules.ts';
import { mostDimensions } from '../isa/steps/memory.ts';
import { tensorElement } from '../isa/tensor-map-fields.ts';
import { encodeTensorMap } from '../machine/tensor-maps/tensor-map.ts';
import { isAddressed } from './arguments.ts';
import { boxRules } from './check-options.ts';
import type { TensorMapOptions } from './options.ts';

const rules: RulesFor<TensorMapOptions> = {
  tensor: { takes: 'a buffer or a bigint', accepts: (value) => typeof value === 'bigint' || isAddressed(value) },
  ...boxRules,
};

/**
 * Returns a tensor map for a kernel parameter of 128 bytes, such as `.param .align 64 .b8 map[128]`. It takes the place
 * of cuTensorMapEncodeTiled of the CUDA driver: the rules are the same, but the bytes are meaningful only to ptxlab.
 *
 * @throws PtxlabError `bad-option` if the tensor or the box breaks one of the rules
 */
export function tensorMap(options: TensorMapOptions): Uint8Array {
  requireOptions(options, rules, 'tensorMap');
  for (const name of ['tensor', 'type', 'dimensions', 'box'] as const) {
    if (options[name] === undefined) refuse(`option '${name}' is missing`);
  }
  const { tensor, type, dimensions, box, swizzle = 0, fill = 'zeros' } = options;
  const element = tensorElement(type);
  const rank = dimensions.length;
  if (rank < 1 || rank > mostDimensions) refuse(`a tensor has 1 to ${mostDimensions} dimensions, not ${rank}`);
  const address = typeof tensor === 'bigint' ? tensor : tensor.address;
  if (address % 16n !== 0n) refuse(`the address of the tensor must be a multiple of 16, not 0x${address.toString(16)}`);
  const strides = options.strides ?? packed(dimensions, element.bytes);
  const elementStrides = options.elementStrides ?? dimensions.map(() => 1);
  requireLength('box', box, rank);
  requireLength('elementStrides', elementStrides, rank);
  requireLength('strides', strides, rank - 1);
  const odd = strides.find((stride) => stride % 16 !== 0);
  if (odd !== undefined) refuse(`strides must be multiples of 16 bytes, not ${odd}`);
  const inRow = elementAt(box, 0) * element.bytes;
  if (inRow % 16 !== 0) refuse(`a row of the box must be a multiple of 16 bytes, not ${inRow}`);
  if (swizzle !== 0 && inRow > swizzle) refuse(`a row of ${inRow} bytes exceeds the swizzle of ${swizzle} bytes`);
  if (fill === 'nan' && element.nan === null) refuse(`elements of type ${type} cannot be filled with NaN`);
  return encodeTensorMap({
    address,
    element,
    dimensions,
    strides,
    box,
    elementStrides,
    swizzle: Math.max(1, swizzle / 16),
    fillsWithNan: fill === 'nan',
  });
}

/** The strides of a tensor without gaps. */
function packed(dimensions: readonly number[], elementBytes: number): readonly number[] {
  let stride = elementBytes;
  return dimensions.slice(0, -1).map((size) => (stride *= size));
}

function requireLength(name: string, values: readonly number[], length: number): void {
  if (values.length !== length) refuse(`${name} must contain ${length} numbers, not ${values.length}`);
}

function refuse(message: string): never {
  throw new PtxlabError('bad-option', `tensorMap: ${message}`);
}
