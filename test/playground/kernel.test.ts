import { describe, expect, it } from 'vitest';
import type { KernelHeader } from '../../src/analysis.ts';
import {
  type ArgumentPlan,
  contentsOf,
  elements,
  elementsOf,
  guess,
} from '../../apps/playground/src/kernel/arguments.ts';
import { Drafts, type DraftStorage } from '../../apps/playground/src/kernel/drafts.ts';
import { example } from '../../apps/playground/src/kernel/example.ts';
import { extentsOf, firstLaunch, follow } from '../../apps/playground/src/kernel/launch.ts';
import { linkOf, type Project, readLink } from '../../apps/playground/src/kernel/link.ts';
import { withoutIndentation } from '../../apps/playground/src/kernel/opening.ts';
import { check } from '../../src/index.ts';

describe('the example', () => {
  it('has no findings', () => {
    expect(check(example).diagnostics).toEqual([]);
  });
});

describe('a guess', () => {
  const address = (name: string): ArgumentPlan => guess({ name, type: '.u64', size: 8 }, example);

  it('treats what is accessed as a buffer, with the type of the access', () => {
    expect([address('a'), address('c')]).toMatchObject([
      { kind: 'buffer', element: 'f32' },
      { kind: 'buffer', element: 'f32' },
    ]);
  });

  it('treats 64 bits that are never used as an address as a number', () => {
    const source = 'ld.param.u64 %rd1, [n]; add.s64 %rd2, %rd1, 1;';
    expect(guess({ name: 'n', type: '.u64', size: 8 }, source)).toEqual({ kind: 'value', type: '.u64', text: '1' });
  });

  it.each([
    ['ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; ld.global.nc.v4.b32 {%r1}, [%rd2+16];', 'u32'],
    ['ld.param.u64 %rd1, [p]; atom.global.add.s64 %rd3, [%rd1], 1;', 's64'],
  ])('follows %s', (source, element) => {
    expect(guess({ name: 'p', type: '.u64', size: 8 }, source)).toMatchObject({ kind: 'buffer', element });
  });
});

describe('contents', () => {
  it.each(elements)('of a ramp of %s read back as 0, 1, 2', (element) => {
    const bytes = contentsOf({ kind: 'buffer', element, count: 3, fill: 'ramp' });
    if (!(bytes instanceof Uint8Array)) throw new Error('a buffer has bytes');
    expect(elementsOf(bytes, element, 0, 3).map(Number)).toEqual([0, 1, 2]);
  });

  it('are the same every time', () => {
    const plan = { kind: 'buffer', element: 'f32', count: 100, fill: 'random' } as const;
    expect(contentsOf(plan)).toEqual(contentsOf(plan));
  });

  it.each([
    ['.f32', '0.5', 0.5],
    ['.s32', '-7', -7],
    ['.b32', '0xff', 255],
    ['.u64', '0xffffffffffffffff', 0xffffffffffffffffn],
  ])('of a %s written %s are the value', (type, text, value) => {
    expect(contentsOf({ kind: 'value', type, text })).toBe(value);
  });
});

