import { describe, expect, it } from 'vitest';
import { Catalog } from '../../apps/playground/src/convert/catalog.ts';
import { columnsOf } from '../../apps/playground/src/convert/cut.ts';
import { thresholdOf } from '../../apps/playground/src/convert/lanes-view.ts';
import { numberOf, textOf } from '../../apps/playground/src/convert/exact.ts';
import { stretchOf, valueAt } from '../../apps/playground/src/convert/line.ts';
import { linkOf, openLink, readLink } from '../../apps/playground/src/convert/link.ts';
import {
  emptyState,
  sourceOf,
  stepResult,
  stepSource,
  viewOf,
  withChoice,
  withInput,
  withSource,
} from '../../apps/playground/src/convert/state.ts';
import { explainEvaluation, formats, numberText } from 'ptxlab/numbers';

const catalog = new Catalog();

function open(link: string): NonNullable<ReturnType<typeof readLink>> {
  const state = readLink(link, catalog);
  if (state === null) throw new Error(`${link} is not a link`);
  return state;
}

describe('links', () => {
  // Old links must keep working, so rows may be added to this table but must never be changed.
  it.each([
    ['#from=f32&to=e4m3&v=0x43eb0000&mode=rn.satfinite', 'cvt.rn.satfinite.e4m3x2.f32', '448'],
    ['#from=f32&to=e4m3&v=0x00000000,0x3fa66666&mode=rn.satfinite&lane=1', 'cvt.rn.satfinite.e4m3x2.f32', '1.25'],
    ['#from=f32&to=f16&v=0x3f801000&mode=rz', 'cvt.rz.f16.f32', '1'],
    ['#from=f32&to=f16&v=0x3f801000&mode=rs', 'cvt.rs.f16x2.f32', '1'],
    ['#from=f64&to=f32&v=0x3fb999999999999a&mode=rn', 'cvt.rn.f32.f64', '0.1 (0x1.99999ap-4)'],
  ])('%s opens %s', (link, mnemonic, value) => {
    const view = viewOf(open(link));
    expect([view.evaluation.mnemonic, view.lane.explanation.result.value]).toEqual([mnemonic, value]);
    expect(linkOf(view.state, catalog)).toBe(link);
  });

  it('of every conversion open it again', () => {
    for (const entry of catalog.all()) {
      const link = linkOf(emptyState(entry), catalog);
      const { state, unread } = openLink(link, catalog) ?? {};
      expect([state?.entry.mnemonic, unread], link).toEqual([entry.mnemonic, []]);
    }
  });

  it('without values open every conversion on zero', () => {
    for (const entry of catalog.all()) {
      const mode = entry.modifiers.length === 0 ? '' : `&mode=${entry.modifiers.join('.')}`;
      const { state, source } = viewOf(open(`#from=${entry.from}&to=${entry.to}${mode}&lanes=${entry.lanes}`));
      expect([state.entry.mnemonic, Number(source)], entry.mnemonic).toEqual([entry.mnemonic, 0]);
    }
  });

  it.each([
    '',
    '#',
    '#from=f32',
    '#from=f32&to=constructor',
    '#from=u2&to=f32',
    `#from=f32&to=f16&v=${'0'.repeat(3_000)}`,
  ])('%s is refused or opens nothing wrong', (link) => {
    expect(readLink(link, catalog)).toBeNull();
  });

  it.each([
    ['v=470', ['v=470']],
    ['v=0x3f800000,0x3f800000,0x0&mode=rn.satfinite', ['v=0x3f800000,0x3f800000,0x0']],
    ['v=', ['v=']],
    ['mode=rn.bogus&lanes=3&lane=9', ['mode=rn.bogus', 'lanes=3', 'lane=9']],
    ['v=0x43eb0000&mode=rn.sat&lanes=2&lane=1', []],
    ['', []],
  ])('with %s name what cannot be read', (parts, unread) => {
    expect(openLink(`#from=f32&to=e4m3&${parts}`, catalog)?.unread).toEqual(unread);
  });

  it('with values that cannot be read open with 0', () => {
    expect(open('#from=f32&to=f16&v=0x1ffffffff&mode=rn').inputs).toEqual([0]);
    expect(open('#from=f32&to=f16&v=four&lane=7').inputs).toEqual([0]);
  });
});

