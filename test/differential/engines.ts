/**
 * Runs instructions in small kernels on both engines, and with every kind of code that the fast engine can generate.
 * The inputs are the same, and every bit of the results must agree.
 */
import { Device, type LaunchOptions, type LoadedModule, RefusedModuleError } from '../../src/device.ts';
import type { Instruction, Register } from './instructions.ts';

const targets = ['sm_100a', 'sm_103a', 'sm_120a', 'sm_90', 'sm_70'];
const headers = [
  ...targets.map((target) => `.version 9.1\n.target ${target}`),
  ...['sm_107a', ...targets].map((target) => `.version 9.4\n.target ${target}`),
];

/** Number of bytes that each value of a row occupies in the buffers. */
const slot = 16;

type Rows = readonly (readonly bigint[])[];

/** An instruction, and rows of operands; the instruction is executed once for each row. */
export interface Case {
  readonly instruction: Instruction;
  readonly rows: () => Rows;
}

/**
 * A case that is part of a kernel, with the position of its rows in the input and the position of its results in the
 * output.
 */
interface Placed {
  readonly instruction: Instruction;
  readonly rows: Rows;
  readonly input: number;
  readonly output: number;
}

const inputBytes = ({ sources }: Instruction): number => slot * sources.length;
/** Number of bytes for the results and the condition code of one row. */
const outputBytes = ({ results }: Instruction): number => slot * (results.length + 1);

/**
 * Assigns buffer positions to the rows of several cases, one case after another. All cases in a kernel must have the
 * same number of rows, so in cases with fewer rows, the first row is repeated.
 */
function place(cases: readonly Case[]): { readonly count: number; readonly placed: readonly Placed[] } {
  const given = cases.map(({ instruction, rows }) => ({ instruction, rows: rows() }));
  const count = Math.max(...given.map(({ rows }) => rows.length));
  let [input, output] = [0, 0];
  const placed = given.map((one): Placed => {
    const found = { ...one, input, output };
    input += count * inputBytes(one.instruction);
    output += count * outputBytes(one.instruction);
    return found;
  });
  return { count, placed };
}

/** A kernel in which each thread executes every instruction once. A thread's operands are one row of the input. */
function kernelText(placed: readonly Placed[]): string {
  return `.visible .entry k(.param .u64 input, .param .u64 output, .param .u32 count) {
    .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %first, %last, %in, %out;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;
    ld.param.u32 %r4, [count]; setp.ge.u32 %p, %r1, %r4; @%p ret;
    ld.param.u64 %first, [input]; ld.param.u64 %last, [output];
    ${placed.map(executionText).join('\n')}
    ret; }`;
}

function executionText({ instruction, input, output }: Placed): string {
  const { inst, sources, results, operands } = instruction;
  const declare = [...sources, ...results].map(({ name, width }) => `.reg .${kind(width)} %${name};`).join(' ');
  const loadOf = ({ name, width }: Register, i: number): string =>
    width === 1
      ? `ld.global.u32 %r5, [%in+${slot * i}]; setp.ne.u32 %${name}, %r5, 0;`
      : `ld.global.b${width} %${name}, [%in+${slot * i}];`;
  const storeOf = ({ name, width }: Register, i: number): string =>
    width === 1
      ? `selp.u32 %r5, 1, 0, %${name}; st.global.u32 [%out+${slot * i}], %r5;`
      : `st.global.b${width} [%out+${slot * i}], %${name};`;
  return `{ ${declare}
    add.u64 %in, %first, ${input}; add.u64 %out, %last, ${output};
    mad.wide.u32 %in, %r1, ${inputBytes(instruction)}, %in; mad.wide.u32 %out, %r1, ${outputBytes(instruction)}, %out;
    ${sources.map(loadOf).join(' ')}
    and.b32 %r5, %r1, 1; add.cc.u32 %r5, %r5, -1;
    ${inst.split(' ')[0]} ${operands};
    addc.u32 %r3, 0, 0; st.global.u32 [%out+${slot * results.length}], %r3;
    ${results.map(storeOf).join(' ')} }`;
}

const kind = (width: number): string => (width === 1 ? 'pred' : `b${width}`);

/** Loads the module for the first version and target that accept it. */
async function load(text: string): Promise<{ readonly device: Device; readonly module: LoadedModule }> {
  let refused: unknown;
  for (const header of headers) {
    const device = await Device.create({ memory: 2 ** 26 });
    try {
      return { device, module: device.load(`${header}\n.address_size 64\n${text}`) };
    } catch (error) {
      if (!(error instanceof RefusedModuleError)) throw error;
      refused ??= error;
    }
  }
  throw refused;
}

type Way = Pick<LaunchOptions, 'engine' | 'simd'>;

/** The two ways to run the fast engine: with code that runs one thread at a time, and with code that runs four. */
const fast: readonly Way[] = [{ simd: false }, { simd: true }];

