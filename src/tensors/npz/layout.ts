/**
 * Determines the layout of .npz files before they are written. As with np.savez, members are stored uncompressed. Their
 * data can therefore be written in any order; the checksums are computed afterwards.
 */
import { type ByteSink, type ByteSource, readBytes } from '../bytes.ts';
import { crc32 } from './crc32.ts';
import { layoutNpy } from '../npy/file.ts';
import { quote, TensorFileError } from '../tensor-error.ts';
import type { FileLayout, TensorEntry, TensorPlan } from '../tensor-file.ts';
import {
  centralHeader,
  endOfZip,
  joined,
  lengthOf,
  localHeader,
  localHeaderSize,
  type StoredMember,
} from './zip-records.ts';

interface Member extends StoredMember {
  /** Start of the member's data, which is an .npy file. */
  readonly data: number;
  readonly npyHeader: Uint8Array;
}

/** Number of bytes that are read at a time when checksums are computed. */
const step = 2 ** 20;
/** Lays out the file. `finish` reads the written data once and computes the checksums. */
export function layoutNpz(plans: readonly TensorPlan[]): FileLayout {
  const members: Member[] = [];
  const tensors: TensorEntry[] = [];
  const names = new Set<string>();
  let reached = 0;
  for (const plan of plans) {
    if (names.has(plan.name)) throw new TensorFileError('duplicate-name', `${quote(plan.name)} occurs twice`);
    names.add(plan.name);
    const name = memberName(plan.name);
    const { size, header: npyHeader, tensors: arrays } = layoutNpy(plan);
    const data = reached + localHeaderSize(name, size);
    members.push({ name, local: reached, data, size, npyHeader });
    tensors.push(...arrays.map((entry) => ({ ...entry, offset: data + entry.offset })));
    reached = data + size;
  }
  const size = reached + directorySize(members, reached);
  const finish = (file: ByteSource & ByteSink): Promise<void> => finishNpz(file, members, reached);
  return { container: 'npz', size, header: new Uint8Array(0), tensors, finish, files: null };
}

async function finishNpz(file: ByteSource & ByteSink, members: readonly Member[], directory: number): Promise<void> {
  const parts: Uint8Array[] = [];
  for (const member of members) {
    await file.write(member.data, member.npyHeader);
    const checksum = await checksumOf(file, member);
    await file.write(member.local, localHeader(member, checksum));
    parts.push(centralHeader(member, checksum));
  }
  parts.push(endOfZip(members.length, directory, lengthOf(parts)));
  await file.write(directory, joined(parts));
}

async function checksumOf(file: ByteSource, { data, size }: Member): Promise<number> {
  let checksum = 0;
  for (let at = 0; at < size; at += step)
    checksum = crc32(await readBytes(file, data + at, Math.min(step, size - at)), checksum);
  return checksum;
}

function directorySize(members: readonly Member[], directory: number): number {
  const size = lengthOf(members.map((member) => centralHeader(member, 0)));
  return size + endOfZip(members.length, directory, size).length;
}

function memberName(name: string): Uint8Array {
  const bytes = new TextEncoder().encode(`${name}.npy`);
  // Names must not contain zero bytes, because Python's zipfile and readers written in C treat them as the end of the
  // name.
  if (bytes.length > 0xffff || /\p{Surrogate}/u.test(name) || name.includes('\0'))
    throw new TensorFileError('bad-header', `an .npz cannot have a member called ${quote(name)}`);
  return bytes;
}
