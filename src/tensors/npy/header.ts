/** The header of an .npy file, written as a Python literal. Only the syntax that numpy writes is supported. */
import { viewOf } from '../../base/byte-view.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { byteAt } from '../../base/typed-reads.ts';
import { npyMagic } from '../containers.ts';

export interface NpyHeader {
  /** Element type as numpy spells it: `<f4`, `|V1`, a name (`bfloat16`), or the list of the fields of a structure. */
  readonly descr: string;
  /** Whether the array is in Fortran order, in which the first index varies fastest. */
  readonly fortran: boolean;
  readonly shape: readonly number[];
}

/**
 * Determines the position of the header's text. `start` contains the first 12 bytes of the file, or the whole file if
 * it is shorter.
 */
export function npyHeaderRange(start: Uint8Array): Result<{ readonly begin: number; readonly end: number }, string> {
  if (start.byteLength < 10 || npyMagic.some((byte, i) => start[i] !== byte)) return err('not a .npy file');
  const major = byteAt(start, 6);
  if (major < 1 || major > 3) return err(`unknown .npy version ${major}`);
  const begin = major === 1 ? 10 : 12;
  if (start.byteLength < begin) return err('the header is cut off');
  const view = viewOf(start);
  return ok({ begin, end: begin + (major === 1 ? view.getUint16(8, true) : view.getUint32(8, true)) });
}

const member =
  /\s*(['"])(\w+)\1\s*:\s*(?:(['"])([^'"\\]*)\3|(True|False)|\(([^()]*)\)|(\[(?:[^[\]]|\[[^[\]]*\])*\]))\s*(,|\})/y;

/** Parses the literal. Keys may be in any order, but each must occur only once. */
export function parseNpyHeader(text: string): Result<NpyHeader, string> {
  const found = new Map<string, string>();
  const dict = /^\s*\{/.exec(text)?.[0];
  if (dict === undefined) return err('the header cannot be parsed');
  let at = dict.length;
  for (let separator = ','; separator === ','; ) {
    member.lastIndex = at;
    const match = member.exec(text);
    if (match === null) {
      if (!/^\s*\}/.test(text.slice(at)) || found.size === 0) return err('the header cannot be parsed');
      at = text.indexOf('}', at) + 1;
      break;
    }
    const [whole, , key = '', , quoted, word, tuple, list, next = ''] = match;
    if (found.has(key)) return err(`the header has '${key}' twice`);
    found.set(key, quoted ?? word ?? list ?? `(${tuple})`);
    at += whole.length;
    separator = next;
  }
  if (text.slice(at).trim() !== '') return err('the header cannot be parsed');
  return readMembers(found);
}

function readMembers(found: ReadonlyMap<string, string>): Result<NpyHeader, string> {
  const descr = found.get('descr');
  const order = found.get('fortran_order');
  const shapeText = found.get('shape');
  if (found.size !== 3 || descr === undefined || shapeText === undefined || !/^(True|False)$/.test(order ?? ''))
    return err('the header cannot be parsed');
  // In Python, a tuple with one item has a trailing comma. With Python 2, numpy wrote integers with the suffix L.
  if (!/^\((\s*|\s*\d+L?\s*,\s*|\s*\d+L?\s*(,\s*\d+L?\s*)+,?\s*)\)$/.test(shapeText))
    return err(`shape ${shapeText} is not valid`);
  const shape = (shapeText.match(/\d+/g) ?? []).map(Number);
  if (!shape.every((extent) => Number.isSafeInteger(extent))) return err(`shape ${shapeText} is not valid`);
  return ok({ descr, fortran: order === 'True', shape });
}

/**
 * Everything that precedes the data of a file, in version 1.0 or 2.0 of the format. The data is aligned to 64 bytes.
 */
export function npyHeader({ descr, shape }: Pick<NpyHeader, 'descr' | 'shape'>): Uint8Array {
  const extents = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${extents}), }`;
  const total = Math.ceil((text.length + 11) / 64) * 64;
  const header = new Uint8Array(total).fill(0x20);
  header.set(npyMagic);
  header.set([1, 0], 6);
  new DataView(header.buffer).setUint16(8, total - 10, true);
  header.set(new TextEncoder().encode(text), 10);
  header[total - 1] = 0x0a;
  return header;
}
