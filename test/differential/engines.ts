/** Runs an instruction as a small kernel with every kind of code on the same inputs. Every bit must agree. */
import { Device, type LaunchOptions, type LoadedModule, RefusedModuleError } from '../../src/device.ts';
import type { Instruction, Register } from './instructions.ts';

const targets = ['sm_100a', 'sm_103a', 'sm_120a', 'sm_90', 'sm_70'];

/** The distance between the values of a row in bytes. */
const slot = 16;

/** A kernel in which each thread executes the instruction once, on a row of slots. */
function kernelText({ inst, sources, results, operands }: Instruction): string {
  const declare = [...sources, ...results].map(({ name, width }) => `.reg .${kind(width)} %${name};`).join(' ');
  const loadOf = ({ name, width }: Register, i: number): string =>
    width === 1
      ? `ld.global.u32 %r5, [%in+${slot * i}]; setp.ne.u32 %${name}, %r5, 0;`
      : `ld.global.b${width} %${name}, [%in+${slot * i}];`;
  const storeOf = ({ name, width }: Register, i: number): string =>
    width === 1
      ? `selp.u32 %r5, 1, 0, %${name}; st.global.u32 [%out+${slot * i}], %r5;`
      : `st.global.b${width} [%out+${slot * i}], %${name};`;
  return `.visible .entry k(.param .u64 input, .param .u64 output, .param .u32 count) {
    .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %in, %out; ${declare}
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;
    ld.param.u32 %r4, [count]; setp.ge.u32 %p, %r1, %r4; @%p ret;
    ld.param.u64 %in, [input]; ld.param.u64 %out, [output];
    mad.wide.u32 %in, %r1, ${slot * sources.length}, %in; mad.wide.u32 %out, %r1, ${slot * (results.length + 1)}, %out;
    ${sources.map(loadOf).join(' ')}
    and.b32 %r5, %r1, 1; add.cc.u32 %r5, %r5, -1;
    ${inst.split(' ')[0]} ${operands};
    addc.u32 %r1, 0, 0; st.global.u32 [%out+${slot * results.length}], %r1;
    ${results.map(storeOf).join(' ')} ret; }`;
}

const kind = (width: number): string => (width === 1 ? 'pred' : `b${width}`);

/** Loads the module for the first target that accepts it. */
async function load(text: string): Promise<{ readonly device: Device; readonly module: LoadedModule }> {
  let refused: unknown;
  for (const target of targets) {
    const device = await Device.create({ memory: 2 ** 26 });
    try {
      return { device, module: device.load(`.version 9.1\n.target ${target}\n.address_size 64\n${text}`) };
    } catch (error) {
      if (!(error instanceof RefusedModuleError)) throw error;
      refused ??= error;
    }
  }
  throw refused;
}

type Rows = readonly (readonly bigint[])[];

type Way = Pick<LaunchOptions, 'engine' | 'simd'>;

/** Code for one thread, and code for four at a time. */
const fast: readonly Way[] = [{ simd: false }, { simd: true }];

/**
 * For each way to run, the results for the rows in order, and the condition code after the instruction: two words for
 * each.
 */
async function launcher(instruction: Instruction, rows: Rows): Promise<(way: Way) => Promise<BigUint64Array>> {
  const { device, module } = await load(kernelText(instruction));
  const kernel = module.kernel('k');
  const input = device.alloc(
    BigUint64Array.from(rows.flat().flatMap((bits) => [BigInt.asUintN(64, bits), bits >> 64n])),
  );
  const count = instruction.results.length + 1;
  return async (way) => {
    const output = device.alloc(slot * count * rows.length);
    const args = [input, output, rows.length];
    const launched = await kernel.launch({ grid: Math.ceil(rows.length / 128), block: 128, args, ...way });
    if (!launched.ok) throw new Error(launched.fault.message);
    return new BigUint64Array(output.read().buffer);
  };
}

/** The values of a row in an output. */
function valuesIn(output: BigUint64Array, row: number, { results }: Instruction): readonly bigint[] {
  const count = results.length + 1;
  return Array.from({ length: count }, (_, i) => {
    const at = 2 * (row * count + i);
    return (output[at] ?? 0n) | ((output[at + 1] ?? 0n) << 64n);
  });
}

/** Results of an instruction on the fast engine, with code for one thread and for four. */
export async function fastResults(instruction: Instruction, rows: Rows): Promise<readonly Rows[]> {
  const launch = await launcher(instruction, rows);
  const results: Rows[] = [];
  for (const way of fast) {
    const output = await launch(way);
    results.push(rows.map((_, row) => valuesIn(output, row, instruction)));
  }
  return results;
}

/** Describes the rows on which the engines differ. */
export async function differences(instruction: Instruction, rows: Rows): Promise<readonly string[]> {
  const launch = await launcher(instruction, rows);
  const reference = await launch({ engine: 'interp' });
  const differing: string[] = [];
  for (const way of fast) {
    const found = await launch(way);
    if (found.every((bits, i) => bits === reference[i])) continue;
    rows.forEach((row, i) => {
      const [is, wanted] = [found, reference].map((output) => hexOf(valuesIn(output, i, instruction)));
      if (is !== wanted) differing.push(`${hexOf(row)}, simd ${way.simd}: ${is}, not ${wanted}`);
    });
  }
  return differing;
}

function hexOf(values: readonly bigint[]): string {
  return values.map((bits) => bits.toString(16)).join(' ');
}
