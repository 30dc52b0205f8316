/**
 * Reads the directory of a zip file, including the 64-bit extension. Members are only located; their data is not read.
 */
import { viewOf } from '../../base/byte-view.ts';
import { type ByteSource, readBytes, sliceSource } from '../bytes.ts';
import { checkedSource } from '../checked-source.ts';
import { inflateSource } from './inflate-source.ts';
import { quote, TensorFileError } from '../tensor-error.ts';

export interface ZipMember {
  readonly name: string;
  /** Start of the member's data, which may be compressed. */
  readonly offset: number;
  readonly compressed: boolean;
  readonly compressedSize: number;
  readonly size: number;
  readonly checksum: number;
}

export const zipSignatures = {
  local: 0x04034b50,
  central: 0x02014b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
} as const;

/** A 32-bit field with this value means that the actual value is in the 64-bit extension. */
export const elsewhere = 0xffffffff;

const endSize = 22;
const longestComment = 0xffff;
/**
 * Maximum size of the directory in bytes. This is enough for a million members, which is more than any real file has.
 */
const longestDirectory = 100_000_000;

interface Directory {
  readonly offset: number;
  readonly size: number;
  readonly members: number;
}

/** The members of a zip file in the order of its directory. */
export async function readZip(source: ByteSource): Promise<ZipMember[]> {
  const directory = await findDirectory(source);
  if (directory.size > longestDirectory)
    throw new TensorFileError('header-too-large', `the zip directory claims to be ${directory.size} bytes long`);
  const view = viewOf(await readBytes(source, directory.offset, directory.size));
  const members: ZipMember[] = [];
  const names = new Set<string>();
  let at = 0;
  while (at < directory.size) {
    const [header, length] = centralHeader(view, at);
    if (names.has(header.name)) throw new TensorFileError('duplicate-name', `${quote(header.name)} occurs twice`);
    names.add(header.name);
    members.push(await locate(source, header, directory.offset));
    at += length;
  }
  if (members.length !== directory.members)
    throw new TensorFileError(
      'bad-header',
      `the zip file has ${members.length} members, but its directory says ${directory.members}`,
    );
  return members;
}

/**
 * The uncompressed bytes of a member. Reading the last of these bytes throws `bad-data` if the bytes do not match the
 * recorded checksum.
 */
export function memberSource(source: ByteSource, member: ZipMember): ByteSource {
  const stored = sliceSource(source, member.offset, member.compressedSize);
  return member.compressed
    ? inflateSource(stored, member.size, member.checksum)
    : checkedSource(stored, member.checksum);
}

async function findDirectory(source: ByteSource): Promise<Directory> {
  const tail = viewOf(await readBytes(source, ...lastBytes(source.size, endSize + longestComment)));
  for (let at = tail.byteLength - endSize; at >= 0; at--) {
    if (tail.getUint32(at, true) !== zipSignatures.end) continue;
    if (at + endSize + tail.getUint16(at + 20, true) !== tail.byteLength) continue;
    const end = source.size - tail.byteLength + at;
    const small = { members: tail.getUint16(at + 10, true), size: tail.getUint32(at + 12, true) };
    const offset = tail.getUint32(at + 16, true);
    const large = small.members === 0xffff || small.size === elsewhere || offset === elsewhere;
    return requireDirectory(large ? await directory64(source, end) : { ...small, offset }, end);
  }
  throw new TensorFileError('truncated', 'the zip file has no directory at its end');
}

async function directory64(source: ByteSource, end: number): Promise<Directory> {
  const locator = viewOf(await readBytes(source, ...lastBytes(end, 20)));
  if (locator.byteLength < 20 || locator.getUint32(0, true) !== zipSignatures.locator64)
    throw new TensorFileError('bad-header', 'the zip file lacks its 64-bit directory');
  const at = safe(locator.getBigUint64(8, true));
  if (at + 56 > end) throw new TensorFileError('bad-header', 'the 64-bit directory lies outside the zip file');
  const view = viewOf(await readBytes(source, at, 56));
  if (view.getUint32(0, true) !== zipSignatures.end64)
    throw new TensorFileError('bad-header', 'the zip file lacks its 64-bit directory');
  return {
    members: safe(view.getBigUint64(32, true)),
    size: safe(view.getBigUint64(40, true)),
    offset: safe(view.getBigUint64(48, true)),
  };
}