describe('links of kernels', () => {
  const project: Project = {
    source: example,
    entry: 'vecadd',
    grid: [32, 1, 1],
    block: [32, 1, 1],
    sharedBytes: 0,
    args: [
      { kind: 'buffer', element: 'f32', count: 1024, fill: 'ramp' },
      { kind: 'value', type: '.u32', text: '7' },
    ],
  };

  it('come back as they were', async () => {
    const link = (await linkOf(project)) ?? '';
    expect(link.length).toBeLessThan(1_000);
    expect(await readLink(link)).toEqual(project);
  });

  it('of version 1 stay readable', async () => {
    const link =
      '#v1=Lc1LCsIwFEbhrcg_vhRTpcoduo3YQWwuNaQkkkcxlO5dFIfnm5wNOdY0CRjdKim7GA7X7ngPIEgoqYHhQZiTs2DdkyI1Eh5LnDxYD-c_5KdJYm-tSAargWDSnMF6g3fBgrGapQoIpb1-s3rqvyXvAsYF-7h_AA';
    expect(await readLink(link)).toEqual({
      source: '.version 8.0\n',
      entry: 'k',
      grid: [2, 1, 1],
      block: [64, 1, 1],
      sharedBytes: 16,
      args: [{ kind: 'value', type: '.u32', text: '7' }],
    });
  });

  it.each(['', '#', '#v1=', '#v1=@@', '#v2=abcd', `#v1=${'A'.repeat(70_000)}`])('%s opens nothing', async (link) => {
    expect(await readLink(link)).toBeNull();
  });

  it('of texts that are too long are not made', async () => {
    let noise = '';
    for (let i = 0; i < 40_000; i++) noise += Math.imul(i, 0x9e3779b1).toString(36);
    expect(await linkOf({ ...project, source: noise })).toBeNull();
  });

  it('with invalid parts keep the rest', async () => {
    const odd = { ...project, grid: [0, 1, 1], args: [{ kind: 'buffer', element: 'f7' }, project.args[1]] };
    const link = await linkOf(odd as unknown as Project);
    expect(await readLink(link ?? '')).toMatchObject({ grid: [1, 1, 1], args: [project.args[1]] });
  });
});

describe('drafts', () => {
  /** In-memory storage for drafts. Each item may have at most `room` characters. */
  function storageOf(room = Infinity): DraftStorage {
    const items = new Map<string, string>();
    return {
      get length() {
        return items.size;
      },
      key: (index) => [...items.keys()][index] ?? null,
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => {
        if (value.length > room) throw new DOMException('full', 'QuotaExceededError');
        items.set(key, value);
      },
      removeItem: (key) => items.delete(key),
    };
  }
  const kernel = (source: string): Project => ({ ...firstLaunch, source });
  const textsIn = (storage: DraftStorage): readonly string[] =>
    new Drafts(storage)
      .all()
      .map(({ project: { source } }) => source)
      .sort();

  it('of a link leave those made without a link alone', () => {
    const storage = storageOf();
    new Drafts(storage).save('', kernel('own'));
    const drafts = new Drafts(storage);
    expect(drafts.open('#v1=a', null)).toBeNull();
    drafts.save('#v1=a', kernel('edit'));
    drafts.save('#v1=a', kernel('second edit'));
    expect(textsIn(storage)).toEqual(['own', 'second edit']);
    expect(drafts.open('#v1=a', null)?.project.source).toBe('second edit');
    expect(drafts.open('', null)?.project.source).toBe('own');
  });

  it('of two tabs are both kept, and each tab gets its own again', () => {
    const storage = storageOf();
    const start = new Drafts(storage).save('', kernel('start'));
    const [one, two] = [new Drafts(storage), new Drafts(storage)];
    for (const tab of [one, two]) tab.open('', start?.id ?? null);
    const ids = [one, two, one, two].map(
      (tab, i) => tab.save('', kernel(`${tab === one ? 'one' : 'two'} ${i}`))?.id ?? null,
    );
    expect(textsIn(storage)).toEqual(['one 2', 'two 3']);
    expect(new Drafts(storage).open('', ids[2] ?? null)?.project.source).toBe('one 2');
    expect(new Drafts(storage).open('', ids[3] ?? null)?.project.source).toBe('two 3');
  });

  it('left for the original text are kept, and the next text is a new one', () => {
    const storage = storageOf();
    const drafts = new Drafts(storage);
    drafts.save('', kernel('first'));
    drafts.leave();
    drafts.save('', kernel('second'));
    expect(textsIn(storage)).toEqual(['first', 'second']);
  });

  it('keep the settings of the launch', () => {
    const storage = storageOf();
    const own: Project = { ...kernel('text'), block: [8, 4, 1], args: [{ kind: 'value', type: '.u32', text: '3' }] };
    new Drafts(storage).save('', own);
    expect(new Drafts(storage).open('', null)?.project).toEqual(own);
  });

  it('that the browser does not store are reported', () => {
    expect(new Drafts(null).save('', kernel('text'))).toBeNull();
    const storage = storageOf(400);
    const drafts = new Drafts(storage);
    drafts.save('', kernel('short'));
    expect(drafts.save('', kernel('x'.repeat(400)))).toBeNull();
    expect(textsIn(storage)).toEqual(['short']);
    expect(drafts.save('', kernel('short again'))?.project.source).toBe('short again');
    expect(textsIn(storage)).toEqual(['short again']);
  });

  it('are limited to the newest twenty', () => {
    const storage = storageOf();
    for (let i = 0; i < 30; i++) new Drafts(storage).save(`#v1=${i}`, kernel(String(i)));
    expect(textsIn(storage)).toHaveLength(20);
    expect(textsIn(storage)).toContain('29');
  });

  it('of earlier versions are found, and what cannot be read is ignored', () => {
    const storage = storageOf();
    storage.setItem('ptxlab-kernel-draft', 'old');
    storage.setItem('ptxlab-draft-x', '{"text": 1}');
    storage.setItem('ptxlab-draft-z', '{"link": "", "text": "without launch", "time": 1}');
    storage.setItem('ptxlab-draft-y', 'no JSON');
    expect(textsIn(storage)).toEqual(['old', 'without launch']);
    expect(textsIn(storage)).toEqual(['old', 'without launch']);
  });
});

