import { describe, expect, test } from 'vitest';
import { ptxlab } from './ptxlab.ts';

const module = 'test/kernels/cuda/integers.sm_90_debug.ptx';

describe('graph', () => {
  test.each(['collatz', '_Z4turnji', 'turn(unsigned int, int)'])('draws %s', async (name) => {
    const { code, stdout } = await ptxlab(['graph', module, name]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^<svg [^]*<\/svg>\n$/);
  });

  test('asks for a name if there are several functions, and names them', async () => {
    const { code, stderr } = await ptxlab(['graph', module]);
    expect(code).toBe(2);
    expect(stderr).toContain('collatz');
  });

  test('refuses a name that the module does not have', async () => {
    const { code, stderr } = await ptxlab(['graph', module, 'nothing']);
    expect([code, stderr]).toEqual([2, expect.stringContaining("no function 'nothing'")]);
  });
});
