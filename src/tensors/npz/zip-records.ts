/**
 * Creates the records of a zip file. The 64-bit extension is used where a size or an offset does not fit in 32 bits.
 */
import { elsewhere, zipSignatures } from './zip.ts';

/** A member that is stored uncompressed. */
export interface StoredMember {
  readonly name: Uint8Array;
  /** Offset of the member's local header. */
  readonly local: number;
  readonly size: number;
}

/** Names are UTF-8. */
const utf8Flag = 0x0800;
/**
 * All members are dated January 1, 1980, which is the earliest date that zip supports. The date is fixed so that the
 * contents of a file do not depend on when it is written.
 */
const date = 0x0021;

type Field = readonly [bytes: 2 | 4 | 8, value: number];

/** Writes little-endian fields one after the other. */
function fields(...values: readonly Field[]): Uint8Array {
  const bytes = new Uint8Array(values.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of values) {
    if (size === 2) view.setUint16(at, value, true);
    else if (size === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += size;
  }
  return bytes;
}

/** The version of the zip format that a reader must support: 4.5 if the 64-bit extension is used, otherwise 2.0. */
function versionFor(extra: Uint8Array): number {
  return extra.length > 0 ? 45 : 20;
}

/** The fields that occur in both headers of a member: the local header and the one in the directory. */
function memberFields(checksum: number, shown: number, name: Uint8Array, extra: Uint8Array): readonly Field[] {
  return [
    [2, versionFor(extra)],
    [2, utf8Flag],
    [2, 0],
    [2, 0],
    [2, date],
    [4, checksum],
    [4, shown],
    [4, shown],
    [2, name.length],
    [2, extra.length],
  ];
}

export function localHeader({ name, size }: StoredMember, checksum: number): Uint8Array {
  const extra = size >= elsewhere ? fields([2, 1], [2, 16], [8, size], [8, size]) : new Uint8Array(0);
  const shown = Math.min(size, elsewhere);
  const start = fields([4, zipSignatures.local], ...memberFields(checksum, shown, name, extra));
  return joined([start, name, extra]);
}

export function centralHeader({ name, size, local }: StoredMember, checksum: number): Uint8Array {
  const wide = [...(size >= elsewhere ? [size, size] : []), ...(local >= elsewhere ? [local] : [])];
  const extra =
    wide.length === 0
      ? new Uint8Array(0)
      : fields([2, 1], [2, 8 * wide.length], ...wide.map((value) => [8, value] as const));
  const shown = Math.min(size, elsewhere);
  const start = fields(
    [4, zipSignatures.central],
    [2, versionFor(extra)],
    ...memberFields(checksum, shown, name, extra),
    [2, 0],
    [2, 0],
    [2, 0],
    [4, 0],
    [4, Math.min(local, elsewhere)],
  );
  return joined([start, name, extra]);
}

export function endOfZip(members: number, directory: number, size: number): Uint8Array {
  const wide = isWide(members, directory, size);
  const end = fields(
    [4, zipSignatures.end],
    [2, 0],
    [2, 0],
    [2, wide ? 0xffff : members],
    [2, wide ? 0xffff : members],
    [4, wide ? elsewhere : size],
    [4, wide ? elsewhere : directory],
    [2, 0],
  );
  if (!wide) return end;
  const end64 = fields(
    [4, zipSignatures.end64],
    [8, 44],
    [2, 45],
    [2, 45],
    [4, 0],
    [4, 0],
    [8, members],
    [8, members],
    [8, size],
    [8, directory],
  );
  return joined([end64, fields([4, zipSignatures.locator64], [4, 0], [8, directory + size], [4, 1]), end]);
}

function isWide(members: number, directory: number, size: number): boolean {
  return members >= 0xffff || directory >= elsewhere || size >= elsewhere;
}

export function localHeaderSize(name: Uint8Array, size: number): number {
  return 30 + name.length + (size >= elsewhere ? 20 : 0);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(lengthOf(parts));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
