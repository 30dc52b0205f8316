/** Parts of jobs about memory: arguments, random values, kernels and modules. */
import { randomBits } from '../../test/differential/instructions.ts';
import type { BufferArgument, Job, JobArgument, ScalarArgument, Triple } from '../../test/hardware/job.ts';

// --- random values ----------------------------------------------------------------------------------------------------

/** A repeatable source of random numbers. */
export class Random {
  private readonly bits: Generator<bigint, never>;

  constructor(seed: number) {
    this.bits = randomBits(BigInt(seed));
  }

  word(width: number): bigint {
    return BigInt.asUintN(width, this.bits.next().value);
  }

  /** An integer from `low` to `high`, inclusive. */
  from(low: number, high: number): number {
    return low + Number(this.word(48) % BigInt(high - low + 1));
  }

  pick<T>(values: readonly T[]): T {
    return values[this.from(0, values.length - 1)] as T;
  }

  /** True in one of `times` calls, on average. */
  once(times: number): boolean {
    return this.from(1, times) === 1;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => Number(this.word(8)));
  }
}

// --- special values ---------------------------------------------------------------------------------------------------

export type NumberType = 'f16' | 'bf16' | 'f32' | 'f64' | 'u8' | 'u16' | 'u32' | 'u64';

/** For each float type, the number of fraction bits, and the total number of bits. */
const floats: Partial<Record<NumberType, readonly [fraction: number, width: number]>> = {
  f16: [10, 16],
  bf16: [7, 16],
  f32: [23, 32],
  f64: [52, 64],
};

const widthOf = (type: NumberType): number => floats[type]?.[1] ?? Number(type.slice(1));

/** Zeros, subnormal numbers, the ends of ranges, infinities, and NaNs with payloads, each with both signs. */
function specialFloats(fraction: number, width: number): readonly bigint[] {
  const [f, w] = [BigInt(fraction), BigInt(width)];
  const infinity = ((1n << (w - 1n - f)) - 1n) << f;
  const one = ((1n << (w - 2n - f)) - 1n) << f;
  const [least, quiet] = [1n << f, 1n << (f - 1n)];
  const magnitudes = [
    0n,
    1n,
    least / 2n + 3n,
    least - 1n,
    least,
    least + 1n,
    one,
    one + 1n,
    infinity - 1n,
    infinity - least,
    infinity,
    infinity + 5n,
    infinity + quiet,
    infinity + quiet + 9n,
  ];
  return magnitudes.flatMap((bits) => [bits, bits | (1n << (w - 1n))]);
}

/** Small integers, and integers near the bounds of signed and unsigned types. */
function specialIntegers(width: number): readonly bigint[] {
  const top = 1n << BigInt(width - 1);
  const all = 2n * top - 1n;
  return [0n, 1n, 2n, 7n, 8n, 100n, top - 2n, top - 1n, top, top + 1n, all - 7n, all - 1n, all];
}

function specialValues(type: NumberType): readonly bigint[] {
  const float = floats[type];
  return float === undefined ? specialIntegers(widthOf(type)) : specialFloats(...float);
}

/**
 * Returns the first and the second numbers of `count` pairs. All pairs of special values come first, followed by random
 * pairs.
 */
export function pairsOf(type: NumberType, count: number, random: Random): readonly [Uint8Array, Uint8Array] {
  const special = specialValues(type);
  const crossed = special.flatMap((first) => special.map((second) => [first, second] as const));
  const pairs = Array.from({ length: count }, (_, i) => crossed[i] ?? similar(type, random));
  return [
    words(
      pairs.map(([first]) => first),
      widthOf(type),
    ),
    words(
      pairs.map(([, second]) => second),
      widthOf(type),
    ),
  ];
}

/** Two random numbers of the type; floats mostly have similar exponents, so that their sums are rounded. */
function similar(type: NumberType, random: Random): readonly [bigint, bigint] {
  const width = widthOf(type);
  const [first, second] = [random.word(width), random.word(width)];
  const float = floats[type];
  if (float === undefined || random.once(4)) return [first, second];
  const fraction = BigInt(float[0]);
  const exponents = (1n << BigInt(width - 1)) - (1n << fraction);
  const near = ((first & exponents) >> fraction) + BigInt(random.from(-12, 12));
  return [first, (second & ~exponents) | ((near << fraction) & exponents)];
}

/** All special values, followed by random ones. */
export function mixedValues(type: NumberType, count: number, random: Random): Uint8Array {
  const special = specialValues(type);
  const width = widthOf(type);
  const values = Array.from({ length: count }, (_, i) =>
    i < special.length ? (special[i] as bigint) : random.once(4) ? random.pick(special) : random.word(width),
  );
  return words(values, width);
}

// --- bytes ------------------------------------------------------------------------------------------------------------

