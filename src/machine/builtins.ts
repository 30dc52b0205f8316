/** The implementation of the built-in functions, shared by all engines. */
import type { BuiltinName } from '../isa/builtin-functions.ts';
import type { DeviceHeap } from './memory/device-heap.ts';
import { machineFault } from './fault.ts';
import { printf } from './printing/printf.ts';
import { decoded, type Printed } from './printing/printed.ts';

/** The engine services that built-in functions need. */
export interface BuiltinServices {
  readonly heap: DeviceHeap;
  /** Loads 1, 4 or 8 bytes at a generic address as an unsigned integer; an invalid access causes a fault. */
  readonly load: (address: bigint, bytes: 1 | 4 | 8) => bigint;
  readonly printed: Printed;
  /** Throws if the launch was aborted or its time is up. */
  readonly look: () => void;
}

/** Runs a built-in function and returns its result; null if the function has no result. The arguments are unsigned. */
export function runBuiltin(name: BuiltinName, args: readonly bigint[], services: BuiltinServices): bigint | null {
  const [first = 0n, second = 0n] = args;
  services.look();
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

/** Format strings and assertion texts that are longer than this are truncated. */
const longestFormat = 2 ** 20;

/** The arguments follow one another, each at its natural alignment. */
function print(format: bigint, start: bigint, services: BuiltinServices): bigint {
  if (format === 0n) return noFormat;
  let at = start;
  const room = services.printed.room + 1;
  const args = {
    next: (bytes: 4 | 8): bigint => {
      services.look();
      const size = BigInt(bytes);
      const address = ((at + size - 1n) / size) * size;
      at = address + size;
      return services.load(address, bytes);
    },
    text: (address: bigint, limit: number): string => readText(address, Math.min(limit, room), services),
  };
  const { text, taken } = printf(readText(format, longestFormat, services), args, room);
  services.printed.add(text);
  return BigInt(taken);
}

/** Reads bytes up to a zero byte; each becomes one character. */
function readText(address: bigint, limit: number, { load, look }: BuiltinServices): string {
  let text = '';
  for (;;) {
    const bytes: number[] = [];
    while (bytes.length < piece && text.length + bytes.length < limit) {
      const byte = load(address + BigInt(text.length + bytes.length), 1);
      if (byte === 0n) break;
      bytes.push(Number(byte));
    }
    text += String.fromCharCode(...bytes);
    if (bytes.length < piece) return text;
    look();
  }
}

/** Number of bytes read between two checks of the clock. */
const piece = 4096;

function failedAssertion(
  [assertion = 0n, file = 0n, line = 0n, fn = 0n]: readonly bigint[],
  services: BuiltinServices,
) {
  const text = (address: bigint): string =>
    address === 0n ? '?' : decoded(readText(address, longestFormat, services));
  return machineFault('PTX6032', {
    assertion: text(assertion),
    file: text(file),
    line: String(line),
    function: text(fn),
  });
}
