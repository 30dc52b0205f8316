/**
 * Fast conversions for groups that contain only ordinary numbers, as nearly all groups of an array do. Groups with
 * other values take the general path.
 */
import { elementAt } from '../../base/element-at.ts';
import { plainConversion } from '../../numerics/conversion.ts';
import type { FormatName } from '../../numerics/formats.ts';
import type { Code, Label } from '../../wasm/code.ts';
import { type ArrayPlan, parameters } from './array-plan.ts';
import { isDemotion, isPromotion, loadDoublesToOdd, storePromoted, writeDemotion } from './array-doubles.ts';
import { isHalf, isHalfDecoding, loadHalvesAsSingles, writeHalfDecoding } from './array-halves.ts';
import { leadingForm, writeLeading } from './array-leading.ts';
import { narrowingForm, type NarrowingForm, writeNarrowing } from './array-narrowing.ts';
import {
  groupBytes,
  type GroupLocals,
  groupOf,
  type GroupAccess,
  loadGroup,
  type StoredElements,
} from './array-storage.ts';
import { wideningForm, writeWidening } from './array-widening.ts';
import { RandomBits, wordsOfGroup } from './random-bits.ts';
import type { Helpers } from '../helpers.ts';
import { hasRangeOfSingle } from '../simd/vector-rounding.ts';
import { vectorConversion } from '../simd/vector-convert.ts';
import { advance } from './memory-loop.ts';

/**
 * Writes the conversion of a group. The code branches to `otherwise` without storing anything if the group needs the
 * general path.
 */
export type ShortForm = (code: Code, places: Places) => void;

type Places = GroupAccess & { readonly random: RandomBits };

/**
 * Returns the fast forms of a plan, fastest first. The later forms can convert some groups that the earlier ones
 * cannot.
 */
export function shortForms({ stages: [stage, second] }: ArrayPlan): readonly ShortForm[] {
  if (second !== undefined || stage.replacements.length > 0) return [];
  const { conversion } = stage;
  const { from } = conversion;
  const leading = leadingForm(conversion);
  if (leading !== null) return [(code, places) => writeLeading(code, leading, places)];
  if (isDemotion(conversion)) return [writeDemotion];
  if (isPromotion(conversion)) return [(code, places) => writePromotion(code, from, places)];
  const narrowing = narrowingForm(conversion);
  if (narrowing !== null)
    return (narrowing.canClamp ? [false, true] : [false]).map((clamps) => narrow(narrowing, clamps));
  if (isHalf(from) && isHalfDecoding(conversion)) return [(code, places) => writeHalfDecoding(code, from, places)];
  const widening = wideningForm(conversion);
  return widening === null ? [] : [(code, places) => writeWidening(code, widening, places)];
}

function narrow(form: NarrowingForm, clamps: boolean): ShortForm {
  return (code, { source, target, otherwise, random }) => {
    const words = loadAsSingles(code, form, source, otherwise);
    writeNarrowing(code, form, clamps, { words, target, otherwise }, (i) => random.of(i));
  };
}

function loadAsSingles(
  code: Code,
  { from, format }: NarrowingForm,
  source: StoredElements,
  otherwise: Label,
): GroupLocals {
  switch (from) {
    case 'f32':
      return loadGroup(code, source.storage, source.local);
    case 'f64':
      return loadDoublesToOdd(code, source.local, hasRangeOfSingle(format) ? otherwise : null);
    case 'f16':
    case 'bf16':
      return loadHalvesAsSingles(code, from, source.local);
  }
}

function writePromotion(code: Code, from: FormatName, places: Places): void {
  const { source, random } = places;
  const decode = vectorConversion(plainConversion(from, 'f32'));
  if (decode === null) throw new Error(`${from} has no vector form`);
  const words = loadGroup(code, source.storage, source.local);
  const singles =
    from === 'f32'
      ? words
      : groupOf(code, (i) =>
          decode(code, { source: elementAt(words, i), random: random.of(i), scale: random.unscaled }),
        );
  storePromoted(code, singles, places);
}

/**
 * The number of consecutive groups that are converted together on a slower path: the group that needs this path, and
 * the groups after it, which are likely to be similar.
 */
const longWay = 8;

/**
 * Each form gets a function of its own that contains only its loop. If all forms were in one function, V8 would spill
 * registers in every iteration because of the other forms. `any` is the index of the `ConvertGroups` function that can
 * convert any group.
 */
export function writeInTurns(
  code: Code,
  plan: ArrayPlan,
  helpers: Helpers,
  forms: readonly ShortForm[],
  any: number,
): void {
  const { groups, source, target, words, firstWord } = parameters;
  const all = Object.values(parameters);
  const type = { parameters: all.map(() => 'i32' as const), results: ['i32'] } as const;
  const [first, ...further] = forms.map((form, i) =>
    helpers.function(`short form ${i}`, type, (inner) => writeShort(inner, plan, form), true),
  );
  if (first === undefined) throw new Error('the conversion has no short form');
  const [few, done] = [code.local('i32'), code.local('i32')];
  const strides = [
    [source, groupBytes(plan.source)],
    [target, groupBytes(plan.target)],
    [words, 4 * wordsOfGroup(plan)],
    [firstWord, wordsOfGroup(plan)],
  ] as const;
  /** Advances past the groups that have been converted. */
  const pass = (): void => {
    for (const [local, stride] of strides) {
      if (stride > 0) code.get(done).i32(stride).op('i32.mul').get(local).op('i32.add').set(local);
    }
  };
  /**
   * Calls a form, which converts groups until it reaches a group that needs a slower path. Before the call, the local
   * `count` holds the number of groups to convert; after the call, it holds the number of groups that are left.
   */
  const convert = (count: number, form: number): void => {
    code.get(count).set(done);
    for (const parameter of all) code.get(parameter === groups ? count : parameter);
    code.call(form).set(count);
    code.get(done).get(count).op('i32.sub').set(done);
    pass();
  };
  code.loop((again) => {
    convert(groups, first);
    code.get(groups).if(() => {
      code.get(groups).i32(longWay).get(groups).i32(longWay).op('i32.lt_u', 'select').set(few);
      code.get(groups).get(few).op('i32.sub').set(groups);
      for (const form of further) code.get(few).if(() => convert(few, form));
      code.get(few).if(() => {
        for (const parameter of all) code.get(parameter === groups ? few : parameter);
        code.call(any).get(few).set(done);
        pass();
      });
      code.get(groups).brIf(again);
    });
  });
}

/**
 * Writes a function like `ConvertGroups`, except that it stops at the first group that needs the general path and
 * returns the number of groups that are left.
 */
function writeShort(code: Code, plan: ArrayPlan, short: ShortForm): void {
  const { groups, source, target } = parameters;
  const random = new RandomBits(code, plan);
  const places = {
    source: { local: source, storage: plan.source },
    target: { local: target, storage: plan.target },
    random,
  };
  code.block((end) => {
    code.loop((again) => {
      random.next();
      short(code, { ...places, otherwise: end });
      advance(code, source, groupBytes(plan.source));
      advance(code, target, groupBytes(plan.target));
      code.get(groups).i32(1).op('i32.sub').tee(groups).brIf(again);
    });
  });
  code.get(groups);
}
