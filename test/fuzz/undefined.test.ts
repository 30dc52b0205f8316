/**
 * Tests every instruction in the table that computes values: result bits that are marked as defined must not depend on
 * undefined source bits.
 */
import { describe, expect, test } from 'vitest';
import { type Bits, chop } from '../../src/base/bits.ts';
import { valueAt } from '../../src/base/element-at.ts';
import { evaluator } from '../../src/interp/evaluate.ts';
import { type Shadowed, setUndefined } from '../../src/interp/shadow.ts';
import { prepareCarefully } from '../../src/interp/undefined-values.ts';
import { type Frame, prepareStep } from '../../src/interp/value-steps.ts';
import { namedEnvironment } from '../../src/isa/environment.ts';
import type { Variant } from '../../src/isa/form.ts';
import { isValueStep } from '../../src/isa/steps/effects.ts';
import { operandRef, type Ref } from '../../src/isa/steps/ref.ts';
import type { Origin } from '../../src/machine/memory/definedness.ts';
import { RandomSource } from '../differential/random-source.ts';
import { variantsByForm } from '../differential/variants.ts';

const environment = namedEnvironment('sm_100', '9.1');
const random = new RandomSource(47);
const origin: Origin = { line: 1, space: 'shared', address: '0x0', size: 4, near: '', padding: false };
const most = { variants: 6, trials: 12, fills: 3 };

function randomMask(width: number): bigint {
  const any =
    (BigInt(random.bits()) << 96n) |
    (BigInt(random.bits()) << 64n) |
    (BigInt(random.bits()) << 32n) |
    BigInt(random.bits());
  const whole = (1n << BigInt(width)) - 1n;
  switch (random.bits() % 5) {
    case 0:
      return 0n;
    case 1:
      return whole;
    case 2:
      return (0xffn << BigInt(8 * (random.bits() % 4))) & whole;
    case 3:
      return (1n << BigInt(random.bits() % width)) & whole;
    default:
      return any & whole;
  }
}

function randomValue(width: number): bigint {
  return random.bits() % 4 === 0 ? BigInt(random.bits() % 9) & ((1n << BigInt(width)) - 1n) : randomMask(width);
}

function leaks(variant: Variant): readonly string[] {
  const made = evaluator(variant, environment);
  if (made === null) throw new Error(`${variant.mnemonic} is not evaluated`);
  const places = new Map<Ref, number>();
  const placeOf = (ref: Ref): number => {
    const known = places.get(ref) ?? places.size;
    places.set(ref, known);
    return known;
  };
  const inputs = made.inputs.map(({ name, type }) => ({ place: placeOf(operandRef(name)), width: type.width }));
  const outputs = made.outputs.map(({ name }) => ({ name, place: placeOf(operandRef(name)) }));
  const steps = variant.form.steps(variant, environment).filter(isValueStep);
  const runs = steps.map((step) => prepareStep(step, placeOf));
  const carefully = steps.map((step) => prepareCarefully(step, placeOf));
  const frameOf = (values: readonly bigint[]): Frame => {
    const frame: Frame = new Array<Bits>(places.size).fill(0);
    inputs.forEach(({ place, width }, i) => (frame[place] = chop(values[i] ?? 0n, width)));
    return frame;
  };
  const found: string[] = [];
  for (let trial = 0; trial < most.trials; trial++) {
    const values = inputs.map(({ width }) => randomValue(width));
    const masks = inputs.map(({ width }) => randomMask(width));
    const thread: Shadowed = { shadow: null };
    inputs.forEach(({ place }, i) => {
      const mask = masks[i] ?? 0n;
      setUndefined(thread, place, mask === 0n ? null : { mask, origin });
    });
    const frame = frameOf(values);
    for (const action of carefully) action(frame, thread);
    for (let fill = 0; fill < most.fills; fill++) {
      const other = frameOf(values.map((value, i) => value ^ (randomMask(128) & (masks[i] ?? 0n))));
      for (const action of runs) action(other);
      for (const { name, place } of outputs) {
        const undefinedBits = thread.shadow?.get(place)?.mask ?? 0n;
        const differing = (BigInt(other[place] ?? 0) ^ BigInt(frame[place] ?? 0)) & ~undefinedBits;
        if (differing !== 0n) found.push(`${variant.mnemonic}: ${name} differs in ${differing.toString(16)}`);
      }
    }
  }
  return found.slice(0, 3);
}

describe('no defined bit depends on an undefined one', () => {
  const forms = variantsByForm();
  test.each([...forms.keys()])('%s', (id) => {
    const found = valueAt(forms, id).slice(0, most.variants).flatMap(leaks);
    expect(found).toEqual([]);
  });
});
