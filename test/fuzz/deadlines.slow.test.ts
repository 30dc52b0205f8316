/** A kernel that never ends is stopped by its time limit, no matter what it does or which engine it runs on. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Device, type LaunchOptions } from '../../src/device.ts';
import { moduleOf, ways } from '../device/run.ts';

const seconds = 0.02;

const module = `.extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p);
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 format[4] = {37, 115, 10, 0}; .global .align 1 .b8 wide[8] = {37, 54, 48, 48, 48, 48, 100, 0};
.global .b64 long[1]; .global .b8 text[65536];
.func (.reg .f64 r) slow(.reg .f64 a) { div.rn.f64 r, a, 0d400921FB54442D18; sqrt.rn.f64 r, r; }`;

/** Statements that a loop can contain. The time that they take varies from nanoseconds to milliseconds. */
const bodies = {
  malloc: 'call (%rd1), malloc, (%rd5);',
  'malloc and free': 'call (%rd1), malloc, (%rd5); call free, (%rd1);',
  'free of nothing': 'call free, (0);',
  printf: 'call (%r1), vprintf, (%rd3, %rd4);',
  'printf with a wide number': 'call (%r1), vprintf, (%rd6, %rd4);',
  barriers: 'bar.sync 0;',
  'barriers of diverged threads': '@%p1 bar.sync 1, 64; @!%p1 bar.sync 1, 64;',
  shuffles: 'shfl.sync.idx.b32 %r2, %r2, 0, 31, -1;',
  votes: 'vote.sync.any.pred %p2, %p1, -1;',
  atomics: 'atom.global.add.u32 %r2, [long], 1;',
  'generic loads': 'ld.u32 %r2, [%rd7];',
  'calls and divisions': 'call (%fd1), slow, (%fd1);',
  logarithms: 'lg2.approx.f32 %f1, %f1; ex2.approx.f32 %f2, %f1; cos.approx.f32 %f2, %f2;',
  clocks: 'mov.u64 %rd8, %globaltimer;',
  nothing: 'add.u32 %r2, %r2, 1;',
} as const;

type Body = keyof typeof bodies;

function sourceOf(parts: readonly Body[]): string {
  const body = `mov.u64 %rd5, 16; mov.u64 %rd3, format; mov.u64 %rd6, wide; .local .align 8 .b8 list[8];
mov.u64 %rd9, text; cvta.local.u64 %rd4, list; st.local.u64 [list], %rd9; cvta.local.u64 %rd7, list;
mov.u32 %r3, %tid.x; and.b32 %r3, %r3, 1; setp.eq.u32 %p1, %r3, 0;
again:
${parts.map((part) => bodies[part]).join('\n')}
bra again;`;
  return moduleOf({ body, parameters: '', module });
}

async function codeOf(parts: readonly Body[], block: number, options: LaunchOptions): Promise<string | null> {
  const device = await Device.create();
  const kernel = device.load(sourceOf(parts)).kernel('k');
  // Compiles the kernel beforehand, so that the time limit ends the loop and not the compilation.
  await kernel.launch({ ...options, block, budget: 1 });
  const result = await kernel.launch({ ...options, block, timeout: seconds });
  return result.ok ? null : result.fault.code;
}

const everyWay: Readonly<Record<string, LaunchOptions>> = { ...ways, workers: { workers: 2 } };

describe.each(Object.entries(everyWay))('on %s', (_, way) => {
  test.each(Object.keys(bodies) as Body[])('%s', async (body) => {
    expect(await codeOf([body], 64, way)).toBe('PTX6021');
  });

  test('any of them together', async () => {
    const parts = fc.array(fc.constantFrom(...(Object.keys(bodies) as Body[])), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(parts, fc.constantFrom(1, 64, 1024), async (found, block) => {
        // In a block of more than 64 threads, a barrier for 64 threads completes before all threads have arrived at it.
        // The threads may then be out of step when they arrive at a barrier for all threads.
        fc.pre(block === 64 || !found.includes('barriers of diverged threads'));
        expect(await codeOf(found, block, way)).toBe('PTX6021');
      }),
      { numRuns: 5 },
    );
  });
});
