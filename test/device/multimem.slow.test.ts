/**
 * multimem instructions on a device, which acts like a multicast object with one GPU: a load returns the value of this
 * GPU, and stores, reductions and copies change memory like the ordinary instructions.
 */
import { describe, expect, test } from 'vitest';
import { expandForm } from '../../src/isa/expand.ts';
import type { Variant } from '../../src/isa/form.ts';
import { vectorLanes } from '../../src/isa/rules.ts';
import { allForms } from '../../src/isa/table.ts';
import { slotType } from '../../src/isa/variant.ts';
import type { LaunchOptions } from '../../src/device.ts';
import { output, ways } from './run.ts';

/** One variant for each operation, type and vector size. Memory orders and scopes do not affect the results. */
function sampled(opcode: string): readonly (readonly [string, Variant])[] {
  const forms = [...allForms()].filter(
    ({ id }) => id.startsWith(opcode) && id.includes('async') === opcode.includes('async'),
  );
  const variants = forms.flatMap((form) => [...expandForm(form)]);
  const order = /\.(weak|relaxed|acquire|release|cta|cluster|gpu|sys|global)(?=\.)/g;
  return [...new Map(variants.map((variant) => [variant.mnemonic.replaceAll(order, ''), variant]))];
}

/** The four words at the address in `%rd1`, which precede the four words of the operand. */
const before = [0x3f80_4000, 0x4048_3c00, 0x7fc0_0001, 0x0001_8000];
const operand = [0x4000_4200, 0xbf80_3c01, 0x3f80_0000, 0x0002_0003];
const prologue = `ld.param.u64 %rd1, [out]; ${[...before, ...operand]
  .map((word, i) => `st.global.u32 [%rd1+${4 * i}], ${word};`)
  .join(' ')}`;

/**
 * Runs an instruction whose operand is in registers. The registers are loaded before the instruction, and stored at
 * offset 32 of the output afterwards.
 */
async function run(instruction: string, variant: Variant, way: LaunchOptions): Promise<readonly number[]> {
  const { width } = slotType(variant, 0);
  const registers = Array.from({ length: vectorLanes(variant) }, (_, i) => `%x${i}`);
  const moves = (make: (register: string, offset: number) => string): string =>
    registers.map((register, i) => make(register, (i * width) / 8)).join(' ');
  const list = registers.length === 1 ? registers.join() : `{${registers.join(', ')}}`;
  const body = `.reg .b${width} %x<8>; ${prologue}
${moves((register, offset) => `ld.global.b${width} ${register}, [%rd1+${16 + offset}];`)}
${instruction.replace('LIST', list)}
${moves((register, offset) => `st.global.b${width} [%rd1+${32 + offset}], ${register};`)}`;
  return output({ body, version: '9.3' }, 48, way);
}

const wordsOf = (variant: Variant): number => (slotType(variant, 0).width * vectorLanes(variant)) / 32;

/** The ordinary reduction that corresponds to a variant of multimem.red. */
function ordinary(variant: Variant): string {
  const { op, boolOp, vec = '' } = variant.modifiers;
  const { name } = slotType(variant, 0);
  const type = op === '.add' && name === '.s64' ? '.u64' : name;
  return `red.global${op ?? boolOp}${name.includes('f16') ? '.noftz' : ''}${vec}${type}`;
}

/** Code for single threads and code for four threads access memory in the same way, so only one of them is tested. */
const engines = Object.entries(ways).filter(([name]) => name !== 'jit');

describe.each(engines)('on %s', (_, way) => {
  test.each(sampled('multimem.ld_reduce'))('%s gives the only value', async (_name, variant) => {
    const words = await run(`${variant.mnemonic} LIST, [%rd1];`, variant, way);
    expect(words.slice(8, 8 + wordsOf(variant))).toEqual(before.slice(0, wordsOf(variant)));
  });

  test.each(sampled('multimem.st'))('%s stores the value', async (_name, variant) => {
    const words = await run(`${variant.mnemonic} [%rd1], LIST;`, variant, way);
    const count = wordsOf(variant);
    expect(words.slice(0, 4)).toEqual([...operand.slice(0, count), ...before.slice(count)]);
  });

  test.each(sampled('multimem.red'))('%s changes memory as red does', async (_name, variant) => {
    const words = await run(`${variant.mnemonic} [%rd1], LIST;`, variant, way);
    expect(words).toEqual(await run(`${ordinary(variant)} [%rd1], LIST;`, variant, way));
  });

  test.each(sampled('multimem.st.async'))('%s stores the value', async (_name, variant) => {
    const words = await run(`${variant.mnemonic} [%rd1], LIST;`, variant, way);
    expect(words).toEqual(await run(`st.global.b${slotType(variant, 0).width} [%rd1], LIST;`, variant, way));
  });

  test.each(sampled('multimem.red.async'))('%s adds the value', async (_name, variant) => {
    const words = await run(`${variant.mnemonic} [%rd1], LIST;`, variant, way);
    expect(words).toEqual(await run(`red.global.add${slotType(variant, 0).name} [%rd1], LIST;`, variant, way));
  });

  test.each([
    ['cp.async.bulk', '', ''],
    ['cp.async.bulk', '.b128', ''],
    ['cp.async.bulk.relaxed.sys', '.b128', ''],
    ['cp.reduce.async.bulk.relaxed.gpu', '.add.u32', ''],
    ['cp.async.bulk', '.cp_mask', ', 0x00f3'],
    ['cp.reduce.async.bulk', '.add.noftz.bf16', ''],
    ['cp.reduce.async.bulk', '.max.s32', ''],
    ['cp.reduce.async.bulk', '.xor.b64', ''],
    ['cp.reduce.async.bulk', '.inc.u32', ''],
  ])('multimem.%s%s does what %s does', async (opcode, words, operands) => {
    const copy = (prefix: string): string => `.shared .align 16 .b8 from[16]; ${prologue}
${operand.map((word, i) => `st.shared.u32 [from+${4 * i}], ${word};`).join(' ')}
${prefix}${opcode}.global.shared::cta.bulk_group${words} [%rd1], [from], 16${operands};
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;`;
    const source = (prefix: string) => ({ body: copy(prefix), version: '9.3' });
    const changed = await output(source('multimem.'), 32, way);
    expect(changed).toEqual(await output(source(''), 32, way));
    expect(changed.slice(0, 4)).not.toEqual(before);
  });
});
