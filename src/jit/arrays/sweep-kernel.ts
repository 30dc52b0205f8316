/**
 * A WebAssembly module that runs one instruction over a range of inputs and computes the digest of its results. If all
 * conversions of the instruction have vector forms, it processes four ranges at the same time, one in each vector lane;
 * otherwise it processes one range.
 */
import { operandRef } from '../../isa/steps/ref.ts';
import type { Step } from '../../isa/steps/step.ts';
import type { Code } from '../../wasm/code.ts';
import { addWord, addWords } from './digest.ts';
import { Helpers } from '../helpers.ts';
import { type SweepLowering, ScalarSweep, VectorSweep } from './sweep-lowering.ts';
import { vectorConversion } from '../simd/vector-convert.ts';

/** Describes a sweep as plain data, which can be sent to another thread. */
export interface SweepPlan {
  readonly steps: readonly Step[];
  /** Operands that receive the input. */
  readonly swept: readonly string[];
  /** Operands that are the same for all inputs; each of them has at most 32 bits. */
  readonly fixed: readonly (readonly [name: string, bits: number])[];
  readonly result: string;
  /** Width of the result in bits. A 64-bit result is added to the digest as two words, low word first. */
  readonly resultWidth: number;
}

export interface SweepKernel {
  /** Number of ranges per run. */
  readonly lanes: 1 | 4;
  readonly wasm: Uint8Array<ArrayBuffer>;
}

/** Compiles a sweep. Returns null if the instruction has a step that does not occur in conversions. */
export function sweepKernel(plan: SweepPlan): SweepKernel | null {
  if (!plan.steps.every(isSwept)) return null;
  const helpers = new Helpers();
  const lanes = hasVectorForm(plan) ? 4 : 1;
  const type = { parameters: ['i32'], results: [] } as const;
  const write = (code: Code): void => {
    if (lanes === 4) writeLoop(code, plan, 'v128', new VectorSweep(code));
    else writeLoop(code, plan, 'i32', new ScalarSweep(code, helpers));
  };
  const index = helpers.function('sweep', type, write, true);
  helpers.builder.export('sweep', index);
  return { lanes, wasm: helpers.builder.encode() };
}

const sweptKinds: ReadonlySet<Step['kind']> = new Set(['convert', 'clamp', 'pack', 'unpack', 'extract', 'copy']);

function isSwept(step: Step): boolean {
  return sweptKinds.has(step.kind) || (step.kind === 'join' && step.width === 32);
}

function hasVectorForm({ steps, resultWidth }: SweepPlan): boolean {
  return (
    resultWidth <= 32 && steps.every((step) => step.kind !== 'convert' || vectorConversion(step.conversion) !== null)
  );
}

/**
 * Addresses of the next inputs and of the current digests. At each of these addresses, there is one word for each
 * range, so there are either one or four words.
 */
const [inputAddress, stateAddress] = [0, 16];

/**
 * Writes the loop. The only parameter of the function is the number of inputs; inputs and digests are read from memory
 * and written to it.
 */
function writeLoop(code: Code, plan: SweepPlan, type: 'v128' | 'i32', lowering: SweepLowering): void {
  const input = code.local(type);
  const state = code.local(type);
  const load =
    type === 'v128' ? (at: number) => code.vectorMemory('v128.load', at) : (at: number) => code.memory('i32.load', at);
  const store =
    type === 'v128'
      ? (at: number) => code.vectorMemory('v128.store', at)
      : (at: number) => code.memory('i32.store', at);
  code.i32(0);
  load(inputAddress).set(input);
  code.i32(0);
  load(stateAddress).set(state);
  for (const [name, bits] of plan.fixed) lowering.constant(operandRef(name), bits);
  for (const name of plan.swept) lowering.bind(operandRef(name), input);
  code.loop((again) => {
    for (const step of plan.steps) lowering.lower(step);
    if (type === 'v128') addVectorResult(code, lowering.get(operandRef(plan.result)), state, input);
    else addScalarResult(code, lowering.get(operandRef(plan.result)), plan.resultWidth, state, input);
    code.get(0).i32(1).op('i32.sub').tee(0).brIf(again);
  });
  code.i32(0).get(input);
  store(inputAddress);
  code.i32(0).get(state);
  store(stateAddress);
}

function addVectorResult(code: Code, result: number, state: number, input: number): void {
  code.get(result);
  addWords(code, state);
  code.get(input).words(1, 1, 1, 1).vector('i32x4.add').set(input);
}

function addScalarResult(code: Code, result: number, width: number, state: number, input: number): void {
  code.get(result);
  if (width > 32) code.op('i32.wrap_i64');
  addWord(code, state);
  if (width > 32) {
    code.get(result).i64(32n).op('i64.shr_u', 'i32.wrap_i64');
    addWord(code, state);
  }
  code.get(input).i32(1).op('i32.add').set(input);
}
