/**
 * The .npy format, versions 1.0 to 3.0: a header and the bytes of one array in C order, little-endian. Types that numpy
 * has no code for (fp8, bf16) travel as bytes.
 */
import { err, ok, type Result } from '../base/result.ts';

/** Element types by numpy's code without its byte order. */
export type NpyType = 'f2' | 'f4' | 'f8' | 'i1' | 'i2' | 'i4' | 'i8' | 'u1' | 'u2' | 'u4' | 'u8' | 'b1';

const knownTypes: ReadonlySet<string> = new Set<NpyType>([
  'f2',
  'f4',
  'f8',
  'i1',
  'i2',
  'i4',
  'i8',
  'u1',
  'u2',
  'u4',
  'u8',
  'b1',
]);

export interface NpyArray {
  readonly type: NpyType;
  readonly shape: readonly number[];
  /** Elements in C order, little-endian; exactly `itemSize * product(shape)` of them. */
  readonly bytes: Uint8Array;
}

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

/** Bytes of one element. */
export function itemSize(type: NpyType): number {
  return Number(type.slice(1));
}

/** Reads an array; the error says what is wrong with the file. */
export function readNpy(file: Uint8Array): Result<NpyArray, string> {
  if (file.byteLength < 10 || magic.some((byte, i) => file[i] !== byte)) return err('not a .npy file');
  const major = file[6] as number;
  if (major < 1 || major > 3) return err(`.npy version ${major} is not known`);
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const start = major === 1 ? 10 : 12;
  if (file.byteLength < start) return err('the header is cut off');
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (start + length > file.byteLength) return err('the header is cut off');
  const header = new TextDecoder('latin1').decode(file.subarray(start, start + length));
  return readArray(header, file.subarray(start + length));
}

function readArray(header: string, data: Uint8Array): Result<NpyArray, string> {
  const descr = /'descr'\s*:\s*'([<>|=])(\w+)'/.exec(header);
  const shapeText = /'shape'\s*:\s*\(([^)]*)\)/.exec(header)?.[1];
  const fortran = /'fortran_order'\s*:\s*(True|False)/.exec(header)?.[1];
  if (descr === null || shapeText === undefined || fortran === undefined) return err('the header is not understood');
  const [, order = '', code = ''] = descr;
  if (!knownTypes.has(code)) return err(`element type '${order}${code}' is not supported`);
  if (order === '>' && code.slice(1) !== '1') return err('big-endian arrays are not supported');
  const shape = shapeText
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map(Number);
  if (!shape.every((extent) => Number.isSafeInteger(extent) && extent >= 0))
    return err(`shape (${shapeText}) is not understood`);
  if (fortran === 'True' && shape.filter((extent) => extent !== 1).length > 1)
    return err('Fortran order is not supported');
  const type = code as NpyType;
  const size = shape.reduce((product, extent) => product * extent, itemSize(type));
  if (data.byteLength < size) return err(`the data is cut off: ${data.byteLength} of ${size} bytes`);
  return ok({ type, shape, bytes: data.subarray(0, size) });
}

/** The file of an array: version 1.0, data aligned to 64 bytes. */
export function writeNpy({ type, shape, bytes }: NpyArray): Uint8Array {
  const order = itemSize(type) === 1 ? '|' : '<';
  const extents = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const header = `{'descr': '${order}${type}', 'fortran_order': False, 'shape': (${extents}), }`;
  const padded = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11);
  const file = new Uint8Array(10 + padded.length + 1 + bytes.byteLength);
  file.set(magic);
  file[6] = 1;
  new DataView(file.buffer).setUint16(8, padded.length + 1, true);
  file.set(new TextEncoder().encode(`${padded}\n`), 10);
  file.set(bytes, 11 + padded.length);
  return file;
}
