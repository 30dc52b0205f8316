/**
 * A GPU can be named by its architecture or by a product name; the default is the GPU of the target. The architecture
 * of a GPU determines which targets it can run.
 */
import { describe, expect, test } from 'vitest';
import { environmentOf, namedEnvironment } from './environment.ts';
import { findGpu, gpuOf, gpus, runsOn, gpuNames } from './gpus.ts';
import { findTarget, targets } from './targets.ts';

test.each(targets)('$name is the GPU with its own number', (target) => {
  expect(gpuOf(target).sm).toBe(target.sm);
  expect(runsOn(target, gpuOf(target))).toBe(true);
});

test('names match in upper and lower case, and none is ambiguous', () => {
  expect(findGpu('h100')).toBe(findGpu('SM_90'));
  expect(findGpu('NVIDIA GeForce RTX 4090')).toBe(findGpu('sm_89'));
  expect(findGpu('sm_90a')).toBeUndefined();
  const names = gpus.flatMap(({ name, chips }) => [name, ...chips]);
  expect(new Set(names).size).toBe(names.length);
});

test('the target determines the GPU unless one is given', () => {
  const { version, target, gpu } = namedEnvironment('sm_80', '8.0');
  expect(gpu.name).toBe('sm_80');
  expect(environmentOf(version, target, findGpu('B200')).gpu.name).toBe('sm_100');
});

describe('the targets that a GPU can run', () => {
  test.each([
    ['sm_80', 'H100', true],
    ['sm_90', 'A100', false],
    ['sm_90a', 'H100', true],
    ['sm_90a', 'B200', false],
    ['sm_100f', 'sm_103', true],
    ['sm_100f', 'sm_120', false],
    ['sm_103f', 'sm_100', false],
    ['sm_101f', 'sm_103', false],
    ['sm_100f', 'sm_101', false],
    ['sm_101f', 'sm_110', true],
    ['sm_101a', 'sm_110', true],
    ['sm_110a', 'sm_103', false],
  ])('%s on %s: %s', (target, gpu, runs) => {
    const [found, on] = [findTarget(target), findGpu(gpu)];
    expect(found !== undefined && on !== undefined && runsOn(found, on)).toBe(runs);
  });
});

describe('a name that is no GPU', () => {
  test.each([
    ['sm_90a', 'sm_90a is a target; its GPU is sm_90'],
    ['sm_120f', 'sm_120f is a target; its GPU is sm_120'],
    ['sm_91a', 'use an architecture such as sm_90 or a product such as H100'],
    ['Voodoo', 'use an architecture such as sm_90 or a product such as H100'],
  ])('%s', (name, words) => {
    expect(gpuNames(name)).toBe(words);
  });
});
