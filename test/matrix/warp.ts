/** Runs one matrix instruction on one warp. Registers are passed and returned lane by lane. */
import { Device } from '../../src/device.ts';

export const engines = ['interp', 'jit'] as const;
export type Engine = (typeof engines)[number];

/** The registers of each lane; lane 0 comes first. */
export type Lanes = readonly (readonly bigint[])[];

export interface WarpRun {
  readonly target: string;
  readonly engine: Engine;
  readonly mnemonic: string;
  /** Width in bits of each register of A, B, C and D. */
  readonly width: 32 | 64;
  /** Number of registers of D. */
  readonly results: number;
  readonly a: Lanes;
  readonly b: Lanes;
  readonly c: Lanes;
  /**
   * `more` contains the values of additional 32-bit registers of each lane. `after` is the text of the operands that
   * follow C. In this text, the additional registers are called %e0, %e1, and so on.
   */
  readonly more?: Lanes;
  readonly after?: string;
}

const lanes: readonly number[] = Array.from({ length: 32 }, (_, lane) => lane);

/** Runs the instruction on one warp, and returns the registers of D for each lane. */
export async function runWarp(run: WarpRun): Promise<Lanes> {
  const { width, results, mnemonic, target, engine, after = '', more = lanes.map(() => []) } = run;
  const names = (prefix: string, of: Lanes): readonly string[] => (of[0] ?? []).map((_, i) => `%${prefix}${i}`);
  const [a, b, c, e] = [names('a', run.a), names('b', run.b), names('c', run.c), names('e', more)];
  const d = Array.from({ length: results }, (_, i) => `%d${i}`);
  const own = [...a, ...b, ...c].map((name) => ({ name, bytes: width / 8 }));
  const all = [...own, ...e.map((name) => ({ name, bytes: 4 }))];
  const perLane = Math.max(
    8,
    all.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  const stride = Math.ceil(perLane / 8) * 8;
  let at = 0;
  const loads = all.map(({ name, bytes }) => {
    const line = `ld.global.b${bytes * 8} ${name}, [%p+${at}];`;
    at += bytes;
    return line;
  });
  const list = (of: readonly string[]): string => `{${of.join(', ')}}`;
  const source = `.version 9.1
.target ${target}
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to) {
.reg .b${width} %a<${a.length + 1}>, %b<${b.length + 1}>, %c<${c.length + 1}>, %d<${results + 1}>;
.reg .b32 %e<8>, %lane; .reg .b64 %p, %q, %o;
mov.u32 %lane, %tid.x; ld.param.u64 %p, [from]; ld.param.u64 %q, [to];
mul.wide.u32 %o, %lane, ${stride}; add.u64 %p, %p, %o; mul.wide.u32 %o, %lane, ${(results * width) / 8}; add.u64 %q, %q, %o;
${loads.join('\n')}
${mnemonic} ${list(d)}, ${list(a)}, ${list(b)}, ${list(c)}${after};
${d.map((name, i) => `st.global.b${width} [%q+${(i * width) / 8}], ${name};`).join('\n')}
ret; }`;
  const input = new DataView(new ArrayBuffer(32 * stride));
  for (const lane of lanes) {
    let offset = lane * stride;
    const write = (value: bigint, bits: 32 | 64): void => {
      if (bits === 64) input.setBigUint64(offset, value, true);
      else input.setUint32(offset, Number(value), true);
      offset += bits / 8;
    };
    for (const of of [run.a, run.b, run.c]) for (const value of of[lane] ?? []) write(value, width);
    for (const value of more[lane] ?? []) write(value, 32);
  }
  const device = await Device.create({ memory: 2 ** 20 });
  const to = device.alloc((32 * results * width) / 8);
  const args = [device.alloc(new Uint8Array(input.buffer)), to];
  const result = await device.load(source).kernel('k').launch({ grid: 1, block: 32, args, engine });
  if (!result.ok) throw new Error(result.fault.message);
  const words = width === 64 ? [...to.read('u64')] : [...to.read('u32')].map(BigInt);
  device.close();
  return lanes.map((lane) => words.slice(lane * results, (lane + 1) * results));
}

/** Packs the elements of a lane into registers; within a register, the first element has the lowest bits. */
export function packed(codes: readonly bigint[], bits: number, width: 32 | 64): readonly bigint[] {
  const perRegister = width / bits;
  return Array.from({ length: Math.ceil(codes.length / perRegister) }, (_, r) =>
    codes
      .slice(r * perRegister, (r + 1) * perRegister)
      .reduce((word, code, i) => word | (code << BigInt(i * bits)), 0n),
  );
}

/** Returns the elements that are in the registers of a lane. */
export function unpacked(registers: readonly bigint[], bits: number, width: 32 | 64): readonly bigint[] {
  const perRegister = width / bits;
  return registers.flatMap((word) =>
    Array.from({ length: perRegister }, (_, i) => BigInt.asUintN(bits, word >> BigInt(i * bits))),
  );
}

/** Packs the elements of each lane into registers, and returns the registers of all lanes. */
export function lanesOf(count: number, code: (lane: number, i: number) => bigint, bits: number, width: 32 | 64): Lanes {
  return lanes.map((lane) =>
    packed(
      Array.from({ length: count }, (_, i) => code(lane, i)),
      bits,
      width,
    ),
  );
}