describe('a choice', () => {
  it('of a modifier gives the nearest conversion that has it', () => {
    const choice = { from: 'f32', to: 'e4m3', lanes: 2, modifiers: ['rs', 'satfinite'] } as const;
    expect(catalog.nearest(choice, 'rs')?.mnemonic).toBe('cvt.rs.satfinite.e4m3x4.f32');
  });

  it('of other formats keeps the value', () => {
    const state = open('#from=f32&to=e4m3&v=0x43eb0000&mode=rn.satfinite');
    const { from, to } = { from: 'f64', to: 'f16' } as const;
    const next = withChoice(catalog, state, { from, to, lanes: 1, modifiers: ['rn'] });
    expect(numberText('f64', sourceOf(next, 0))).toBe('470');
  });
});

describe('sources of packed operands', () => {
  it('are the bits of their lane', () => {
    const entry = catalog.find('cvt.rn.f16x2.e4m3x2');
    if (entry === null) throw new Error('the table has it');
    const state = withSource(emptyState(entry), 1, 0x3a);
    expect(state.inputs).toEqual([0x003a]);
    expect([sourceOf(state, 0), sourceOf(state, 1)]).toEqual([0, 0x3a]);
  });
});

describe('steps', () => {
  const state = open('#from=f32&to=f16&v=0x3f800000&mode=rn');

  it('go to the next source value', () => {
    expect(sourceOf(stepSource(state, true), 0)).toBe(0x3f800001);
    expect(sourceOf(stepSource(state, false), 0)).toBe(0x3f7fffff);
  });

  it('go to the first source with a different result', () => {
    // 1 + 2^-11 is halfway between two values of f16, and rounds to the even one, which is 1. The next larger f32
    // rounds to 1 + 2^-10.
    expect(sourceOf(stepResult(state, true), 0)).toBe(0x3f801001);
  });

  it('end at the last result', () => {
    const last = open('#from=f32&to=e4m3&v=0x43e00000&mode=rn.satfinite');
    expect(stepResult(last, true)).toBe(last);
    const infinite = open('#from=f32&to=f16&v=0x7f7fffff&mode=rn');
    expect(stepResult(infinite, true)).toBe(infinite);
  });
});

describe('the cut', () => {
  const columns = (link: string): string => {
    const { lane, state } = viewOf(open(link));
    const { weights, result } = lane.explanation;
    if (weights === null) throw new Error('the source is finite');
    const all = columnsOf(weights, state.entry.to, result.bits);
    return all
      .map(({ part, source, result: digit, bits }) => `${part.charAt(0)}${source}${digit}${bits > 1 ? `x${bits}` : ''}`)
      .join(' ');
  };

  it.each([
    ['#from=f32&to=e4m3&v=0x3f900000&mode=rn.satfinite', 'k11 k00 k00 k11 g0 s0 s0 s0 s0 s0 s0 s0x13'],
    ['#from=f32&to=e4m3&v=0x3f980000&mode=rn.satfinite', 'k11 k00 k01 k10 g1 s0 s0 s0 s0 s0 s0 s0x13'],
    [
      '#from=f32&to=f64&v=0x3fc00000',
      'k11 k11 k00 k00 k00 k00 k00 k00 k00 k00 k00 k00 k00 k00 k00 k00 k00 k00 k00 k00 k00 k00 k00 k00',
    ],
    ['#from=f32&to=s8&v=0x40300000&mode=rni', 'k11 k01 g1 s1 s0 s0 s0 s0 s0 s0x15'],
  ])('of %s is %s', (link, expected) => {
    expect(columns(link)).toBe(expected);
  });
});

