/** An instruction as a small kernel that both engines run on the same inputs. Every bit must agree. */
import { describe, expect, it } from 'vitest';
import { Device, type LoadedModule, RefusedModuleError } from '../../src/device.ts';
import { families, instructionsOf, rowsOf } from '../golden/vectors.ts';
import type { Instruction } from './instructions.ts';

const targets = ['sm_100a', 'sm_103a', 'sm_120a', 'sm_90', 'sm_70'];

/** A kernel that does the instruction once a thread: inputs 8 bytes apart, results 8 bytes apart. */
function kernelText({ inst, sources, result, operands }: Instruction): string {
  const declare = sources.map(({ name, width }) => `.reg .${kind(width)} %${name};`).join(' ');
  const loadOf = ({ name, width }: Instruction['sources'][number], i: number): string =>
    width === 1
      ? `ld.global.u32 %r5, [%in+${8 * i}]; setp.ne.u32 %${name}, %r5, 0;`
      : `ld.global.b${width} %${name}, [%in+${8 * i}];`;
  const store =
    result === 1 ? 'selp.u32 %r5, 1, 0, %d; st.global.u32 [%out], %r5;' : `st.global.b${result} [%out], %d;`;
  return `.visible .entry k(.param .u64 input, .param .u64 output, .param .u32 count) {
    .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %in, %out; ${declare} .reg .${kind(result)} %d;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;
    ld.param.u32 %r4, [count]; setp.ge.u32 %p, %r1, %r4; @%p ret;
    ld.param.u64 %in, [input]; ld.param.u64 %out, [output];
    mad.wide.u32 %in, %r1, ${8 * sources.length}, %in; mad.wide.u32 %out, %r1, 8, %out;
    ${sources.map(loadOf).join(' ')}
    ${inst.split(' ')[0]} %d, ${operands};
    ${store} ret; }`;
}

const kind = (width: number): string => (width === 1 ? 'pred' : `b${width}`);

/** Loads for the first target that takes it. */
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

/** Rows on which the engines differ, in words. */
export async function differences(
  instruction: Instruction,
  rows: readonly (readonly bigint[])[],
): Promise<readonly string[]> {
  const { device, module } = await load(kernelText(instruction));
  const kernel = module.kernel('k');
  const input = device.alloc(BigUint64Array.from(rows.flat()));
  const run = async (engine: 'interp' | 'jit'): Promise<BigUint64Array> => {
    const output = device.alloc(8 * rows.length);
    const args = [input, output, rows.length];
    const launched = await kernel.launch({ grid: Math.ceil(rows.length / 128), block: 128, args, engine });
    if (!launched.ok) throw new Error(launched.fault.message);
    return new BigUint64Array(output.read().buffer);
  };
  const reference = await run('interp');
  const found = await run('jit');
  return rows.flatMap((row, i) =>
    found[i] === reference[i]
      ? []
      : [
          `${row.map((bits) => bits.toString(16)).join(' ')}: ${found[i]?.toString(16)}, not ${reference[i]?.toString(16)}`,
        ],
  );
}

/** Every golden conversion, on each n-th of its rows. */
export function compareGoldenConversions(nth: number): void {
  describe.each(families())('golden conversions of %s on both engines', (family) => {
    it.each(instructionsOf(family).map((golden) => [golden.inst, golden] as const))('%s', async (_, golden) => {
      const widthOf = (operand: string): number => golden.sreg ?? Number(operand.split(':b')[1]);
      const sources = golden.in.map((operand) => ({ name: operand.split(':')[0] ?? '', width: widthOf(operand) }));
      const names = sources.map(({ name }) => `%${name}`);
      const listed = names.includes('%e') ? [`{${names.slice(0, 4).join(', ')}}`, ...names.slice(4)] : names;
      const result = golden.dreg ?? Number(golden.out.slice(1));
      const chosen = rowsOf(golden).filter((_row, i) => i % nth === 0);
      const rows = chosen.map(({ operands }) => operands.map(BigInt));
      const found = await differences({ inst: golden.inst, sources, result, operands: listed.join(', ') }, rows);
      expect(found).toEqual([]);
    });
  });
}
