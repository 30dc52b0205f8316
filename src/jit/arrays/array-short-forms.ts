/** Groups of plain numbers, what nearly all of an array are, in a quicker way of their own; others go the long way. */
import type { Code, Label } from '../../wasm/code.ts';
import { type ArrayPlan, parameters } from './array-plan.ts';
import { isHalf, isHalfDecoding, loadHalvesAsSingles, writeHalfDecoding } from './array-halves.ts';
import { leadingForm, writeLeading } from './array-leading.ts';
import { nearestForm, pushBeyond, storeNearest } from './array-nearest.ts';
import type { Place } from './array-one-by-one.ts';
import { groupBytes, loadGroup } from './array-storage.ts';
import { wideningForm, writeWidening } from './array-widening.ts';
import type { Helpers } from '../helpers.ts';
import { advance } from './memory-loop.ts';

/** Writes the conversion of a group; it goes to `otherwise`, nothing stored, where the group needs the long way. */
export type ShortForm = (code: Code, source: Place, target: Place, otherwise: Label) => void;

/** The form of a plan; null where it has none. */
export function shortForm({ stages: [stage, second] }: ArrayPlan): ShortForm | null {
  if (second !== undefined || stage.replacements.length > 0) return null;
  const nearest = nearestForm(stage.conversion);
  if (nearest !== null) {
    return (code, source, target, otherwise) => {
      const words =
        nearest.from === 'f32'
          ? loadGroup(code, source.storage, source.local)
          : loadHalvesAsSingles(code, nearest.from, source.local);
      const magnitudes = pushBeyond(code, nearest.limit, words);
      code.brIf(otherwise);
      storeNearest(code, nearest, target, words, magnitudes);
    };
  }
  const leading = leadingForm(stage.conversion);
  if (leading !== null) {
    return (code, source, target, otherwise) => writeLeading(code, leading, source, target, otherwise);
  }
  const { from } = stage.conversion;
  if (isHalf(from) && isHalfDecoding(stage.conversion)) {
    return (code, source, target, otherwise) => writeHalfDecoding(code, from, source, target, otherwise);
  }
  const widening = wideningForm(stage.conversion);
  if (widening === null) return null;
  return (code, source, target, otherwise) => writeWidening(code, widening, source, target, otherwise);
}

/** Groups that go the long way when one of them must: others like it are near. */
const longWay = 4;

/**
 * A function of its own has the short form in its loop and nothing else: V8 would move values out of registers for the long
 * way in each round. `any` is the index of the `ConvertGroups` that goes that way.
 */
export function writeInTurns(code: Code, plan: ArrayPlan, helpers: Helpers, short: ShortForm, any: number): void {
  const { groups, source, target, ...others } = parameters;
  const type = { parameters: ['i32', 'i32', 'i32'], results: ['i32'] } as const;
  const shortOnes = helpers.function('short', type, (inner) => writeShort(inner, plan, short), true);
  const left = code.local('i32');
  const passDone = (): void => {
    for (const [local, storage] of [
      [source, plan.source],
      [target, plan.target],
    ] as const) {
      code.get(groups).get(left).op('i32.sub').i32(groupBytes(storage)).op('i32.mul');
      code.get(local).op('i32.add').set(local);
    }
    code.get(left).set(groups);
  };
  code.loop((again) => {
    code.get(groups).get(source).get(target).call(shortOnes).set(left);
    passDone();
    code.get(groups).if(() => {
      code.get(groups).i32(longWay).get(groups).i32(longWay).op('i32.lt_u', 'select').tee(left).get(source).get(target);
      for (const parameter of Object.values(others)) code.get(parameter);
      code.call(any);
      code.get(groups).get(left).op('i32.sub').set(left);
      passDone();
      code.get(groups).brIf(again);
    });
  });
}

/** (groups, source, target): converts groups up to one that needs the long way, and gives how many are left. */
function writeShort(code: Code, plan: ArrayPlan, short: ShortForm): void {
  const { groups, source, target } = parameters;
  code.block((end) => {
    code.loop((again) => {
      short(code, { local: source, storage: plan.source }, { local: target, storage: plan.target }, end);
      advance(code, source, groupBytes(plan.source));
      advance(code, target, groupBytes(plan.target));
      code.get(groups).i32(1).op('i32.sub').tee(groups).brIf(again);
    });
  });
  code.get(groups);
}
