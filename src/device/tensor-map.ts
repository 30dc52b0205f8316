/** Creates tensor maps: kernel arguments that describe how to copy parts of tensors. */
import { elementAt } from '../base/element-at.ts';
import { PtxlabError } from '../base/error.ts';
import { requireOptions } from '../base/require.ts';
import type { RulesFor } from '../base/rules.ts';
import { mostDimensions } from '../isa/steps/memory.ts';
import { cornerBits, isPadded, type Swizzle, swizzles, tensorElement } from '../isa/tensor-map-fields.ts';
import {
  encodeTensorMap,
  groupProblem,
  rowLength,
  type TensorMap,
  type TensorPart,
} from '../machine/tensor-maps/tensor-map.ts';
import { isAddressed } from './arguments.ts';
import { boxRules } from './check-options.ts';
import type { Im2colOptions, TensorMapOptions } from './options.ts';

const rules: RulesFor<TensorMapOptions> = {
  tensor: {
    takes: 'a buffer or an address from 0 to 2^64 - 1 as a bigint',
    accepts: (value) => (typeof value === 'bigint' ? value === BigInt.asUintN(64, value) : isAddressed(value)),
  },
  ...boxRules,
};

/**
 * Returns a tensor map for a 128-byte kernel parameter, such as `.param .align 64 .b8 map[128]`. This function replaces
 * cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col of the CUDA driver; it applies the same rules and produces the
 * same bytes.
 *
 * @throws PtxlabError `bad-option` if the tensor or the copied part breaks one of the rules
 */
export function tensorMap(options: TensorMapOptions): Uint8Array {
  requireOptions(options, rules, 'tensorMap');
  for (const name of ['tensor', 'type', 'dimensions'] as const) {
    if (options[name] === undefined) refuse(`option '${name}' is missing`);
  }
  const map = mapOf(options);
  requireLayout(map);
  requireRows(map);
  return encodeTensorMap(map);
}

function mapOf(options: TensorMapOptions): TensorMap {
  const { tensor, type, dimensions, fill = 'zeros' } = options;
  const element = tensorElement(type);
  const rank = dimensions.length;
  if (rank < 1 || rank > mostDimensions) refuse(`a tensor has 1 to ${mostDimensions} dimensions, not ${rank}`);
  const strides = options.strides ?? packed(dimensions, element.bytes / element.group);
  const elementStrides = options.elementStrides ?? dimensions.map(() => 1);
  requireLength('elementStrides', elementStrides, rank);
  requireLength('strides', strides, rank - 1);
  if (fill === 'nan' && !element.isFloat) refuse(`elements of type ${type} cannot be filled with NaN`);
  return {
    address: typeof tensor === 'bigint' ? tensor : tensor.address,
    element,
    dimensions,
    strides,
    part: partOf(options),
    elementStrides,
    swizzle: swizzleOf(options),
    fillsWithNan: fill === 'nan',
  };
}

/** The strides of a tensor without gaps. */
function packed(dimensions: readonly number[], elementBytes: number): readonly number[] {
  let stride = elementBytes;
  return dimensions.slice(0, -1).map((size) => (stride *= size));
}

function partOf({ box, im2col, dimensions }: TensorMapOptions): TensorPart {
  if (box !== undefined && im2col !== undefined) refuse(`only one of the options 'box' and 'im2col' can be given`);
  if (im2col !== undefined) return pixelsOf(im2col, dimensions);
  if (box === undefined) refuse(`option 'box' or 'im2col' is missing`);
  requireLength('box', box, dimensions.length);
  return { kind: 'box', sizes: box };
}

function pixelsOf(im2col: Im2colOptions, dimensions: readonly number[]): TensorPart {
  const rank = dimensions.length;
  if (rank < 3) refuse(`a tensor of images has 3 to ${mostDimensions} dimensions, not ${rank}`);
  for (const name of ['lowerCorner', 'upperCorner', 'channelsPerPixel', 'pixelsPerColumn'] as const) {
    if (im2col[name] === undefined) refuse(`option 'im2col.${name}' is missing`);
  }
  const most = 2 ** (elementAt(cornerBits, rank) - 1);
  for (const name of ['lowerCorner', 'upperCorner'] as const) {
    requireLength(`im2col.${name}`, im2col[name], rank - 2);
    const far = im2col[name].find((at) => at < -most || at >= most);
    if (far !== undefined)
      refuse(`im2col.${name} must be between ${-most} and ${most - 1} in ${rank} dimensions, not ${far}`);
  }
  im2col.lowerCorner.forEach((low, i) => {
    const high = elementAt(dimensions, i + 1) - 1 + elementAt(im2col.upperCorner, i);
    if (low > high) refuse(`the corners of im2col leave no pixels along dimension ${i + 1}: from ${low} to ${high}`);
  });
  return { kind: 'im2col', ...im2col };
}

function swizzleOf({ swizzle = 0, swizzleAtom = 16 }: TensorMapOptions): Swizzle {
  const found = swizzles.find(
    ({ bytes, atom, flips }) => bytes === swizzle && (flips ? '32-flip-8' : atom) === swizzleAtom,
  );
  return found ?? refuse(`a swizzle of ${swizzle} bytes has no atom ${swizzleAtom}`);
}

/** Checks the alignment of a tensor. */
function requireLayout({ address, element, strides }: TensorMap): void {
  const alignment = isPadded(element) ? 32 : 16;
  if (address % BigInt(alignment) !== 0n)
    refuse(`the address of the tensor must be a multiple of ${alignment}, not 0x${address.toString(16)}`);
  const odd = strides.find((stride) => stride % alignment !== 0);
  if (odd !== undefined) refuse(`strides must be multiples of ${alignment} bytes, not ${odd}`);
}

/** Checks the size of the copied rows. */
function requireRows(map: TensorMap): void {
  const { element, swizzle } = map;
  const problem = groupProblem(map);
  if (problem !== null) refuse(`the map ${problem}`);
  const inRow = (rowLength(map) / element.group) * element.sharedBytes;
  const name = map.part.kind === 'box' ? 'a row of the box' : 'the channels of a pixel';
  if (inRow % 16 !== 0) refuse(`${name} must be a multiple of 16 bytes, not ${inRow}`);
  if (swizzle.bytes !== 0 && inRow > swizzle.bytes)
    refuse(`a row of ${inRow} bytes exceeds the swizzle of ${swizzle.bytes} bytes`);
}

function requireLength(name: string, values: readonly number[], length: number): void {
  if (values.length !== length)
    refuse(`${name} must contain ${length} ${length === 1 ? 'number' : 'numbers'}, not ${values.length}`);
}

function refuse(message: string): never {
  throw new PtxlabError('bad-option', `tensorMap: ${message}`);
}