describe('the number line', () => {
  const stretch = (link: string): ReturnType<typeof stretchOf> => {
    const { lane, state } = viewOf(open(link));
    return stretchOf(state.entry.to, lane.explanation);
  };
  const ends = (link: string): unknown => {
    const { low, high, source, result } = stretch(link) ?? {};
    return { low: low && numberOf(low), high: high && numberOf(high), source, result };
  };

  it('spans the neighbors, with the source between them', () => {
    expect(ends('#from=f32&to=f16&v=0x3f801000&mode=rn')).toMatchObject({
      low: 1,
      high: 1 + 2 ** -10,
      source: 0.5,
      result: 0,
    });
  });

  it('continues beyond the largest value', () => {
    expect(ends('#from=f32&to=e4m3&v=0x43eb0000&mode=rn.satfinite')).toMatchObject({
      low: 448,
      high: 480,
      source: 22 / 32,
    });
  });

  it('starts at a value that the format can represent', () => {
    expect(ends('#from=f32&to=f16&v=0x3f800000&mode=rn')).toMatchObject({ low: 1, source: 0, result: 0 });
  });

  it.each([
    ['#from=f64&to=u64&v=0x43f0000000000000&mode=rzi', '18446744073709551615', '18446744073709551616', 1, 0],
    ['#from=f64&to=s64&v=0x43e0000000000000&mode=rzi', '9223372036854775807', '9223372036854775808', 1, 0],
    ['#from=f64&to=s64&v=0xc3e0000000000001&mode=rzi', '-9223372036854775809', '-9223372036854775808', -2047, 1],
    ['#from=s64&to=s64&v=0x8000000000000000', '-9223372036854775808', '-9223372036854775807', 0, 0],
    ['#from=s64&to=f64&v=0x7fffffffffffffff&mode=rn', '9223372036854774784', '9223372036854775808', 1023 / 1024, 1],
    ['#from=f32&to=u64&v=0x7f7fffff&mode=rzi', '18446744073709551615', '18446744073709551616', 2 ** 128, 0],
    ['#from=f32&to=u64&v=0x3fc00000&mode=rzi', '1', '2', 0.5, 0],
  ])('of %s ends at %s and %s', (link, low, high, source, result) => {
    const found = stretch(link);
    if (found === null) throw new Error('the source is finite');
    expect([textOf(found.low), textOf(found.high), found.result]).toEqual([low, high, result]);
    expect(found.source / Math.max(1, Math.abs(source))).toBeCloseTo(source / Math.max(1, Math.abs(source)), 6);
  });

  it('has a stretch of finite length for the least and greatest value of every conversion', () => {
    for (const entry of catalog.all()) {
      const width = BigInt(formats[entry.from].width);
      const sign = 1n << (width - 1n);
      for (const bits of [sign - 1n, sign, 2n * sign - 1n]) {
        const state = withSource(emptyState(entry), 0, width > 32n ? bits : Number(bits));
        const found = stretchOf(entry.to, viewOf(state).lane.explanation);
        const isPlaced = found === null || !Number.isNaN(found.source + (found.result ?? 0));
        expect(isPlaced, `${entry.mnemonic} 0x${bits.toString(16)}`).toBe(true);
      }
    }
  });

  it('drags between large integers', () => {
    const found = stretch('#from=s64&to=s64&v=0x8000000000000000');
    if (found === null) throw new Error('the source is finite');
    expect([0, 0.4, 0.9].map((at) => String(valueAt(found, at)))).toEqual([
      '-9223372036854775808',
      '-9223372036854775808',
      '-9223372036854775807',
    ]);
  });

  it('has no place for infinities and NaNs', () => {
    expect(stretch('#from=f32&to=f16&v=0x7f800000&mode=rn')).toBeNull();
  });

  it('snaps to the midpoint', () => {
    const found = stretch('#from=f32&to=f16&v=0x3f801000&mode=rn');
    if (found === null) throw new Error('1 + 2^-11 is on the line');
    expect([valueAt(found, 0.51), valueAt(found, 0.25)]).toEqual([1 + 2 ** -11, 1 + 2 ** -12]);
  });
});

describe('random bits', () => {
  it('round up from the threshold on', () => {
    const state = open('#from=f32&to=f16&v=0x3f800400&mode=rs');
    const { lane } = viewOf(state);
    const threshold = thresholdOf(lane.explanation.weights, lane.conversion.randomBits) ?? 0;
    const rbits = state.entry.inputs.findIndex(({ name }) => name === 'rbits');
    const result = (random: number): unknown =>
      explainEvaluation(state.entry.mnemonic, withInput(state, rbits, (random << 16) | random).inputs).conversions[0]
        ?.explanation.result.value;
    expect([result(threshold - 1), result(threshold)]).toEqual(['1', '1.0009765625']);
  });
});
