/**
 * The WebAssembly module for one array conversion. If the conversion can be done with vector instructions, the module
 * converts sixteen elements at a time, otherwise one element at a time. Source and target are in the memory that the
 * module imports.
 */
import { elementAt } from '../../base/element-at.ts';
import { formats } from '../../numerics/formats.ts';
import type { ConversionStages } from '../../numerics/conversion-stages.ts';
import type { Code } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import { convertOneByOne } from './array-one-by-one.ts';
import { type ArrayPlan, parameters } from './array-plan.ts';
import { RandomBits } from './random-bits.ts';
import { shortForms, writeInTurns } from './array-short-forms.ts';
import { groupBytes, groupOf, loadGroup, type StoredElements, storeGroup } from './array-storage.ts';
import { Helpers } from '../helpers.ts';
import { replaceVector, stageConverter } from '../arithmetic/replacement.ts';
import { holder } from '../regions/values.ts';
import { vectorConversion } from '../simd/vector-convert.ts';

/** Fetches `bytes` bytes at `address` into the cache; `scratch` is the address of scratch memory. */
export type FetchBytes = (address: number, bytes: number, scratch: number) => void;

/** A module that exports the functions `convert` (of type `ConvertGroups`) and `fetch` (of type `FetchBytes`). */
export function arrayKernel(plan: ArrayPlan, sharedMemory: boolean): Uint8Array<ArrayBuffer> {
  const helpers = new Helpers(sharedMemory);
  const type = { parameters: Object.values(parameters).map(() => 'i32' as const), results: [] };
  const any = helpers.function('any', type, (code) => writeLoop(code, plan, helpers), true);
  const forms = shortForms(plan);
  const convert =
    forms.length === 0
      ? any
      : helpers.function('convert', type, (code) => writeInTurns(code, plan, helpers, forms, any));
  const fetch = helpers.function('fetch', { parameters: ['i32', 'i32', 'i32'], results: [] }, writeFetch);
  helpers.builder.export('convert', convert);
  helpers.builder.export('fetch', fetch);
  return helpers.builder.encode();
}

function writeLoop(code: Code, plan: ArrayPlan, helpers: Helpers): void {
  const { groups, source, target, scratch } = parameters;
  const random = new RandomBits(code, plan);
  const onVectors = plan.stages.every(({ conversion }) => vectorConversion(conversion) !== null);
  const from = { local: source, storage: plan.source };
  const to = { local: target, storage: plan.target };
  code.loop((again) => {
    random.next();
    if (onVectors) convertGroup(code, plan, random, from, to);
    else convertOneByOne(code, wholeConverter(helpers, plan.stages), random, { source: from, target: to }, scratch);
    code.get(source).i32(groupBytes(plan.source)).op('i32.add').set(source);
    code.get(target).i32(groupBytes(plan.target)).op('i32.add').set(target);
    code.get(groups).i32(1).op('i32.sub').tee(groups).brIf(again);
  });
}

const cacheLine = 64;

/**
 * Touches each cache line that contains elements to be converted. A processor fetches many lines at once if the loads
 * directly follow one another; if they were mixed with conversions, it would fetch only one or two at a time. The
 * values are combined and stored only so that V8 does not remove the loads as unused.
 */
function writeFetch(code: Code): void {
  const [address, bytes, scratch] = [0, 1, 2] as const;
  const [end, read] = [code.local('i32'), code.local('i32')];
  code.get(address).get(bytes).op('i32.add').set(end);
  code.loop((again) => {
    code.get(address).memory('i32.load', 0).get(read).op('i32.or').set(read);
    code.get(address).i32(cacheLine).op('i32.add').tee(address).get(end).op('i32.lt_u').brIf(again);
  });
  code.get(scratch).get(read).memory('i32.store', 0);
}

function convertGroup(code: Code, plan: ArrayPlan, random: RandomBits, from: StoredElements, to: StoredElements): void {
  const words = loadGroup(code, from.storage, from.local);
  const results = groupOf(code, (i) => code.get(convertWords(code, plan, random, elementAt(words, i), i)));
  storeGroup(code, to.storage, to.local, results);
}

/**
 * Converts elements 4i to 4i + 3 of a group. The local `source` holds these four elements as words; the returned local
 * holds the results.
 */
function convertWords(code: Code, plan: ArrayPlan, random: RandomBits, source: number, i: number): number {
  return plan.stages.reduce((words: number, stage) => {
    const results = code.local('v128');
    vectorConversion(stage.conversion)?.(code, { source: words, random: random.of(i), scale: random.unscaled });
    code.set(results);
    replaceVector(code, stage, words, results);
    return results;
  }, source);
}

/**
 * Returns the index of a function that runs all stages of the conversion. The function takes the source, the random
 * bits and the scale, and returns the result.
 */
function wholeConverter(helpers: Helpers, stages: ConversionStages): number {
  const [first, last = first] = stages;
  const indices = stages.map((stage) => stageConverter(helpers, stage));
  if (indices.length === 1) return elementAt(indices, 0);
  const type: FunctionType = {
    parameters: [holder(formats[first.conversion.from].width), 'i32', 'i32'],
    results: [holder(formats[last.conversion.to].width)],
  };
  return helpers.function('all stages', type, (code) => {
    code.get(0);
    for (const index of indices) code.get(1).get(2).call(index);
  });
}
