/** .npz: a zip file of .npy files. An array has the name of its zip member, without the extension `.npy`. */
import { type ByteSource, readBytes } from '../bytes.ts';
import { type OpenedArray, readNpyArray } from '../npy/file.ts';
import { quote, TensorFileError } from '../tensor-error.ts';
import type { TensorEntry, TensorFile } from '../tensor-file.ts';
import { memberSource, readZip, type ZipMember } from './zip.ts';

/**
 * `assumed` is the format of elements that have no type code in numpy. Only the header of each member is read, and
 * inflated if the member is compressed. Members that do not contain numbers are left out; a file that contains only
 * such members is rejected.
 */
export async function openNpz(source: ByteSource, assumed?: string): Promise<TensorFile> {
  const found = new Map<string, () => ByteSource>();
  const tensors: TensorEntry[] = [];
  const refused: { readonly name: string; readonly error: TensorFileError }[] = [];
  await requireZip(source);
  for (const member of await readZip(source)) {
    try {
      const { entry, elements } = await readMember(source, member, assumed);
      found.set(entry.name, () => elements(memberSource(source, member)));
      const offset = member.compressed ? member.offset : member.offset + entry.offset;
      tensors.push({ ...entry, offset });
    } catch (error) {
      if (!(error instanceof TensorFileError) || error.code !== 'unsupported') throw error;
      refused.push({ name: member.name, error });
    }
  }
  const [first] = refused;
  if (tensors.length === 0 && first !== undefined) throw first.error;
  return {
    container: 'npz',
    tensors,
    metadata: {},
    unreadable: refused.map(({ name, error }) => ({ name, reason: error.message })),
    data({ name }) {
      const open = found.get(name);
      if (open === undefined) throw new TensorFileError('no-such-tensor', `${quote(name)} is not in this file`);
      return open();
    },
  };
}

async function requireZip(source: ByteSource): Promise<void> {
  const start = await readBytes(source, 0, Math.min(source.size, 2));
  if (start[0] !== 0x50 || start[1] !== 0x4b) throw new TensorFileError('not-this-container', 'not a zip file');
}

/** The array in a member of the zip file. Its offset is relative to the start of the member. */
async function readMember(source: ByteSource, member: ZipMember, assumed?: string): Promise<OpenedArray> {
  const { name } = member;
  if (!name.endsWith('.npy')) throw new TensorFileError('unsupported', `member ${quote(name)} is not an .npy file`);
  try {
    return await readNpyArray(memberSource(source, member), name.slice(0, -4), assumed);
  } catch (error) {
    if (!(error instanceof TensorFileError)) throw error;
    throw new TensorFileError(error.code, `member ${quote(name)}: ${error.message}`, { cause: error });
  }
}