describe('extents', () => {
  it.each([
    ['32', [32, 1, 1]],
    ['8,4', [8, 4, 1]],
    [' 8 x 4 x 2 ', [8, 4, 2]],
    ['8×4', [8, 4, 1]],
    ['0', null],
    ['-1', null],
    ['1e3', null],
    ['', null],
    ['1,2,3,4', null],
    ['9007199254740993', null],
  ])('%j', (text, extents) => {
    expect(extentsOf(text)).toEqual(extents);
  });
});

describe('a launch that follows its kernel', () => {
  const parameter = (name: string): KernelHeader['parameters'][number] => ({ name, type: '.u32', size: 4 });
  const kernel = (name: string, parameters: readonly string[]): KernelHeader => ({
    name,
    parameters: parameters.map(parameter),
    requiredBlock: null,
  });
  const chosen = follow({ ...firstLaunch, grid: [7, 1, 1] }, [kernel('k', ['n'])], '');

  it('keeps what was chosen while the number of parameters stays', () => {
    const plan = { kind: 'value', type: '.u32', text: '42' } as const;
    const next = follow({ ...chosen, args: [plan] }, [kernel('k', ['m'])], '');
    expect(next).toMatchObject({ entry: 'k', grid: [7, 1, 1], args: [plan] });
  });

  it('guesses new arguments when there is another parameter, or another kernel', () => {
    expect(follow(chosen, [kernel('k', ['n', 'm'])], '').args).toHaveLength(2);
    expect(follow(chosen, [kernel('other', [])], '')).toMatchObject({ entry: 'other', args: [] });
  });

  it('takes the block that the kernel requires', () => {
    expect(follow(chosen, [{ ...kernel('k', ['n']), requiredBlock: [64, 2, 1] }], '').block).toEqual([64, 2, 1]);
  });

  it('stays as it is while there is no kernel', () => {
    expect(follow(chosen, [], '')).toBe(chosen);
  });
});

describe('PTX written between tags', () => {
  it.each([
    [
      'loses the indentation that its lines share',
      '\n    .version 8.0\n      .target sm_80\n  ',
      '.version 8.0\n  .target sm_80\n',
    ],
    ['loses carriage returns and empty lines around it', '\r\n\r\nret;\r\n', 'ret;\n'],
    ['keeps empty lines inside', '  a\n\n  b', 'a\n\nb\n'],
    ['is nothing if it is blank', ' \n ', ''],
  ])('%s', (_, text, clean) => {
    expect(withoutIndentation(text)).toBe(clean);
  });
});