function requireDirectory(directory: Directory, end: number): Directory {
  if (directory.offset + directory.size > end)
    throw new TensorFileError('bad-header', 'the directory lies outside the zip file');
  return directory;
}

interface CentralHeader {
  readonly name: string;
  readonly method: number;
  readonly checksum: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly local: number;
}

/** Reads one entry of the directory; also returns the length of the entry. */
function centralHeader(view: DataView, at: number): [CentralHeader, number] {
  if (at + 46 > view.byteLength || view.getUint32(at, true) !== zipSignatures.central)
    throw new TensorFileError('bad-header', 'the directory of the zip file cannot be parsed');
  const nameLength = view.getUint16(at + 28, true);
  const extraLength = view.getUint16(at + 30, true);
  const length = 46 + nameLength + extraLength + view.getUint16(at + 32, true);
  if (at + length > view.byteLength)
    throw new TensorFileError('bad-header', 'the directory of the zip file is cut off');
  const name = new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at + 46, nameLength));
  if (view.getUint16(at + 8, true) & 1) throw new TensorFileError('unsupported', `member ${quote(name)} is encrypted`);
  const wide = wideFields(view, at + 46 + nameLength, extraLength);
  const field = (offset: number): number => {
    const value = view.getUint32(at + offset, true);
    return value === elsewhere ? (wide.shift() ?? value) : value;
  };
  // The 64-bit extension contains only the fields that do not fit into 32 bits, in the following order.
  const size = field(24);
  const compressedSize = field(20);
  const local = field(42);
  const [method, checksum] = [view.getUint16(at + 10, true), view.getUint32(at + 16, true)];
  return [{ name, method, checksum, compressedSize, size, local }, length];
}

/** The values in the 64-bit extension, which is one of the extra fields of a member. */
function wideFields(view: DataView, start: number, length: number): number[] {
  for (let at = start; at + 4 <= start + length; ) {
    const [id, size] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
    if (at + 4 + size > start + length) break;
    if (id === 1) {
      const count = Math.floor(size / 8);
      return Array.from({ length: count }, (_, i) => safe(view.getBigUint64(at + 4 + 8 * i, true)));
    }
    at += 4 + size;
  }
  return [];
}

/**
 * Finds the start of a member's data, which follows the member's local header. This header must contain the same name
 * as the entry in the directory.
 */
async function locate(source: ByteSource, header: CentralHeader, limit: number): Promise<ZipMember> {
  const { name, method, checksum, compressedSize, size, local } = header;
  if (method !== 0 && method !== 8)
    throw new TensorFileError('unsupported', `member ${quote(name)} is compressed by method ${method}, not by deflate`);
  const outside = new TensorFileError('bad-offsets', `the data of member ${quote(name)} lies outside the file`);
  if (local + 30 > limit) throw outside;
  const view = viewOf(await readBytes(source, local, 30));
  if (view.getUint32(0, true) !== zipSignatures.local)
    throw new TensorFileError('bad-header', `member ${quote(name)} is not at the offset that the directory gives`);
  const offset = local + 30 + view.getUint16(26, true) + view.getUint16(28, true);
  if (offset + compressedSize > limit) throw outside;
  const compressed = method === 8;
  if (!compressed && size !== compressedSize)
    throw new TensorFileError(
      'bad-offsets',
      `member ${quote(name)} is stored uncompressed, but its two recorded sizes differ`,
    );
  return { name, offset, compressed, compressedSize, size, checksum };
}

function lastBytes(end: number, length: number): [offset: number, length: number] {
  const least = Math.min(end, length);
  return [end - least, least];
}

function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new TensorFileError('bad-header', `${value} is not a file size`);
  return Number(value);
}
