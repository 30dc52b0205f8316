import { evaluateDot, products } from 'ptxlab';
import { describe, expect, it } from 'vitest';
import { Catalog, fields, textOf } from '../../apps/playground/src/matrix/catalog.ts';
import { boxAt, gridsOf, heldBy, registerText } from '../../apps/playground/src/matrix/fragments.ts';
import { linkOf, openLink, readLink } from '../../apps/playground/src/matrix/link.ts';
import { opening } from '../../apps/playground/src/matrix/opening.ts';
import { openingState, readElement, viewOf, withElement, withEntry } from '../../apps/playground/src/matrix/state.ts';

const catalog = new Catalog();

function open(link: string): NonNullable<ReturnType<typeof readLink>> {
  const state = readLink(link, catalog);
  if (state === null) throw new Error(`${link} is not a link`);
  return state;
}

describe('links of matrix products', () => {
  // Old links must keep working, so rows may be added to this table but must never be changed.
  it.each([
    [opening, 'sm_121', 0x3f5c9999],
    [`${opening}&gpu=sm_80`, 'sm_80', 0x3f5c9998],
    [`${opening}&at=9,3&c=3f800000`, 'sm_121', 0x3fe18000],
    ['#inst=mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64&c=3ff0000000000000', 'sm_121', null],
  ])('%s opens on %s', (link, gpu, result) => {
    const view = viewOf(open(link));
    expect(view.state.gpu).toBe(gpu);
    if (result !== null) expect(view.result.toString(16)).toBe(result.toString(16));
    expect(linkOf(view.state)).toBe(link);
  });

  it('of every instruction open it again', () => {
    for (const entry of products()) {
      const state = withElement(openingState(entry), 'b', 0, entry.b === 'f64' ? 1n : 1);
      expect.soft(openLink(linkOf(state), catalog), entry.mnemonic).toEqual({ state, unread: [] });
    }
  });

  it.each(['', '#', '#inst=cvt.rn.f16.f32', '#inst=constructor', `${opening}&a=${'0,'.repeat(3_000)}`])(
    '%s opens nothing',
    (link) => expect(readLink(link, catalog)).toBeNull(),
  );

  it('with a position or bits out of range open with the initial ones', () => {
    const link = `${opening}&at=16,0&c=1ffffffff&gpu=sm_70&a=zz`;
    expect(open(link)).toEqual(open(opening));
    expect(openLink(link, catalog)?.unread).toEqual(['at=16,0', 'gpu=sm_70', 'a=zz', 'c=1ffffffff']);
  });
});

describe('readElement', () => {
  it.each([
    ['0', 0],
    [' 1 ', 1],
    ['0b1', 1],
    ['0x00', 0],
  ])('reads %j as the bit %i', (text, bit) => expect(readElement(text, 'b1')).toBe(bit));

  it.each(['', '2', '-1', '0.5', 'one', '0x10'])('does not read %j as a bit', (text) =>
    expect(() => readElement(text, 'b1')).toThrow('a bit must be 0 or 1'),
  );
});

describe('choosing', () => {
  it('reaches every instruction through its fields', () => {
    const [start] = products();
    if (start === undefined) throw new Error('the table has products');
    for (const wanted of products()) {
      const found = fields.reduce((entry, field) => catalog.withField(entry, field, textOf(wanted, field)), start);
      expect.soft(found.mnemonic).toBe(wanted.mnemonic);
    }
  });

  it('another instruction keeps values of the same format', () => {
    const state = withElement(open(opening), 'a', 3, 0x3c00);
    const entry = catalog.withField(state.entry, 'types', 'f16 × f16 + f16 → f16');
    const next = withEntry(state, entry);
    expect([next.a, next.b]).toEqual([state.a, state.b]);
    expect(viewOf(next).result).toBe(evaluateDot(entry.mnemonic, { a: next.a, b: next.b, c: next.c }));
  });
});

describe('lanes', () => {
  const grids = gridsOf(viewOf(open(opening)).matrices.fragments);

  it('A[9][3] of m16n8k16 is in lane 5, register a.1', () => {
    const [a] = grids;
    const box = a === undefined ? undefined : boxAt(a, 9, 3);
    if (a === undefined || box === undefined) throw new Error('A has row 9');
    expect([box.lanes, registerText(a.fragment, box.cell)]).toEqual([[5], 'a.1']);
  });

  it('a lane lists what it holds of each matrix', () => {
    expect(grids.map((grid) => heldBy(grid, 5))).toEqual([
      'row 1, columns 2 to 3 in a.0; row 1, columns 10 to 11 in a.2; row 9, columns 2 to 3 in a.1; row 9, columns 10 to 11 in a.3',
      'rows 2 to 3, column 1 in b.0; rows 10 to 11, column 1 in b.1',
      'row 1, column 2 in c.0 and d.0; row 1, column 3 in c.1 and d.1; row 9, column 2 in c.2 and d.2; row 9, column 3 in c.3 and d.3',
    ]);
  });
});
