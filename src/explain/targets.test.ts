import { expect, test } from 'vitest';
import { acceptance } from '../check/availability.ts';
import { at, atListed, atSuffixed, targets } from '../isa/targets.ts';
import { describeSet, groupAcceptance } from './targets.ts';

const names = (matches: (target: (typeof targets)[number]) => boolean): readonly string[] =>
  targets.filter(matches).map((target) => target.name);

test('a set of targets is described as briefly as possible', () => {
  expect(describeSet(names(() => true))).toBe('any target');
  expect(describeSet(names(({ sm }) => sm >= 80))).toBe('sm_80 or higher');
  expect(describeSet(names(({ sm }) => sm >= 20 && sm <= 62))).toBe('sm_20 to sm_62');
  expect(describeSet(names(({ sm, suffix }) => sm >= 100 && suffix !== ''))).toBe(
    'sm_100a, sm_100f and later ones with suffix a or f',
  );
  expect(describeSet(['sm_100a', 'sm_103a'])).toBe('sm_100a, sm_103a');
  expect(describeSet([])).toBe('no target');
});

test('a set with a gap is listed in full', () => {
  const holed = names(({ name, sm }) => sm >= 100 && name !== 'sm_110');
  expect(describeSet(holed)).toBe(holed.join(', '));
});

test('targets are grouped by version; a newer target joins the lowest group', () => {
  const rows = new Set([{ subject: 'fp8', ways: [at('7.8', 90), atListed('8.1', 'sm_89')] }]);
  expect(groupAcceptance(acceptance(rows)).map(({ since, words }) => [since, words])).toEqual([
    ['7.8', 'sm_90 or higher'],
    ['8.1', 'sm_89'],
  ]);
  const narrow = new Set([{ subject: 'fp4', ways: [atSuffixed('8.6', 100)] }]);
  expect(groupAcceptance(acceptance(narrow)).map(({ since, words }) => [since, words])).toEqual([
    ['8.6', 'sm_100a, sm_100f and later ones with suffix a or f'],
  ]);
});
