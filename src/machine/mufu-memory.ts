/**
 * The tables of the special function unit, in the form in which compiled code reads them (numerics/mufu.ts). They are
 * in global memory, below the first address that a kernel may access.
 */
import { once } from '../base/once.ts';
import { keysOf, recordOf } from '../base/records.ts';
import { mufuTables, type MufuTableName } from '../numerics/mufu-tables.ts';
import type { EngineMemory } from './memory/engine-memory.ts';

/** A row consists of an i64 with the value `c0 * 2^16 + bias`, followed by two i32s: `2 * c1` and `4 * c2`. */
const rowBytes = 16;

const firstAddress = 0x1000;

const names = keysOf(mufuTables);
const countOf = (name: MufuTableName): number => mufuTables[name].rows.length / 3;

/** The addresses of the tables. */
export const mufuAddresses: Readonly<Record<MufuTableName, number>> = recordOf(names, (name) => {
  const before = names.slice(0, names.indexOf(name));
  return firstAddress + rowBytes * before.reduce((sum, other) => sum + countOf(other), 0);
});

const tableBytes = once((): Uint8Array => {
  const count = names.reduce((sum, name) => sum + countOf(name), 0);
  const view = new DataView(new ArrayBuffer(rowBytes * count));
  let at = 0;
  for (const name of names) {
    const { bias, rows } = mufuTables[name];
    for (let i = 0; i < rows.length; i += 3) {
      const [c0 = 0, c1 = 0, c2 = 0] = rows.slice(i, i + 3);
      view.setBigInt64(at, BigInt(c0 * 2 ** 16 + bias), true);
      view.setInt32(at + 8, 2 * c1, true);
      view.setInt32(at + 12, 4 * c2, true);
      at += rowBytes;
    }
  }
  return new Uint8Array(view.buffer);
});

/** Writes the tables. */
export function placeMufuTables(memory: EngineMemory): void {
  const bytes = tableBytes();
  memory.bytesAt(firstAddress, bytes.length).set(bytes);
}
