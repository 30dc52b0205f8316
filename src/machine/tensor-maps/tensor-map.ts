/** Tensor maps, which describe tensors in global memory to instructions that copy boxes of them. */
import { elementAt } from '../../base/element-at.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { type BoxMode, mostDimensions } from '../../isa/steps/memory.ts';
import {
  cornerBits,
  isPadded,
  paddedBlock,
  type Swizzle,
  swizzles,
  type TensorElement,
  tensorElements,
  tensorMapFields,
  tensorMapTag,
  tensorMapWords,
} from '../../isa/tensor-map-fields.ts';
import { machineFault } from '../fault.ts';

export const tensorMapBytes = 128;

/** A tensor and the parts of it that instructions copy. Lists begin with the innermost dimension. */
export interface TensorMap {
  readonly address: bigint;
  /** A row of `tensorElements`. */
  readonly element: TensorElement;
  readonly dimensions: readonly number[];
  /** Distances in bytes between neighbors in dimension 1 and higher. */
  readonly strides: readonly number[];
  readonly part: TensorPart;
  readonly elementStrides: readonly number[];
  /** A row of `swizzles`. */
  readonly swizzle: Swizzle;
  /** Whether elements outside the tensor are NaN instead of zero. */
  readonly fillsWithNan: boolean;
}

/** What an instruction copies. */
export type TensorPart = { readonly kind: 'box'; readonly sizes: readonly number[] } | PixelColumn;

/**
 * Pixels of images (PTX ISA 9.1, section 5.5.4). The first dimension of the tensor is that of the channels, and the
 * last one is that of the images. The corners bound the coordinates along the dimensions between them: the lower one
 * is relative to the first pixel, and the upper one is relative to the last pixel.
 */
export interface PixelColumn {
  readonly kind: 'im2col';
  readonly lowerCorner: readonly number[];
  readonly upperCorner: readonly number[];
  readonly channelsPerPixel: number;
  readonly pixelsPerColumn: number;
}

const fields = tensorMapFields;

/** The bytes of a tensor map. */
export function encodeTensorMap(map: TensorMap): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(tensorMapBytes);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(fields.address, map.address, true);
  bytes[fields.tag] = tensorMapTag;
  bytes[fields.elementType] = tensorElements.indexOf(map.element);
  bytes[fields.rank] = map.dimensions.length - 1;
  [bytes[fields.swizzle], bytes[fields.atomicity]] = map.swizzle.code;
  bytes[fields.fill] = map.fillsWithNan ? 1 : 0;
  map.elementStrides.forEach((step, i) => view.setUint8(fields.elementStrides + i, step - 1));
  map.dimensions.forEach((size, i) => view.setUint32(fields.dimensions + 4 * i, size - 1, true));
  map.strides.forEach((stride, i) => view.setBigUint64(fields.strides + 8 * i, BigInt(stride), true));
  encodePart(map.part, view);
  return bytes;
}

function encodePart(part: TensorPart, view: DataView): void {
  if (part.kind === 'box') {
    part.sizes.forEach((length, i) => view.setUint8(fields.box + i, length - 1));
    return;
  }
  view.setUint8(fields.isIm2col, 1);
  view.setUint8(fields.channels, part.channelsPerPixel - 1);
  view.setUint16(fields.pixels, part.pixelsPerColumn - 1, true);
  view.setUint16(fields.lowerCorner, packCorner(part.lowerCorner), true);
  view.setUint16(fields.upperCorner, packCorner(part.upperCorner), true);
}

/** Packs the coordinates of a corner, from the low bits on. */
function packCorner(corner: readonly number[]): number {
  const bits = elementAt(cornerBits, corner.length + 2);
  return corner.reduce((packed, at, i) => packed | ((at & (2 ** bits - 1)) << (bits * i)), 0);
}

function unpackCorner(packed: number, dimensions: number): readonly number[] {
  const bits = elementAt(cornerBits, dimensions);
  return each(dimensions - 2, (i) => ((packed >>> (bits * i)) << (32 - bits)) >> (32 - bits));
}

function each<T>(count: number, of: (i: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, i) => of(i));
}

