/**
 * Tests `check --batch` and `eval --batch`, which read one NDJSON request per line and write one response per line, in
 * the same order.
 */
import { describe, expect, test } from 'vitest';
import { moduleOf, type Outcome, ptxlab, start } from './ptxlab.ts';

type Answer = Readonly<Record<string, unknown>>;

function answers({ stdout }: Outcome): readonly Answer[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Answer);
}

function lines(...requests: readonly unknown[]): string {
  return requests.map((request) => `${typeof request === 'string' ? request : JSON.stringify(request)}\n`).join('');
}

describe('check --batch', () => {
  const check = (input: string, ...args: readonly string[]): Promise<Outcome> =>
    ptxlab(['check', '--batch', ...args], { input });
  const bad = moduleOf('.reg .f32 %f; .reg .b16 %h;\n  cvt.f16.f32 %h, %f;');

  test('answers have exactly the fields of the contract, and the process exits 0', async () => {
    const outcome = await check(lines({ id: 'a', source: moduleOf('') }, { id: 'b', source: bad }));
    expect([outcome.code, outcome.stderr]).toEqual([0, '']);
    expect(answers(outcome)).toEqual([
      { id: 'a', ok: true, diagnostics: [] },
      {
        id: 'b',
        ok: false,
        diagnostics: [
          {
            code: 'PTX2030',
            severity: 'error',
            line: 7,
            column: 3,
            endLine: 7,
            endColumn: 14,
            message: 'cvt.f16.f32 needs a rounding modifier: .rn, .rz, .rm or .rp',
            help: 'nearest legal spelling: cvt.rn.f16.f32',
          },
        ],
      },
    ]);
  });

  test('ids come back verbatim, whatever JSON value they are', async () => {
    const source = moduleOf('');
    const ids = ['x', 7, null, { a: [1] }, true];
    const outcome = await check(lines(...ids.map((id) => ({ id, source })), { source }));
    expect(answers(outcome).map(({ id }) => id)).toEqual([...ids, null]);
    const large = await check(`{"id": 12345678901234567890, "source": ""}\n`);
    expect(large.stdout).toContain('{"id":12345678901234567890,');
  });

  test('a line that is not a request is answered with an error, and the next line is read', async () => {
    const source = moduleOf('');
    const outcome = await check(
      lines({ id: 1, source }, 'not json', '[1]', '{"id":2}', { id: 3, source: 5 }, '"x"', { id: 4, source }),
    );
    expect(outcome.code).toBe(0);
    expect(answers(outcome)).toEqual([
      { id: 1, ok: true, diagnostics: [] },
      { id: null, error: { code: 'BAD_JSON', message: 'the line is not JSON' } },
      { id: null, error: { code: 'BAD_REQUEST', message: 'the line is not a JSON object' } },
      { id: 2, error: { code: 'BAD_REQUEST', message: "'source' must be a string" } },
      { id: 3, error: { code: 'BAD_REQUEST', message: "'source' must be a string" } },
      { id: null, error: { code: 'BAD_REQUEST', message: 'the line is not a JSON object' } },
      { id: 4, ok: true, diagnostics: [] },
    ]);
  });

  test('blank lines are skipped, the last newline may be missing, and Windows line endings are accepted', async () => {
    const request = JSON.stringify({ id: 1, source: moduleOf('') });
    expect(answers(await check(`\n${request}\r\n\r\n  \n${request}`))).toHaveLength(2);
    expect(await check('')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test("the target and version of a request override those of the command, which override the module's", async () => {
    const source = moduleOf('.reg .f32 %f; .reg .b16 %h;\ncvt.rn.satfinite.e4m3x2.f32 %h, %f, %f;');
    const outcome = await check(
      lines({ id: 1, source }, { id: 2, source, target: 'sm_90' }),
      '-t',
      'sm_89',
      '--isa',
      '8.1',
    );
    expect(answers(outcome).map(({ ok }) => ok)).toEqual([true, true]);
    const old = await check(lines({ id: 1, source, target: 'sm_90', isa: '7.7' }, { id: 2, source }));
    expect(answers(old).map(({ ok }) => ok)).toEqual([false, false]);
  });

  test('an unknown target is an error only for its own line', async () => {
    const [answer] = answers(await check(lines({ id: 9, source: '', target: 'sm_1' })));
    expect(answer).toMatchObject({ id: 9, error: { code: 'unknown-target' } });
  });

  test('a module with warnings is ok, except under -Werror', async () => {
    const request = lines({ id: 1, source: moduleOf('', 'sm_80', '9.9') });
    expect(answers(await check(request))[0]).toMatchObject({ ok: true, diagnostics: [{ severity: 'warning' }] });
    expect(answers(await check(request, '-Werror'))[0]).toMatchObject({
      ok: false,
      diagnostics: [{ severity: 'error' }],
    });
  });

  test('a character that is split between two reads arrives intact', async () => {
    const child = await start(['check', '--batch']);
    const line = Buffer.from(JSON.stringify({ id: 'h\u00e9\ud83d\ude00', source: moduleOf('') }));
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    for (const byte of line) child.stdin.write(Uint8Array.of(byte));
    child.stdin.end('\n');
    await new Promise((resolve) => child.on('close', resolve));
    expect(JSON.parse(stdout)).toEqual({ id: 'h\u00e9\ud83d\ude00', ok: true, diagnostics: [] });
  });

  test('a line is answered before the next one is sent', async () => {
    const child = await start(['check', '--batch']);
    for (const id of [1, 2, 3]) {
      child.stdin.write(lines({ id, source: moduleOf('') }));
      const answer = await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve));
      expect(JSON.parse(answer.toString())).toMatchObject({ id });
    }
    child.stdin.end();
    await new Promise((resolve) => child.on('close', resolve));
  });

  test('thousands of lines come back in order', async () => {
    const source = moduleOf('');
    const outcome = await check(lines(...Array.from({ length: 5_000 }, (_, id) => ({ id, source }))));
    expect(answers(outcome).map(({ id }) => id)).toEqual(Array.from({ length: 5_000 }, (_, id) => id));
  });
});

describe('eval --batch', () => {
  const evaluate = (input: string, ...args: readonly string[]): Promise<Outcome> =>
    ptxlab(['eval', '--batch', ...args], { input });

  test('rows of hex in, hex out, padded to the result type', async () => {
    const outcome = await evaluate(
      lines(
        { inst: 'cvt.rn.f16.f32', rows: [['3f800000'], ['0'], ['BF800000']] },
        { inst: 'cvt.rn.satfinite.e2m1x2.f32', rows: [['3f800000', '0']] },
        { inst: 'cvt.pack.sat.u8.s32.b32', rows: [['12c', 'fffffffb', '12345678']] },
        { inst: 'cvt.rs.satfinite.e4m3x4.f32', rows: [['3f800000', '40000000', '0', 'bf800000', '0']] },
        { inst: 'cvt.f64.f32', rows: [['3f800000']] },
        { inst: 'cvt.rn.f16.f32', rows: [] },
      ),
    );
    expect([outcome.code, outcome.stderr]).toEqual([0, '']);
    expect(answers(outcome)).toEqual([
      { inst: 'cvt.rn.f16.f32', out: ['3c00', '0000', 'bc00'] },
      { inst: 'cvt.rn.satfinite.e2m1x2.f32', out: ['20'] },
      { inst: 'cvt.pack.sat.u8.s32.b32', out: ['5678ff00'] },
      { inst: 'cvt.rs.satfinite.e4m3x4.f32', out: ['384000b8'] },
      { inst: 'cvt.f64.f32', out: ['3ff0000000000000'] },
      { inst: 'cvt.rn.f16.f32', out: [] },
    ]);
  });

  test('inputs are masked to sreg or the width of the operand, and results are extended to dreg by their type', async () => {
    const outcome = await evaluate(
      lines(
        { inst: 'cvt.s32.s8', rows: [['1ff']] },
        { inst: 'cvt.s8.s16', sreg: 32, dreg: 32, rows: [['abcd0080']] },
        { inst: 'cvt.u8.u16', sreg: 64, dreg: 64, rows: [['ffffffffffff0180']] },
      ),
    );
    expect(answers(outcome).map(({ out }) => out)).toEqual([['ffffffff'], ['ffffff80'], ['0000000000000080']]);
  });

  test('a refused instruction answers with the code of the rule', async () => {
    const outcome = await evaluate(
      lines(
        { inst: 'cvt.f16.f32', rows: [['0']] },
        { inst: 'cvt.rn.f16.f33', rows: [['0']] },
        { inst: 'foo.u32', rows: [['0']] },
        { inst: 'cvt.rn.bf16.f32', dreg: 32, rows: [['0']] },
        { inst: 'cvt.rn.bf16.f32', target: 'sm_75', rows: [['0']] },
        { inst: 'cvt.rn.satfinite.s2f6x2.f32', isa: '8.8', rows: [['0', '0']] },
        { inst: 'cvta.global.u64', rows: [['0']] },
      ),
    );
    expect(outcome.code).toBe(0);
    const codes = answers(outcome).map(({ error }) => (error as { readonly code: string }).code);
    expect(codes).toEqual(['PTX2030', codes[1], 'PTX2001', 'PTX3004', 'PTX4002', 'PTX4001', 'NOT_EVALUATED']);
    expect(codes[1]).toMatch(/^PTX2/);
  });

  test('a bad row makes its whole line an error, and the next line is read', async () => {
    const outcome = await evaluate(
      lines(
        { inst: 'cvt.rn.f16.f32', rows: [['0'], ['xyz']] },
        { inst: 'cvt.rn.f16.f32', rows: [['0'], ['0', '0']] },
        { inst: 'cvt.rn.f16.f32', rows: [['0', '0']] },
        { inst: 'cvt.rn.f16.f32', rows: [[0]] },
        { inst: 'cvt.rn.f16.f32' },
        { inst: 'cvt.rn.f16.f32 %h, %f', rows: [['0']] },
        { inst: 5, rows: [] },
        { inst: 'cvt.rn.f16.f32', sreg: 24, rows: [['0']] },
        'not json',
        { inst: 'cvt.rn.f16.f32', rows: [['0']] },
      ),
    );
    expect(outcome.code).toBe(0);
    const codes = answers(outcome).map(({ error }) => (error as { readonly code: string } | undefined)?.code);
    const request = 'BAD_REQUEST';
    expect(codes).toEqual([
      'BAD_ROW',
      'BAD_ROW',
      'PTX3002',
      'BAD_ROW',
      request,
      request,
      request,
      request,
      'BAD_JSON',
      undefined,
    ]);
    expect(answers(outcome).at(-2)).toMatchObject({ inst: null });
  });
});
