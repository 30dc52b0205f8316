/** Groups of plain numbers, what nearly all of an array are, in a quicker way of their own; others go the long way. */
import type { Code, Label } from '../../wasm/code.ts';
import { type ArrayPlan, parameters } from './array-plan.ts';
import { isHalf, isHalfDecoding, loadHalvesAsSingles, writeHalfDecoding } from './array-halves.ts';
import { leadingForm, writeLeading } from './array-leading.ts';
import { nearestForm, type NearestForm, writeNearest } from './array-nearest.ts';
import type { Place } from './array-one-by-one.ts';
import { groupBytes, loadGroup } from './array-storage.ts';
import { wideningForm, writeWidening } from './array-widening.ts';
import type { Helpers } from '../helpers.ts';
import { advance } from './memory-loop.ts';

/** Writes the conversion of a group; it goes to `otherwise`, nothing stored, where the group needs the long way. */
export type ShortForm = (code: Code, source: Place, target: Place, otherwise: Label) => void;

/** The forms of a plan, the quickest first; those behind it take groups that it does not. */
export function shortForms({ stages: [stage, second] }: ArrayPlan): readonly ShortForm[] {
  if (second !== undefined || stage.replacements.length > 0) return [];
  const { conversion } = stage;
  const { from } = conversion;
  const nearest = nearestForm(conversion);
  if (nearest !== null)
    return nearest.canClamp ? [roundWith(nearest, false), roundWith(nearest, true)] : [roundWith(nearest, false)];
  const leading = leadingForm(conversion);
  if (leading !== null) return [(code, ...places) => writeLeading(code, leading, ...places)];
  if (isHalf(from) && isHalfDecoding(conversion))
    return [(code, ...places) => writeHalfDecoding(code, from, ...places)];
  const widening = wideningForm(conversion);
  return widening === null ? [] : [(code, ...places) => writeWidening(code, widening, ...places)];
}

function roundWith(form: NearestForm, clamps: boolean): ShortForm {
  return (code, source, target, otherwise) => {
    const words =
      form.from === 'f32'
        ? loadGroup(code, source.storage, source.local)
        : loadHalvesAsSingles(code, form.from, source.local);
    writeNearest(code, form, clamps, target, words, otherwise);
  };
}

/** Groups that go a longer way when one of them must: others like it are near. */
const longWay = 8;

/**
 * Each form has a function of its own, with nothing else in its loop: V8 would move values out of registers for the others
 * in each round. `any` is the index of the `ConvertGroups` that takes all groups.
 */
export function writeInTurns(
  code: Code,
  plan: ArrayPlan,
  helpers: Helpers,
  forms: readonly ShortForm[],
  any: number,
): void {
  const { groups, source, target, ...others } = parameters;
  const type = { parameters: ['i32', 'i32', 'i32'], results: ['i32'] } as const;
  const [first, ...further] = forms.map((form, i) =>
    helpers.function(`short form ${i}`, type, (inner) => writeShort(inner, plan, form), true),
  );
  if (first === undefined) throw new Error('a conversion without a short form takes no turns');
  const [few, before] = [code.local('i32'), code.local('i32')];
  /** Calls a form for as many groups as a local says, which then says how many are left. */
  const convert = (count: number, form: number): void => {
    code.get(count).set(before);
    code.get(count).get(source).get(target).call(form).set(count);
    pass(count);
  };
  const pass = (count: number): void => {
    code.get(before).get(count).op('i32.sub').set(before);
    for (const [local, storage] of [
      [source, plan.source],
      [target, plan.target],
    ] as const) {
      code.get(before).i32(groupBytes(storage)).op('i32.mul').get(local).op('i32.add').set(local);
    }
  };
  code.loop((again) => {
    convert(groups, first);
    code.get(groups).if(() => {
      code.get(groups).i32(longWay).get(groups).i32(longWay).op('i32.lt_u', 'select').set(few);
      code.get(groups).get(few).op('i32.sub').set(groups);
      for (const form of further) code.get(few).if(() => convert(few, form));
      code.get(few).if(() => {
        code.get(few).get(source).get(target);
        for (const parameter of Object.values(others)) code.get(parameter);
        code.call(any).get(few).set(before);
        code.i32(0).set(few);
        pass(few);
      });
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