/** Reads the words of a tensor map. The error says what is wrong with them. */
function decodeTensorMap(words: readonly bigint[]): Result<TensorMap, string> {
  const view = new DataView(new ArrayBuffer(8 * tensorMapWords));
  words.forEach((word, i) => view.setBigUint64(8 * i, word, true));
  const rank = view.getUint8(fields.rank) + 1;
  if (view.getUint8(fields.tag) !== tensorMapTag || rank > mostDimensions) return err('was not made by ptxlab');
  const element = tensorElements[view.getUint8(fields.elementType)];
  const [mode, atomicity] = [view.getUint8(fields.swizzle), view.getUint8(fields.atomicity)];
  const swizzle = swizzles.find(({ code }) => code[0] === mode && code[1] === atomicity);
  if (element === undefined) return err('has an element type that does not exist');
  if (swizzle === undefined)
    return err(`has swizzling mode ${mode} with atomicity ${atomicity}, which do not go together`);
  if (view.getUint8(fields.interleave) !== 0) return err('has an interleaved layout, which ptxlab does not copy');
  const map: TensorMap = {
    address: view.getBigUint64(fields.address, true),
    element,
    dimensions: each(rank, (i) => view.getUint32(fields.dimensions + 4 * i, true) + 1),
    strides: each(rank - 1, (i) => Number(view.getBigUint64(fields.strides + 8 * i, true))),
    part: decodePart(view, rank),
    elementStrides: each(rank, (i) => view.getUint8(fields.elementStrides + i) + 1),
    swizzle,
    fillsWithNan: view.getUint8(fields.fill) !== 0,
  };
  const problem = groupProblem(map);
  return problem === null ? ok(map) : err(problem);
}

function decodePart(view: DataView, rank: number): TensorPart {
  if (view.getUint8(fields.isIm2col) === 0)
    return { kind: 'box', sizes: each(rank, (i) => view.getUint8(fields.box + i) + 1) };
  return {
    kind: 'im2col',
    lowerCorner: unpackCorner(view.getUint16(fields.lowerCorner, true), rank),
    upperCorner: unpackCorner(view.getUint16(fields.upperCorner, true), rank),
    channelsPerPixel: view.getUint8(fields.channels) + 1,
    pixelsPerColumn: view.getUint16(fields.pixels, true) + 1,
  };
}

/** The number of elements of a row of what is copied. */
export function rowLength({ part }: TensorMap): number {
  return part.kind === 'box' ? elementAt(part.sizes, 0) : part.channelsPerPixel;
}

/**
 * What is wrong with a map of elements that are copied in groups, or null (PTX ISA 9.1, section 9.7.9.25.5.1). The
 * restrictions on single GPUs are not considered.
 */
export function groupProblem(map: TensorMap): string | null {
  const { element, dimensions, swizzle } = map;
  const [size, row] = [elementAt(dimensions, 0), rowLength(map)];
  const unit = isPadded(element) ? paddedBlock : element.group;
  if (size % unit !== 0)
    return `has ${size} elements of type ${element.type} in a row, but needs a multiple of ${unit}`;
  if (!isPadded(element))
    return row % unit === 0
      ? null
      : `has boxes with ${row} elements of type ${element.type}, which is not a multiple of ${unit}`;
  if (row !== paddedBlock)
    return `has boxes with ${row} elements of type ${element.type}, but needs boxes with ${paddedBlock}`;
  const canSwizzle = swizzle.bytes === 0 || (swizzle.bytes === 128 && !swizzle.flips);
  return canSwizzle ? null : `has a swizzle that elements of type ${element.type} do not have`;
}

const wantedPart = { tile: 'box', rows: 'box', im2col: 'im2col' } as const;

/**
 * Reads the tensor map of an instruction with a number of coordinates. Throws a fault if it does not describe what the
 * instruction copies.
 */
export function tensorMapFor(words: readonly bigint[], coordinates: readonly number[], mode: BoxMode): TensorMap {
  const map = decodeTensorMap(words);
  if (!map.ok) throw machineFault('PTX6035', { what: map.error });
  const what = mismatch(map.value, coordinates, mode);
  if (what !== null) throw machineFault('PTX6035', { what });
  return map.value;
}

/** Says why an instruction cannot use a map, or returns null. */
function mismatch(
  { dimensions, part, element }: TensorMap,
  coordinates: readonly number[],
  mode: BoxMode,
): string | null {
  const wanted = mode === 'rows' ? 2 : coordinates.length;
  if (dimensions.length !== wanted)
    return `describes a tensor with ${dimensions.length} dimensions, but the instruction copies parts of one with ${wanted}`;
  if (part.kind !== wantedPart[mode])
    return part.kind === 'box'
      ? 'describes boxes, but the instruction copies pixels (im2col)'
      : 'describes pixels (im2col), but the instruction copies boxes';
  if (mode === 'rows' && part.kind === 'box' && part.sizes[1] !== 1)
    return `has boxes with ${part.sizes[1]} rows, but the instruction needs boxes with one`;
  const [first, unit] = [elementAt(coordinates, 0), isPadded(element) ? paddedBlock : element.group];
  if (first % unit !== 0)
    return `has elements of type ${element.type}, so the first coordinate must be a multiple of ${unit}, not ${first}`;
  return null;
}
