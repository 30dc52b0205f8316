/** Tensor maps, which describe tensors in global memory for instructions that copy parts of them. */
import { elementAt } from '../../base/element-at.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { type BoxMode, mostDimensions } from '../../isa/steps/memory.ts';
import {
  cornerBits,
  elementCode,
  elementStrideBits,
  highStrideBits,
  isPadded,
  knownBits,
  lowStrideBits,
  type MapField,
  paddedBlock,
  strideUnit,
  type Swizzle,
  swizzles,
  type TensorElement,
  tensorElements,
  tensorMapFields,
  tensorMapWords,
} from '../../isa/tensor-map-fields.ts';
import { machineFault } from '../fault.ts';

export const tensorMapBytes = 128;

/** A tensor and the parts of it that instructions copy. Lists begin with the innermost dimension. */
export interface TensorMap {
  readonly address: bigint;
  /** An entry of the table `tensorElements`. */
  readonly element: TensorElement;
  readonly dimensions: readonly number[];
  /** For dimension 1 and higher dimensions, the distance in bytes between neighboring elements. */
  readonly strides: readonly number[];
  readonly part: TensorPart;
  readonly elementStrides: readonly number[];
  /** An entry of the table `swizzles`. */
  readonly swizzle: Swizzle;
  /** Whether elements outside the tensor are copied as NaN instead of zero. */
  readonly fillsWithNan: boolean;
}

/** The part of a tensor that an instruction copies. */
export type TensorPart = { readonly kind: 'box'; readonly sizes: readonly number[] } | PixelColumn;

/**
 * Pixels of images (PTX ISA 9.1, section 5.5.4). The first dimension of the tensor counts channels, and the last one
 * counts images. The corners limit the coordinates along the other dimensions: the lower corner is relative to the
 * first pixel, and the upper corner is relative to the last pixel.
 */
export interface PixelColumn {
  readonly kind: 'im2col';
  readonly lowerCorner: readonly number[];
  readonly upperCorner: readonly number[];
  readonly channelsPerPixel: number;
  readonly pixelsPerColumn: number;
}

const fields = tensorMapFields;

function readField(view: DataView, { at, low, width }: MapField): number {
  return (view.getUint32(at, true) >>> low) & (2 ** width - 1);
}

/** Writes a field whose bits are all 0 so far. If the value is too large, its high bits are dropped. */
function writeField(view: DataView, { at, low, width }: MapField, value: number): void {
  view.setUint32(at, view.getUint32(at, true) | ((value & (2 ** width - 1)) << low), true);
}

/** Returns field `i` of a sequence of adjacent fields that have the same width. */
function nth({ at, low }: MapField, i: number, width: number): MapField {
  return { at, low: low + i * width, width };
}

/** The bytes of a tensor map. */
export function encodeTensorMap(map: TensorMap): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(tensorMapBytes);
  const view = new DataView(bytes.buffer);
  const [elementType, rounds] = elementCode(map.element);
  const [mode, atomicity] = map.swizzle.code;
  view.setBigUint64(fields.address, map.address, true);
  writeField(view, fields.elementType, elementType);
  writeField(view, fields.rounds, rounds);
  writeField(view, fields.rank, map.dimensions.length - 1);
  writeField(view, fields.swizzle, mode);
  writeField(view, fields.farSwizzle, mode >> fields.swizzle.width);
  writeField(view, fields.atomicity, atomicity);
  writeField(view, fields.fill, map.fillsWithNan ? 1 : 0);
  map.elementStrides.forEach((step, i) => writeField(view, nth(fields.elementStrides, i, elementStrideBits), step - 1));
  map.dimensions.forEach((size, i) => view.setUint32(fields.dimensions + 4 * i, size - 1, true));
  map.strides.forEach((stride, i) => encodeStride(view, i, stride / strideUnit));
  encodePart(map.part, view);
  view.setUint32(fields.copied, copiedBytes(map), true);
  view.setUint32(fields.alignment, swizzleAlignment(map.swizzle), true);
  return bytes;
}

function encodeStride(view: DataView, i: number, units: number): void {
  view.setUint32(fields.strides + 4 * i, units % 2 ** lowStrideBits, true);
  writeField(view, nth(fields.highStrides, i, highStrideBits), Math.floor(units / 2 ** lowStrideBits));
}

function decodeStride(view: DataView, i: number): number {
  const low = view.getUint32(fields.strides + 4 * i, true);
  return (readField(view, nth(fields.highStrides, i, highStrideBits)) * 2 ** lowStrideBits + low) * strideUnit;
}

/**
 * The size of the copied part, as stored in a tensor map. The number of steps in a box is rounded down for this
 * purpose, whereas copies round it up.
 */
function copiedBytes({ part, elementStrides, element: { bytes, group } }: TensorMap): number {
  const elements =
    part.kind === 'im2col'
      ? part.channelsPerPixel * part.pixelsPerColumn
      : part.sizes.reduce((count, size, i) => count * Math.floor(size / elementAt(elementStrides, i)), 1);
  return (elements / group) * bytes;
}

/** The number of bytes after which the pattern of a swizzle repeats. */
function swizzleAlignment({ bytes, lines }: Swizzle): number {
  return bytes === 0 ? 16 : 128 * lines;
}

function encodePart(part: TensorPart, view: DataView): void {
  if (part.kind === 'box') {
    part.sizes.forEach((length, i) => view.setUint8(fields.box + i, length - 1));
    return;
  }
  writeField(view, fields.isIm2col, 1);
  view.setUint8(fields.channels, part.channelsPerPixel - 1);
  writeField(view, fields.pixels, part.pixelsPerColumn - 1);
  view.setUint16(fields.lowerCorner, packCorner(part.lowerCorner), true);
  view.setUint16(fields.upperCorner, packCorner(part.upperCorner), true);
}

