/** Calls on both engines: arguments, results, where they are stored, and faults. */
import { describe, expect, test } from 'vitest';
import { Device, PtxlabError } from '../../src/device.ts';
import { faultOf, moduleOf, outcome, output, type Source } from './run.ts';

/** Stores `%r1` at the start of the output buffer. */
const store = 'ld.param.u64 %rd0, [out]; cvta.to.global.u64 %rd0, %rd0; st.global.b32 [%rd0], %r1;';

describe.each(['interp', 'jit'] as const)('%s', (engine) => {
  async function result(source: Source): Promise<number | undefined> {
    const body = `${source.body}\n${store}`;
    return (await output({ ...source, body }, 64, { engine }))[0];
  }

  describe('passing arguments and results', () => {
    const add =
      '.func (.param .b32 r) add(.param .b32 a, .param .b32 b) { .reg .b32 %x<3>; ld.param.b32 %x0, [a]; ld.param.b32 %x1, [b]; add.u32 %x2, %x0, %x1; st.param.b32 [r], %x2; ret; }';

    test('registers and constants', async () => {
      expect(await result({ module: add, body: 'mov.u32 %r2, 40; call (%r1), add, (%r2, 2);' })).toBe(42);
    });

    test('.param variables of the caller', async () => {
      const body = `{ .param .b32 p; .param .b32 q; .param .b32 sum;
      st.param.b32 [p], 30; st.param.b32 [q], 12; call.uni (sum), add, (p, q); ld.param.b32 %r1, [sum]; }`;
      expect(await result({ module: add, body })).toBe(42);
    });

    test('a result that is not used', async () => {
      expect(await result({ module: add, body: 'mov.u32 %r1, 7; call (_), add, (1, 2);' })).toBe(7);
    });

    test('parameters and return values in registers', async () => {
      const module = '.func (.reg .b32 r) twice(.reg .b32 a) { add.u32 r, a, a; ret; }';
      expect(await result({ module, body: 'call (%r1), twice, (21);' })).toBe(42);
    });

    test('several return values, and a predicate among the parameters', async () => {
      const module =
        '.func (.reg .b32 q, .reg .b32 r) divide(.reg .b32 a, .reg .b32 b, .reg .pred keep) { div.u32 q, a, b; rem.u32 r, a, b; @!keep mov.u32 r, 0; ret; }';
      const body = 'setp.eq.u32 %p1, 0, 0; call (%r2, %r3), divide, (47, 10, %p1); mad.lo.u32 %r1, %r2, 100, %r3;';
      expect(await result({ module, body })).toBe(407);
    });

    test('structures as arrays of bytes', async () => {
      const module =
        '.func (.param .align 4 .b8 r[8]) swap(.param .align 4 .b8 a[8]) { .reg .b32 %x<2>; ld.param.b32 %x0, [a]; ld.param.b32 %x1, [a+4]; st.param.b32 [r], %x1; st.param.b32 [r+4], %x0; ret; }';
      const body = `{ .param .align 4 .b8 p[8]; .param .align 4 .b8 q[8]; st.param.b32 [p], 1; st.param.b32 [p+4], 2;
      call (q), swap, (p); ld.param.b32 %r2, [q]; ld.param.b32 %r3, [q+4]; mad.lo.u32 %r1, %r2, 10, %r3; }`;
      expect(await result({ module, body })).toBe(21);
    });

    test('arrays of bytes that are accessed in wider words than their alignment, as LLVM does', async () => {
      const module =
        '.func (.param .align 1 .b8 r[9]) echo(.param .align 1 .b8 a[9], .param .b8 b) { .reg .b64 %x; ld.param.b64 %x, [a]; st.param.b64 [r], %x; ret; }';
      const body = `{ .param .b8 first; .param .align 1 .b8 p[9]; .param .align 1 .b8 q[9]; st.param.b64 [p], 42;
      call (q), echo, (p, first); ld.param.b64 %rd2, [q]; cvt.u32.u64 %r1, %rd2; }`;
      expect(await result({ module, body })).toBe(42);
    });

    test('the address of a parameter points to local memory', async () => {
      const module =
        '.func (.param .b32 r) get(.param .b32 a) { .reg .b64 %a<2>; .reg .b32 %x; mov.b64 %a0, a; cvta.local.u64 %a1, %a0; ld.u32 %x, [%a1]; st.param.b32 [r], %x; ret; }';
      expect(await result({ module, body: 'call (%r1), get, (42);' })).toBe(42);
    });

    test('a declaration inside the body', async () => {
      const module = '.func (.param .b32 r) twice(.param .b32 a);';
      const definition =
        '.func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; add.u32 %x, %x, %x; st.param.b32 [r], %x; ret; }';
      const inner = `{ ${module} call (%r1), twice, (21); }`;
      const source = moduleOf({ body: `${inner} ${store}` }) + definition;
      const device = await Device.create();
      const out = device.alloc(4);
      await device
        .load(source)
        .kernel('k')
        .launch({ args: [out], engine });
      expect([...out.read()]).toEqual([42, 0, 0, 0]);
    });

    test('a false guard skips the call', async () => {
      const body = 'mov.u32 %r1, 5; setp.eq.u32 %p1, 0, 1; @%p1 call (%r1), add, (1, 1);';
      expect(await result({ module: add, body })).toBe(5);
    });
  });

  describe('arrays without a size', () => {
    const variable = `.local .b32 own; .param .align 4 .b8 more[8]; .param .b32 r1;`;
    /** Returns `100 * n` plus the sum of n words. For n = 2, it also calls itself with one word. */
    const sum = `.func (.param .b32 r) sum(.param .b32 n, .param .align 4 .b8 v[]) {
      .reg .b32 %x<4>; .reg .b64 %a; .reg .pred %p; ${variable}
      ld.param.b32 %x0, [n]; mov.b64 %a, v; mul.lo.u32 %x1, %x0, 100; st.local.b32 [own], %x1; mov.b32 %x1, 0;
      next: setp.eq.u32 %p, %x0, 0; @%p bra done;
      ld.local.b32 %x2, [%a]; add.u32 %x1, %x1, %x2; add.u64 %a, %a, 4; sub.u32 %x0, %x0, 1; bra next;
      done: ld.local.b32 %x2, [own]; add.u32 %x1, %x1, %x2;
      setp.ne.u32 %p, %x2, 200; @%p bra end;
      st.param.b32 [more], 5000; call (r1), sum, (1, more); ld.param.b32 %x3, [r1]; add.u32 %x1, %x1, %x3;
      end: st.param.b32 [r], %x1; ret; }`;
    const words = (count: number): string => `.param .align 4 .b8 v[${4 * count}];
      ${Array.from({ length: count }, (_, i) => `st.param.b32 [v+${4 * i}], ${i + 1};`).join(' ')}`;

    test.each([
      ['three words', `{ ${words(3)} call (%r1), sum, (3, v); }`, 306],
      ['no argument', 'call (%r1), sum, (0);', 0],
      [
        'arguments of several sizes',
        `{ ${words(9)} call (%r2), sum, (9, v); } call (%r1), sum, (0); add.u32 %r1, %r1, %r2;`,
        945,
      ],
      ['a call within the call', `{ ${words(2)} call (%r1), sum, (2, v); }`, 203 + 5100],
      [
        'a call through a register',
        `P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 4 .b8 _[]); mov.b64 %rd1, sum;
        { ${words(4)} call (%r1), %rd1, (4, v), P; }`,
        410,
      ],
    ])('%s', async (_, body, expected) => {
      expect(await result({ module: sum, body })).toBe(expected);
    });

    test('an access beyond the largest argument', async () => {
      const module = '.func f(.param .align 4 .b8 v[]) { .reg .b32 %x; ld.param.b32 %x, [v+8]; ret; }';
      const body = '.param .align 4 .b8 v[8]; call f, (v);';
      expect(await faultOf({ module, body }, { engine })).toMatchObject({ code: 'PTX6001' });
    });
  });

  describe('activations', () => {
    test('every activation has its own registers, which start at zero', async () => {
      const module = '.func (.reg .b32 r) count() { .reg .b32 %n; add.u32 %n, %n, 1; mov.u32 r, %n; ret; }';
      expect(
        await result({ module, body: 'call (%r1), count, (); call (%r2), count, (); add.u32 %r1, %r1, %r2;' }),
      ).toBe(2);
    });

    test('recursion: each activation has its own local variables', async () => {
      const module = `.func (.param .b32 r) fib(.param .b32 n) {
      .reg .b32 %x<9>; .reg .pred %p; .local .b32 kept; .param .b32 p; .param .b32 q;
      ld.param.b32 %x0, [n]; setp.lt.u32 %p, %x0, 2; @%p bra done;
      sub.u32 %x1, %x0, 1; st.param.b32 [p], %x1; call (q), fib, (p); ld.param.b32 %x2, [q]; st.local.b32 [kept], %x2;
      sub.u32 %x3, %x0, 2; call (%x4), fib, (%x3); ld.local.b32 %x5, [kept]; add.u32 %x0, %x4, %x5;
      done: st.param.b32 [r], %x0; ret; }`;
      expect(await result({ module, body: 'call (%r1), fib, (15);' })).toBe(610);
    });

    test('endless recursion is a fault', async () => {
      const module = '.func forever() { call forever; ret; }';
      const fault = await faultOf({ module, body: '\ncall forever;' }, { engine });
      expect(fault).toMatchObject({ code: 'PTX6013', kernel: 'k', line: 4 });
      expect(fault.message).toContain("calling 'forever' would need");
    });

    test('threads need memory for the longest chain of calls, not for all functions', async () => {
      const count = 500;
      const each = (write: (i: number) => string): string =>
        Array.from({ length: count }, (_, i) => write(i)).join(' ');
      const module = each((i) => `.func (.reg .b32 r) f${i}(.reg .b32 a) { add.u32 r, a, ${i}; ret; }`);
      const body = `.reg .b32 %n<${count}>; mov.u32 %r2, %tid.x;
      ${each((i) => `call (%n${i}), f${i}, (%r2);`)}\nmov.u32 %r1, 0; ${each((i) => `add.u32 %r1, %r1, %n${i};`)}
      setp.ne.u32 %p1, %r2, 0; @%p1 exit; ${store}`;
      const { result: end, words } = await outcome({ module, body }, 4, { block: 256, engine }, { memory: 2 ** 20 });
      expect(end.ok).toBe(true);
      expect(words).toEqual([(count * (count - 1)) / 2]);
    });

    test('the end of a function returns; exit ends the thread', async () => {
      const module = '.func (.reg .b32 r) falls() { mov.u32 r, 3; } .func leaves() { exit; }';
      expect(await result({ module, body: 'call (%r1), falls, ();' })).toBe(3);
      expect(await result({ module, body: 'mov.u32 %r1, 1; call leaves;' })).toBe(0);
    });

    test('a result in a register survives a barrier', async () => {
      const module = '.func (.reg .b32 r) late(.reg .b32 a) { add.u32 r, a, 2; bar.sync 0; ret; }';
      expect(await result({ module, body: 'call (%r1), late, (40);' })).toBe(42);
    });

    test('threads meet at a barrier inside a function', async () => {
      const module = `.shared .b32 cell;
      .func (.reg .b32 r) meet(.reg .b32 i) { .reg .pred %p; setp.eq.u32 %p, i, 0; @%p st.shared.b32 [cell], 9; bar.sync 0; ld.shared.b32 r, [cell]; ret; }`;
      const body = 'mov.u32 %r2, %tid.x; call (%r1), meet, (%r2);';
      const words = await output({ module, body: `${body}\n${store}` }, 64, { block: 64, engine });
      expect(words[0]).toBe(9);
    });
  });

  describe('calls through a register', () => {
    const module = `.func (.param .b32 r) one(.param .b32 a) { st.param.b32 [r], 1; ret; }
    .func (.param .b32 r) same(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; st.param.b32 [r], %x; ret; }
    .func none() { ret; }
    .global .u64 table[2] = {one, same};`;

    test('a prototype describes the arguments', async () => {
      const body =
        'P: .callprototype (.param .b32 _) _ (.param .b32 _); mov.b64 %rd1, same; call (%r1), %rd1, (42), P;';
      expect(await result({ module, body })).toBe(42);
    });

    test('function addresses can be initial values', async () => {
      const body = `P: .callprototype (.param .b32 _) _ (.param .b32 _);
      ld.global.u64 %rd1, [table]; ld.global.u64 %rd2, [table+8]; call (%r1), %rd1, (42), P; call (%r2), %rd2, (42), P; add.u32 %r1, %r1, %r2;`;
      expect(await result({ module, body })).toBe(43);
    });

    test('a list of targets', async () => {
      const body = 'T: .calltargets one, same; mov.b64 %rd1, one; call (%r1), %rd1, (42), T;';
      expect(await result({ module, body })).toBe(1);
    });

    test.each([
      ['null', 'mov.b64 %rd1, 0;', '0x0 is not the address of a function'],
      ['an address inside a function', 'mov.b64 %rd1, one; add.u64 %rd1, %rd1, 4;', 'is not the address of a function'],
      ['a function with another signature', 'mov.b64 %rd1, none;', 'is not the address of a function'],
    ])('%s is a fault', async (_, prepare, message) => {
      const body = `P: .callprototype (.param .b32 _) _ (.param .b32 _);\n${prepare}\ncall (%r1), %rd1, (42), P;`;
      const fault = await faultOf({ module, body }, { engine });
      expect(fault).toMatchObject({ code: 'PTX6014', line: 8 });
      expect(fault.message).toContain(message);
    });

    test('threads call different functions, one of them built in', async () => {
      const functions = `.extern .func (.param .b64 p) malloc(.param .b64 n);
      .func (.param .b64 r) small(.param .b64 a) { .local .align 4 .b8 x[12]; .reg .b32 %x; ld.local.b32 %x, [x+8]; st.local.b32 [x+8], 9; st.param.b32 [r], %x; st.param.b32 [r+4], 1; ret; }
      .func (.param .b64 r) large(.param .b64 a) { .local .align 4 .b8 x[1000]; .reg .b32 %x; ld.local.b32 %x, [x+996]; st.local.b32 [x+996], 9; st.param.b32 [r], %x; st.param.b32 [r+4], 2; ret; }
      .global .u64 all[4] = {small, large, malloc, large};`;
      const body = `P: .callprototype (.param .b64 _) _ (.param .b64 _);
      mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 8; mov.u64 %rd2, all; add.u64 %rd2, %rd2, %rd1; and.b64 %rd2, %rd2, -8;
      ld.global.u64 %rd3, [%rd2]; call (%rd4), %rd3, (0), P; call (%rd4), %rd3, (0), P;
      ld.param.u64 %rd0, [out]; add.u64 %rd0, %rd0, %rd1; st.global.b64 [%rd0], %rd4;`;
      // Local variables are zero at the start of each activation, and malloc returns null for 0 bytes.
      expect(await output({ module: functions, body }, 32, { block: 4, engine, uninitialized: 'zero' })).toEqual([
        0, 1, 0, 2, 0, 0, 0, 2,
      ]);
    });

    test('endless recursion names the function', async () => {
      const recursive =
        '.func forever() { .reg .b64 %x; P: .callprototype _ (); mov.b64 %x, forever; call %x, (), P; }';
      const fault = await faultOf({ module: recursive, body: '\ncall forever;' }, { engine });
      expect(fault).toMatchObject({ code: 'PTX6013', line: 4 });
      expect(fault.message).toContain("calling 'forever' would need");
    });

    test('a function outside the list of targets is a fault', async () => {
      const body = 'T: .calltargets one; mov.b64 %rd1, same; call (%r1), %rd1, (42), T;';
      expect(await faultOf({ module, body }, { engine })).toMatchObject({ code: 'PTX6014' });
    });
  });

  describe('functions without a body', () => {
    test('can be called by another name', async () => {
      const module =
        '.func (.reg .b32 r) real() { mov.u32 r, 42; ret; } .func (.reg .b32 r) other(); .alias other, real;';
      expect(await result({ module, body: 'call (%r1), other, ();' })).toBe(42);
    });

    test('prevent a kernel from being created', async () => {
      const module = '.extern .func missing();';
      const made = output({ module, body: 'call missing;' }, 4, { engine });
      await expect(made).rejects.toThrow("function 'missing' is declared, but the module has no body for it");
      await expect(made).rejects.toBeInstanceOf(PtxlabError);
    });
  });

  describe('built-in functions', () => {
    const heap = `.extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p);
    .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
    .global .align 1 .b8 text[12] = {37, 100, 32, 37, 108, 108, 120, 33, 10, 0};`;

    test('vprintf takes arguments at their natural alignment and returns their number', async () => {
      const body = `.local .align 8 .b8 list[16]; st.local.b32 [list], -5; st.local.b64 [list+8], 0xabcdef;
      mov.b64 %rd1, list; cvta.local.u64 %rd1, %rd1; mov.b64 %rd2, text; cvta.global.u64 %rd2, %rd2;
      call (%r1), vprintf, (%rd2, %rd1); ${store}`;
      const { result: launched, words } = await outcome({ module: heap, body }, 4, { engine });
      expect([launched.printed, words[0]]).toEqual(['-5 abcdef!\n', 2]);
    });

    test('vprintf with a null format returns -1', async () => {
      expect(await result({ module: heap, body: 'call (%r1), vprintf, (0, 0);' })).toBe(0xffff_ffff);
    });

    test('output printed before a fault is kept', async () => {
      const body = `.local .align 8 .b8 list[16]; st.local.b32 [list], 1; st.local.b64 [list+8], 2; mov.b64 %rd1, list;
      cvta.local.u64 %rd1, %rd1; mov.b64 %rd2, text; call (%r1), vprintf, (%rd2, %rd1); trap;`;
      const { result: launched } = await outcome({ module: heap, body }, 4, { engine });
      expect(launched).toMatchObject({ ok: false, printed: '1 2!\n', fault: { code: 'PTX6031' } });
    });

    test('missing arguments are a fault', async () => {
      const body = 'mov.b64 %rd2, text;\ncall (%r1), vprintf, (%rd2, 0);';
      expect(await faultOf({ module: heap, body }, { engine })).toMatchObject({ code: 'PTX6005', line: 7 });
    });

    test('malloc returns null for 0 bytes and if the heap has no room', async () => {
      const body = `call (%rd1), malloc, (0x10000000); call (%rd2), malloc, (0); call (%rd3), malloc, (64);
      or.b64 %rd1, %rd1, %rd2; setp.eq.u64 %p1, %rd1, 0; setp.ne.and.u64 %p1, %rd3, 0, %p1; selp.b32 %r1, 1, 0, %p1;`;
      expect(await result({ module: heap, body })).toBe(1);
    });

    test('the heap belongs to the device: a later launch finds what was left there', async () => {
      const device = await Device.create({ simd: true });
      const keep = `.global .u64 kept; ${heap}`;
      const body = `ld.global.u64 %rd1, [kept]; setp.ne.u64 %p1, %rd1, 0; @%p1 bra found;
      call (%rd1), malloc, (8); st.global.u64 [kept], %rd1; st.b32 [%rd1], 42; ret; found: ld.b32 %r1, [%rd1]; ${store}`;
      const kernel = device.load(moduleOf({ module: keep, body })).kernel('k');
      const out = device.alloc(4);
      await kernel.launch({ args: [out], engine });
      expect(await kernel.launch({ args: [out], engine })).toMatchObject({ ok: true });
      expect(out.read()[0]).toBe(42);
    });

    test('memory must not be accessed after free or freed twice', async () => {
      const start = 'call (%rd1), malloc, (64); call free, (%rd1);';
      expect(await faultOf({ module: heap, body: `${start} ld.b32 %r1, [%rd1];` }, { engine })).toMatchObject({
        code: 'PTX6003',
      });
      expect(await faultOf({ module: heap, body: `${start} call free, (%rd1);` }, { engine })).toMatchObject({
        code: 'PTX6033',
      });
      expect(await faultOf({ module: heap, body: 'call free, (16);' }, { engine })).toMatchObject({ code: 'PTX6033' });
      expect(await output({ module: heap, body: 'call free, (0);' }, 4, { engine })).toEqual([0]);
    });

    test('a declaration with another signature is not linked to the built-in function', async () => {
      const made = output({ module: '.extern .func free(.param .b32 p);', body: 'call free, (0);' }, 4, { engine });
      await expect(made).rejects.toThrow(
        "the declaration of 'free' has different parameters or return values than its definition",
      );
    });
  });

  describe('brx.idx', () => {
    const table = 'T: .branchtargets A, B, A, C;\n';
    const rest = `A: mov.u32 %r1, 10; bra done; B: mov.u32 %r1, 20; bra done;
    C: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 brx.idx %r2, T; mov.u32 %r1, %r3; done:`;

    test.each([
      [0, 10],
      [1, 20],
      [2, 10],
      [3, 5],
    ])('index %i', async (index, expected) => {
      const body = `${table} mov.u32 %r2, ${index}; brx.idx %r2, T; ${rest}\n${store}`;
      expect((await output({ body }, 64, { engine }))[0]).toBe(expected);
    });

    test('with a false guard, execution continues with the next instruction', async () => {
      const body = `${table} setp.eq.u32 %p1, 0, 1; @%p1 brx.idx 1, T; mov.u32 %r1, 30; bra done; ${rest}\n${store}`;
      expect((await output({ body }, 64, { engine }))[0]).toBe(30);
    });

    test('an index past the end of the list is a fault', async () => {
      const message = 'index 4294967295 is out of range: brx.idx has 4 targets';
      expect(await faultOf({ body: `${table} brx.idx 0xffffffff, T; ${rest}` }, { engine })).toMatchObject({
        code: 'PTX6015',
        line: 7,
        message,
      });
    });
  });
});