interface Launcher {
  readonly placed: readonly Placed[];
  /**
   * Runs the kernel on all rows. The output has two words for each result, and two for the condition code after the
   * instruction.
   */
  readonly launch: (way: Way) => Promise<BigUint64Array>;
}

async function launcher(cases: readonly Case[]): Promise<Launcher> {
  const { count, placed } = place(cases);
  const { device, module } = await load(kernelText(placed));
  const kernel = module.kernel('k');
  const last = placed.at(-1);
  if (last === undefined) throw new Error('no cases');
  const words = new BigUint64Array((last.input + count * inputBytes(last.instruction)) / 8);
  for (const { rows, input } of placed) writeRows(words.subarray(input / 8), rows, count);
  const input = device.alloc(words);
  const launch = async (way: Way): Promise<BigUint64Array> => {
    const output = device.alloc(last.output + count * outputBytes(last.instruction));
    const args = [input, output, count];
    const launched = await kernel.launch({ grid: Math.ceil(count / 128), block: 128, args, ...way });
    if (!launched.ok) throw new Error(launched.fault.message);
    return new BigUint64Array(output.read().buffer);
  };
  return { placed, launch };
}

function writeRows(words: BigUint64Array, rows: Rows, count: number): void {
  let at = 0;
  for (let i = 0; i < count; i++) {
    for (const bits of rows[i] ?? rows[0] ?? []) {
      words[at++] = BigInt.asUintN(64, bits);
      words[at++] = bits >> 64n;
    }
  }
}

/** Reads the values that the kernel stored for a row: the results of the instruction, and the condition code. */
function valuesIn(words: BigUint64Array, row: number, { instruction, output }: Placed): readonly bigint[] {
  const count = instruction.results.length + 1;
  return Array.from({ length: count }, (_, i) => {
    const at = output / 8 + 2 * (row * count + i);
    return (words[at] ?? 0n) | ((words[at + 1] ?? 0n) << 64n);
  });
}

/**
 * Results of an instruction on the fast engine, first with code that runs one thread at a time, then with code that
 * runs four.
 */
export async function fastResults(instruction: Instruction, rows: Rows): Promise<readonly Rows[]> {
  const { placed, launch } = await launcher([{ instruction, rows: () => rows }]);
  const results: Rows[] = [];
  for (const way of fast) {
    const output = await launch(way);
    results.push(...placed.map((one) => rows.map((_, row) => valuesIn(output, row, one))));
  }
  return results;
}

/** For each case, describes the rows for which the results of the engines differ. */
async function allDifferences(cases: readonly Case[]): Promise<readonly (readonly string[])[]> {
  const { placed, launch } = await launcher(cases);
  const reference = await launch({ engine: 'interp' });
  const differing = placed.map((): string[] => []);
  for (const way of fast) {
    const found = await launch(way);
    if (found.every((bits, i) => bits === reference[i])) continue;
    placed.forEach((one, number) => {
      one.rows.forEach((row, i) => {
        const [is, wanted] = [found, reference].map((output) => hexOf(valuesIn(output, i, one)));
        if (is !== wanted) differing[number]?.push(`${hexOf(row)}, simd ${way.simd}: ${is}, not ${wanted}`);
      });
    });
  }
  return differing;
}

/** Describes the rows for which the engines produce different results for one instruction. */
export async function differences(instruction: Instruction, rows: Rows): Promise<readonly string[]> {
  return (await allDifferences([{ instruction, rows: () => rows }]))[0] ?? [];
}

/** Number of instructions in a kernel; code for four threads is generated only for kernels up to this size. */
const batchSize = 8;

/**
 * Returns a function that takes the index of a case in the list and describes the rows for which the engines produce
 * different results. Each kernel executes several cases, which takes only a third of the time that separate kernels
 * would take.
 */
export function differencesInBatches(cases: readonly Case[]): (position: number) => Promise<readonly string[]> {
  const batches = new Map<number, Promise<readonly (readonly string[])[]>>();
  return async (position) => {
    const start = position - (position % batchSize);
    const batch = batches.get(start) ?? separatelyIfRefused(cases.slice(start, start + batchSize));
    batches.set(start, batch);
    return (await batch)[position - start] ?? ['was not executed'];
  };
}

/**
 * Compares cases that may need different targets. If a module that contains all of the cases is rejected, each half of
 * the cases is compiled in a module of its own.
 */
async function separatelyIfRefused(cases: readonly Case[]): Promise<readonly (readonly string[])[]> {
  try {
    return await allDifferences(cases);
  } catch (error) {
    if (!(error instanceof RefusedModuleError) || cases.length === 1) throw error;
    const middle = cases.length >> 1;
    const halves = [cases.slice(0, middle), cases.slice(middle)];
    return (await Promise.all(halves.map(separatelyIfRefused))).flat();
  }
}

function hexOf(values: readonly bigint[]): string {
  return values.map((bits) => bits.toString(16)).join(' ');
}
