/**
 * Jobs for every instruction of sm_90 that only computes values, with corner cases and random operands. Each thread
 * executes all instructions of its kernel once, with one row of operands.
 */
import { createHash } from 'node:crypto';
import { check } from '../../src/index.ts';
import { inputsFor, type Instruction } from '../differential/instructions.ts';
import { instructionOf, variantsByForm } from '../differential/variants.ts';
import type { Job } from './job.ts';

const header = '.version 9.0\n.target sm_90\n.address_size 64\n';

/** Number of bytes that each operand occupies in the buffers. */
const slot = 16;

/** Number of instructions in a kernel. */
const batchSize = 32;

/**
 * Whether an instruction reads or writes the condition code. In this case, the kernel sets the condition code before
 * the instruction and stores it afterwards.
 */
const usesCarry = ({ inst }: Instruction): boolean => /^(addc|subc|madc)|\.cc/.test(inst);

const kind = (width: number): string => (width === 1 ? 'pred' : `b${width}`);

const resultsOf = (instruction: Instruction): number => instruction.results.length + (usesCarry(instruction) ? 1 : 0);

/** The number of bytes for each result of an instruction: 8, or 16 if one of the results has 128 bits. */
const outputSlot = ({ results }: Instruction): number => (results.some(({ width }) => width === 128) ? 16 : 8);

export const outputBytes = (instruction: Instruction): number => outputSlot(instruction) * resultsOf(instruction);

function executionText(instruction: Instruction, at: number): string {
  const { inst, sources, results, operands } = instruction;
  const size = outputSlot(instruction);
  const declare = [...sources, ...results].map(({ name, width }) => `.reg .${kind(width)} %${name};`);
  const load = sources.map(({ name, width }, i) =>
    width === 1
      ? `ld.global.u32 %r5, [%in+${slot * i}]; setp.ne.u32 %${name}, %r5, 0;`
      : `ld.global.b${width} %${name}, [%in+${slot * i}];`,
  );
  const store = results.map(({ name, width }, i) =>
    width === 1
      ? `selp.u32 %r5, 1, 0, %${name}; st.global.u32 [%out+${at + size * i}], %r5;`
      : `st.global.b${width} [%out+${at + size * i}], %${name};`,
  );
  const before = usesCarry(instruction) ? ['and.b32 %r5, %r1, 1; add.cc.u32 %r5, %r5, -1;'] : [];
  const after = usesCarry(instruction)
    ? [`addc.u32 %r3, 0, 0; st.global.u32 [%out+${at + size * results.length}], %r3;`]
    : [];
  return ['{', ...declare, ...load, ...before, `${inst.split(' ')[0]} ${operands};`, ...after, ...store, '}'].join(' ');
}

function kernelText(instructions: readonly Instruction[]): string {
  const [first] = instructions;
  if (first === undefined) throw new Error('a kernel without instructions');
  let row = 0;
  const bodies = instructions.map((instruction) => {
    const text = executionText(instruction, row);
    row += outputBytes(instruction);
    return text;
  });
  return `${header}.visible .entry k(.param .u64 input, .param .u64 output, .param .u32 count) {
.reg .pred %p; .reg .b32 %r<6>; .reg .b64 %in, %out;
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;
ld.param.u32 %r4, [count]; setp.ge.u32 %p, %r1, %r4; @%p ret;
ld.param.u64 %in, [input]; ld.param.u64 %out, [output];
mad.wide.u32 %in, %r1, ${slot * first.sources.length}, %in; mad.wide.u32 %out, %r1, ${row}, %out;
${bodies.join('\n')}
ret; }
`;
}

function hexOf(value: bigint, bytes: number): string {
  return (
    BigInt.asUintN(8 * bytes, value)
      .toString(16)
      .padStart(2 * bytes, '0')
      .match(/../g) ?? []
  )
    .reverse()
    .join('');
}

/** The job of a batch. */
export function jobOf({ id, instructions }: Batch): Job {
  const [first] = instructions;
  if (first === undefined) throw new Error('a job without instructions');
  const rows = inputsFor(first);
  const input = rows.map((row) => row.map((value) => hexOf(value, slot)).join('')).join('');
  const size = rows.length * instructions.reduce((sum, instruction) => sum + outputBytes(instruction), 0);
  return {
    id,
    source: kernelText(instructions),
    kernel: 'k',
    grid: [Math.ceil(rows.length / 128), 1, 1],
    block: [128, 1, 1],
    args: [
      { kind: 'buffer', size: input.length / 2, bytes: input },
      { kind: 'buffer', size, returned: true },
      { kind: 'scalar', bytes: hexOf(BigInt(rows.length), 4) },
    ],
  };
}

const isLegal = (instruction: Instruction): boolean =>
  check(kernelText([instruction])).diagnostics.every(({ severity }) => severity !== 'error');

export interface Batch {
  readonly id: string;
  readonly instructions: readonly Instruction[];
}

/** Instructions whose sources have the same widths use the same inputs, so one kernel can execute several of them. */
export function* valueBatches(): Generator<Batch> {
  const batches = new Map<string, Instruction[]>();
  for (const [, variants] of variantsByForm()) {
    for (const variant of variants) {
      const instruction = instructionOf(variant);
      if (instruction.results.length === 0 || !isLegal(instruction)) continue;
      const key = [...instruction.sources.map(({ width }) => width), outputSlot(instruction)].join(' ');
      const batch = batches.get(key);
      if (batch === undefined) batches.set(key, [instruction]);
      else batch.push(instruction);
    }
  }
  for (const [key, instructions] of batches) {
    for (let i = 0; i < instructions.length; i += batchSize)
      yield { id: `values ${key} ${i / batchSize}`, instructions: instructions.slice(i, i + batchSize) };
  }
}

/** The name of an instruction in the golden digests. */
export const nameOf = ({ inst, operands }: Instruction): string => `${inst} ${operands}`;

/**
 * For each instruction of a batch, the digest of its results, given the contents of the output buffer in hexadecimal.
 */
export function digestsOf({ instructions }: Batch, output: string): readonly string[] {
  const stride = 2 * instructions.reduce((sum, instruction) => sum + outputBytes(instruction), 0);
  let at = 0;
  return instructions.map((instruction) => {
    const hash = createHash('sha256');
    const size = 2 * outputBytes(instruction);
    for (let row = at; row < output.length; row += stride) hash.update(output.slice(row, row + size));
    at += size;
    return hash.digest('hex').slice(0, 16);
  });
}
