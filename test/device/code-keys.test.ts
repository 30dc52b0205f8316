/** Tests that a kernel is compiled again only if the PTX version, the target or the GPU has changed. */
import { expect, test } from 'vitest';
import { type Environment, environmentOf, namedEnvironment } from '../../src/isa/environment.ts';
import { findGpu } from '../../src/isa/gpus.ts';
import { CodeCache, type Compiled } from '../../src/jit/launch/cache.ts';
import { fastEngine } from '../../src/jit/launch/launch.ts';
import { launchOf } from './launch-of.ts';

class Recording extends CodeCache {
  readonly keys: string[] = [];

  override keep(text: string, key: string, compiled: Compiled): Compiled {
    this.keys.push(key);
    return super.keep(text, key, compiled);
  }
}

const usual = namedEnvironment('sm_80', '8.0');

/** The number of different cache keys when the same kernel is launched in each of these environments. */
function keysOf(environments: readonly Environment[]): number {
  const code = new Recording();
  const { launch } = launchOf({ body: '' });
  for (const environment of environments) {
    const origin = { text: 'one text', environment };
    fastEngine(launch, { origin, code, checked: true, workers: 0, simd: false }).release();
  }
  return new Set(code.keys).size;
}

test.each([
  ['version', namedEnvironment('sm_80', '8.1')],
  ['target', namedEnvironment('sm_86', '8.0')],
  ['GPU', environmentOf(usual.version, usual.target, findGpu('H100'))],
])('another %s gets its own code', (_, other) => {
  expect(keysOf([usual, other])).toBe(2);
});

test('the same environment gets the same code', () => {
  expect(keysOf([usual, namedEnvironment('sm_80', '8.0')])).toBe(1);
});