/** The bytes of numbers of the same width, in little-endian order. */
export function words(values: readonly (bigint | number)[], width: number): Uint8Array {
  const size = width / 8;
  const bytes = new Uint8Array(values.length * size);
  values.forEach((value, i) => {
    let rest = BigInt.asUintN(width, BigInt(value));
    for (let at = 0; at < size; at++, rest >>= 8n) bytes[i * size + at] = Number(rest & 0xffn);
  });
  return bytes;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

// --- arguments --------------------------------------------------------------------------------------------------------

const scalar = (value: number | bigint, width: number): ScalarArgument => ({
  kind: 'scalar',
  bytes: hex(words([value], width)),
});
export const u16 = (value: number): ScalarArgument => scalar(value, 16);
export const u32 = (value: number): ScalarArgument => scalar(value, 32);
export const u64 = (value: number | bigint): ScalarArgument => scalar(value, 64);
export const results = (size: number): BufferArgument => ({ kind: 'buffer', size, returned: true });
export const input = (bytes: Uint8Array): BufferArgument => ({ kind: 'buffer', size: bytes.length, bytes: hex(bytes) });
export const changed = (bytes: Uint8Array): BufferArgument => ({ ...input(bytes), returned: true });

// --- modules and jobs -------------------------------------------------------------------------------------------------

export const header = `.version 8.6
.target sm_90a
.address_size 64`;

export const registers = `.reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .b128 %q<4>;`;

/**
 * A module with one kernel, `k`. Parameters are given as in `u64 out`. Each is loaded into a register of the same name.
 */
export function moduleOf(parameters: readonly string[], body: string, declared = ''): string {
  return `${header}
${declared}
${kernelOf('k', parameters, body)}`;
}

export function kernelOf(name: string, parameters: readonly string[], body: string): string {
  const split = parameters.map((parameter) => parameter.split(' ') as [string, string]);
  const written = split.map(([type, of]) =>
    type === 'map' ? `.param .align 64 .b8 ${of}[128]` : `.param .${type} ${of}`,
  );
  const loads = split.map(([type, of]) =>
    type === 'map'
      ? `.reg .b64 %${of}; mov.b64 %${of}, ${of}; cvta.param.u64 %${of}, %${of};`
      : `.reg .${type} %${of}; ld.param.${type} %${of}, [${of}];`,
  );
  return `.visible .entry ${name}(${written.join(', ')}) {
${registers}
${loads.join('\n')}
${body}
ret; }
`;
}

interface Shape {
  readonly grid?: Triple;
  readonly block?: Triple;
  readonly cluster?: Triple;
  readonly kernel?: string;
}

export function job(id: string, source: string, args: readonly JobArgument[], shape: Shape = {}): Job {
  return { id, source, kernel: 'k', grid: [1, 1, 1], block: [32, 1, 1], ...shape, args };
}

export function print(jobs: readonly Job[]): void {
  const seen = new Set<string>();
  for (const one of jobs) {
    if (seen.has(one.id)) throw new Error(`two jobs are called '${one.id}'`);
    seen.add(one.id);
    process.stdout.write(`${JSON.stringify(one)}\n`);
  }
}

// --- text that many kernels share -------------------------------------------------------------------------------------

/**
 * Waits for a limited time until phase 0 of the object at `bar` is complete. Sets %r39 to 1 if it is complete, and to 0
 * otherwise.
 */
export const boundedWait = (bar: string, label = 'wait'): string => `mov.u32 %r38, 0;
${label}: mbarrier.test_wait.parity.shared::cta.b64 %p7, [${bar}], 0; selp.u32 %r39, 1, 0, %p7; @%p7 bra ${label}_done;
add.u32 %r38, %r38, 1; setp.lt.u32 %p7, %r38, 100000; @%p7 bra ${label};
${label}_done:`;

/**
 * Copies `size` bytes with all 32 threads. `size` must be a multiple of 4. `from` and `to` each consist of a state
 * space and the register that contains the address.
 */
export function copyWords(
  label: string,
  from: [space: string, at: string],
  to: [space: string, at: string],
  size: string,
): string {
  const wide = (space: string): string => (space === 'shared' ? '32' : '64');
  const place = (space: string, at: string, by: string): string =>
    space === 'shared' ? `add.u32 ${by.replace('rd', 'r')}, ${at}, %r30;` : `add.u64 ${by}, ${at}, %rd30;`;
  const named = (space: string, by: string): string => (wide(space) === '32' ? by.replace('rd', 'r') : by);
  return `mov.u32 %r30, %tid.x; shl.b32 %r30, %r30, 2; bra ${label}_test;
${label}: cvt.u64.u32 %rd30, %r30; ${place(from[0], from[1], '%rd31')} ${place(to[0], to[1], '%rd32')}
ld.${from[0]}.b32 %r33, [${named(from[0], '%rd31')}]; st.${to[0]}.b32 [${named(to[0], '%rd32')}], %r33; add.u32 %r30, %r30, 128;
${label}_test: setp.lt.u32 %p6, %r30, ${size}; @%p6 bra ${label};`;
}
