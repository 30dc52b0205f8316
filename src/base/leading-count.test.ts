import { expect, test } from 'vitest';
import { leadingCount } from './leading-count.ts';

test('counts the leading elements for every split of lists of up to nine elements', () => {
  for (let length = 0; length < 10; length++) {
    for (let split = 0; split <= length; split++) {
      expect(leadingCount(length, (i) => i < split)).toBe(split);
    }
  }
});
