/**
 * Random calls leave nonzero data on the stack. A function then reads a word of local memory. If the word is in the
 * function's own frame, its value must be 0; otherwise, reading it must cause a fault.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { moduleOf } from '../device/run.ts';

/**
 * The functions that leave data on the stack. `words` is the number of words in the frame of a function. Before
 * function i returns, it calls function i + 1 + `next` if the list contains such a function.
 */
const functions = fc.array(fc.record({ words: fc.integer({ min: 1, max: 40 }), next: fc.nat(4) }), {
  minLength: 1,
  maxLength: 4,
});

const program = fc.record({
  functions,
  calls: fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }),
  /** The number of words in the frame of the function that reads the word. */
  frame: fc.integer({ min: 1, max: 40 }),
  /** The index of the word that is read. */
  word: fc.nat(100),
  /** Whether the kernel itself reads the word, rather than a function that it calls. */
  inKernel: fc.boolean(),
  form: fc.constantFrom('local', 'generic', 'atomic'),
});

type Program = typeof program extends fc.Arbitrary<infer T> ? T : never;

function fillerOf({ words, next }: Program['functions'][number], i: number, count: number): string {
  const callee = i + 1 + next;
  return `.func fill${i}() { .local .align 4 .b8 own[${4 * words}]; .reg .b32 i; .reg .pred p; .reg .b64 a, s; mov.u64 s, own; mov.u32 i, 0;
L: cvt.u64.u32 a, i; add.u64 a, a, s; st.local.u32 [a], 0x5ec4e7; add.u32 i, i, 4; setp.lt.u32 p, i, ${4 * words}; @p bra L;
${callee < count ? `call fill${callee};` : ''} ret; }`;
}

const forms: Readonly<Record<Program['form'], (offset: number) => string>> = {
  local: (offset) => `mov.u64 a, own; ld.local.u32 v, [a+${offset}];`,
  generic: (offset) => `cvta.local.u64 a, own; ld.u32 v, [a+${offset}];`,
  atomic: (offset) => `cvta.local.u64 a, own; add.u64 a, a, ${offset}; atom.add.u32 v, [a], 0;`,
};

function textOf({ functions: all, calls, frame, word, inKernel, form }: Program): string {
  const fillers = all.map((one, i) => fillerOf(one, i, all.length)).reverse();
  const read = forms[form](4 * word);
  const own = `.local .align 4 .b8 own[${4 * frame}]; .reg .b64 a;`;
  const reader = `.func (.reg .b32 v) reader() { ${own} ${read} ret; }`;
  const last = inKernel ? `.reg .b32 v; ${read} mov.u32 %r1, v;` : 'call (%r1), reader;';
  return moduleOf({
    module: [...fillers, reader].join('\n'),
    body: `${inKernel ? own : ''} ${calls.map((i) => `call fill${i % all.length};`).join(' ')} ${last}
ld.param.u64 %rd1, [out]; mov.u32 %r2, %ctaid.x; mad.wide.u32 %rd1, %r2, 4, %rd1; st.global.u32 [%rd1], %r1;`,
  });
}

test('no read returns data that another activation, block or launch left', async () => {
  await fc.assert(
    fc.asyncProperty(program, async (one) => {
      const device = await Device.create({ memory: 1 << 20 });
      const kernel = device.load(textOf(one)).kernel('k');
      const out = device.alloc(16);
      for (const engine of ['jit', 'jit', 'interp'] as const) {
        out.write(new Uint8Array(16).fill(0xff));
        const result = await kernel.launch({ grid: 4, args: [out], engine });
        if (one.word >= one.frame) {
          expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6001', space: 'local' } });
        } else if (engine === 'jit') {
          expect(result).toMatchObject({ ok: true });
          expect([...out.read()]).toEqual(new Array<number>(16).fill(0));
        }
      }
    }),
    { numRuns: 60 },
  );
});
