/** The behaviour of the built-in functions, for every engine. */
import type { BuiltinName } from '../isa/builtin-functions.ts';
import type { DeviceHeap } from './device-heap.ts';
import { machineFault } from './fault.ts';
import { printf } from './printf.ts';

/** Services of the engine that built-in functions need. */
export interface BuiltinServices {
  readonly heap: DeviceHeap;
  /** The unsigned value of 1, 4 or 8 bytes at a generic address; an invalid access is a fault. */
  readonly load: (address: bigint, bytes: 1 | 4 | 8) => bigint;
  readonly print: (text: string) => void;
}

/** The result, or null for functions without one. Arguments are unsigned. */
export function runBuiltin(name: BuiltinName, args: readonly bigint[], services: BuiltinServices): bigint | null {
  const [first = 0n, second = 0n] = args;
  switch (name) {
    case 'vprintf':
      return print(first, second, services);
    case 'malloc':
      return services.heap.allocate(first);
    case 'free':
      services.heap.free(first);
      return null;
    case '__assertfail':
      throw failedAssertion(args, services);
  }
}

const noFormat = 0xffff_ffffn;

/** Arguments follow each other, each at its natural alignment. */
function print(format: bigint, args: bigint, services: BuiltinServices): bigint {
  if (format === 0n) return noFormat;
  let at = args;
  const { text, taken } = printf(readText(format, Number.POSITIVE_INFINITY, services), {
    next: (bytes) => {
      const size = BigInt(bytes);
      const address = ((at + size - 1n) / size) * size;
      at = address + size;
      return services.load(address, bytes);
    },
    text: (address, limit) => readText(address, limit, services),
  });
  services.print(decode(text));
  return BigInt(taken);
}

/** Bytes up to a zero, one character each. */
function readText(address: bigint, limit: number, { load }: BuiltinServices): string {
  const bytes: string[] = [];
  while (bytes.length < limit) {
    const byte = load(address + BigInt(bytes.length), 1);
    if (byte === 0n) break;
    bytes.push(String.fromCharCode(Number(byte)));
  }
  return bytes.join('');
}

/** Source files are UTF-8, and so are the strings in them. */
function decode(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

function failedAssertion(
  [assertion = 0n, file = 0n, line = 0n, fn = 0n]: readonly bigint[],
  services: BuiltinServices,
) {
  const text = (address: bigint): string =>
    address === 0n ? '?' : decode(readText(address, Number.POSITIVE_INFINITY, services));
  return machineFault('PTX6032', {
    assertion: text(assertion),
    file: text(file),
    line: String(line),
    function: text(fn),
  });
}