/** Packs the coordinates of a corner, beginning with the lowest bits. */
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

/** Reads the words of a tensor map. If the words are invalid, returns a description of the problem. */
function decodeTensorMap(words: readonly bigint[]): Result<TensorMap, string> {
  const view = new DataView(new ArrayBuffer(8 * tensorMapWords));
  words.forEach((word, i) => view.setBigUint64(8 * i, word, true));
  const rank = readField(view, fields.rank) + 1;
  if (hasUnknownBits(view) || rank > mostDimensions) return err('has bits that no tensor map of ptxlab has');
  const [type, rounds] = [readField(view, fields.elementType), readField(view, fields.rounds)];
  const element = tensorElements.find((one) => elementCode(one).join() === `${type},${rounds}`);
  const mode = readField(view, fields.swizzle) + (readField(view, fields.farSwizzle) << fields.swizzle.width);
  const atomicity = readField(view, fields.atomicity);
  const swizzle = swizzles.find(({ code }) => code[0] === mode && code[1] === atomicity);
  if (element === undefined)
    return err(
      `has an element type that does not exist${rounds === 0 ? '' : ', or one that cannot be rounded to tf32'}`,
    );
  if (swizzle === undefined)
    return err(`has swizzling mode ${mode} with atomicity ${atomicity}, which do not go together`);
  if (readField(view, fields.interleave) !== 0) return err('has an interleaved layout, which ptxlab does not copy');
  const map: TensorMap = {
    address: view.getBigUint64(fields.address, true),
    element,
    dimensions: each(rank, (i) => view.getUint32(fields.dimensions + 4 * i, true) + 1),
    strides: each(rank - 1, (i) => decodeStride(view, i)),
    part: decodePart(view, rank),
    elementStrides: each(rank, (i) => readField(view, nth(fields.elementStrides, i, elementStrideBits)) + 1),
    swizzle,
    fillsWithNan: readField(view, fields.fill) !== 0,
  };
  const problem = groupProblem(map);
  return problem === null ? ok(map) : err(problem);
}

/** Whether any bits are set that are always 0 in ptxlab's tensor maps. */
function hasUnknownBits(view: DataView): boolean {
  return Object.entries(knownBits).some(([at, known]) => (view.getUint32(Number(at), true) & ~known) !== 0);
}

function decodePart(view: DataView, rank: number): TensorPart {
  if (readField(view, fields.isIm2col) === 0)
    return { kind: 'box', sizes: each(rank, (i) => view.getUint8(fields.box + i) + 1) };
  return {
    kind: 'im2col',
    lowerCorner: unpackCorner(view.getUint16(fields.lowerCorner, true), rank),
    upperCorner: unpackCorner(view.getUint16(fields.upperCorner, true), rank),
    channelsPerPixel: view.getUint8(fields.channels) + 1,
    pixelsPerColumn: readField(view, fields.pixels) + 1,
  };
}

/** The number of elements in a row of the copied part. */
export function rowLength({ part }: TensorMap): number {
  return part.kind === 'box' ? elementAt(part.sizes, 0) : part.channelsPerPixel;
}

/**
 * Describes what is wrong with a tensor map whose elements are copied in groups; null if it is valid (PTX ISA 9.1,
 * section 9.7.9.25.5.1). Restrictions of particular GPUs are not considered.
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
  return canSwizzle ? null : `has a swizzle that cannot be used with elements of type ${element.type}`;
}

const wantedPart = { tile: 'box', rows: 'box', im2col: 'im2col' } as const;

/**
 * Reads the tensor map of an instruction with the given coordinates. Throws a fault if the map does not match the
 * instruction.
 */
export function tensorMapFor(words: readonly bigint[], coordinates: readonly number[], mode: BoxMode): TensorMap {
  const map = decodeTensorMap(words);
  if (!map.ok) throw machineFault('PTX6035', { what: map.error });
  const what = mismatch(map.value, coordinates, mode);
  if (what !== null) throw machineFault('PTX6035', { what });
  return map.value;
}

/** Returns the reason why an instruction cannot use a tensor map; null if it can. */
function mismatch(
  { dimensions, part, element }: TensorMap,
  coordinates: readonly number[],
  mode: BoxMode,
): string | null {
  const wanted = mode === 'rows' ? 2 : coordinates.length;
  if (dimensions.length !== wanted)
    return `describes a tensor with ${dimensions.length} dimensions, but the instruction copies parts of a tensor with ${wanted} dimensions`;
  if (part.kind !== wantedPart[mode])
    return part.kind === 'box'
      ? 'describes boxes, but the instruction copies pixels (im2col)'
      : 'describes pixels (im2col), but the instruction copies boxes';
  if (mode === 'rows' && part.kind === 'box' && part.sizes[1] !== 1)
    return `has boxes with ${part.sizes[1]} rows, but the instruction needs boxes with one row`;
  const [first, unit] = [elementAt(coordinates, 0), isPadded(element) ? paddedBlock : alignedElements(element)];
  if (first % unit !== 0)
    return `has elements of type ${element.type}, so the first coordinate must be a multiple of ${unit}, not ${first}`;
  return null;
}

/** Within a row, every copy begins at a multiple of 16 bytes. */
const copyAlignment = 16;

/** Returns the number of elements to which the first coordinate must be aligned. */
function alignedElements({ bytes, group }: TensorElement): number {
  return (copyAlignment / bytes) * group;
}
