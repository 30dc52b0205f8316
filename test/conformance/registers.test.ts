/**
 * Tests the table of special registers: all registers can be read on every engine, and their values are shared by
 * exactly those threads that the table specifies.
 */
import { describe, expect, test } from 'vitest';
import { registerParts, registerRows, samenessOf, type SpecialRegister } from '../../src/isa/registers.ts';
import { isSameFor, type Sameness } from '../../src/isa/sameness.ts';
import { typeOf } from '../../src/isa/types.ts';
import { output, ways } from '../device/run.ts';

const block = [8, 3, 2] as const;
const threads = 48;

/**
 * Registers that describe clusters are tested in a grid with several clusters, each of which has several blocks in
 * every dimension.
 */
const shapes = {
  plain: { grid: [2, 2, 2], cluster: [1, 1, 1], blocks: 8 },
  clustered: { grid: [4, 4, 4], cluster: [2, 2, 2], blocks: 64 },
} as const;

function shapeFor(name: string): (typeof shapes)[keyof typeof shapes] {
  return name.includes('cluster') ? shapes.clustered : shapes.plain;
}

interface Reading {
  readonly name: string;
  readonly register: SpecialRegister;
  readonly part: number;
}

const all: readonly Reading[] = registerRows.flatMap((register): readonly Reading[] =>
  register.isVector
    ? registerParts.map((member, part) => ({ name: register.name + member, register, part }))
    : [{ name: register.name, register, part: 0 }],
);

/**
 * Only one register is tested for each combination of value and type: the 32 `%envreg` registers, for example, are all
 * read in the same way.
 */
const readings: readonly Reading[] = [
  ...new Map(all.map((reading) => [`${reading.register.value} ${reading.register.type} ${reading.part}`, reading])),
].map(([, reading]) => reading);

/** The body of a kernel in which every thread of the grid reads a register twice and stores both values as 64 bits. */
function body({ name, register }: Reading): string {
  const { grid } = shapeFor(name);
  const width = register.type === '.pred' ? 1 : typeOf(register.type).width;
  const read = (to: number): string => {
    if (width === 64) return `mov.u64 %rd${to}, ${name};`;
    if (width === 1) return `mov.pred %p1, ${name}; selp.u64 %rd${to}, 1, 0, %p1;`;
    return `mov.u32 %r9, ${name}; cvt.u64.u32 %rd${to}, %r9;`;
  };
  return `
    mov.u32 %r1, %tid.z; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, ${block[1]}, %r2; mad.lo.u32 %r4, %r4, ${block[0]}, %r3;
    mov.u32 %r5, %ctaid.z; mov.u32 %r6, %ctaid.y; mov.u32 %r7, %ctaid.x;
    mad.lo.u32 %r8, %r5, ${grid[1]}, %r6; mad.lo.u32 %r8, %r8, ${grid[0]}, %r7;
    mad.lo.u32 %r4, %r8, ${threads}, %r4;
    ${read(5)}
    ${read(6)}
    ld.param.u64 %rd1, [out]; mad.wide.u32 %rd2, %r4, 16, %rd1; st.global.v2.u64 [%rd2], {%rd5, %rd6};`;
}

/**
 * For each kind of group, a function that returns the number of the group to which a reading belongs. Its parameters
 * are the index of a thread and the index of one of that thread's two readings.
 */
const groups: Readonly<Record<Sameness, (thread: number, reading: number) => number>> = {
  reading: (thread, reading) => 2 * thread + reading,
  thread: (thread) => thread,
  gang: (thread) => Math.floor(thread / 4),
  warp: (thread) => 2 * Math.floor(thread / threads) + Math.floor((thread % threads) / 32),
  block: (thread) => Math.floor(thread / threads),
  grid: () => 0,
};

/** The largest kind of group for which all readings within a group are the same. */
function sameness(values: readonly string[]): Sameness {
  const agrees = (group: Sameness): boolean => {
    const seen = new Map<number, string>();
    return values.every((value, at) => {
      const number = groups[group](at >> 1, at & 1);
      const first = seen.get(number) ?? value;
      seen.set(number, first);
      return first === value;
    });
  };
  return (['grid', 'block', 'warp', 'gang', 'thread'] as const).find(agrees) ?? 'reading';
}

const results = new Map<string, Promise<readonly string[]>>();

/** The two readings of every thread, formatted as text. */
function valuesOf(reading: Reading, way: string): Promise<readonly string[]> {
  const key = `${reading.name} ${way}`;
  const known = results.get(key) ?? launch(reading, way);
  results.set(key, known);
  return known;
}

async function launch(reading: Reading, way: string): Promise<readonly string[]> {
  const source = { body: body(reading), target: 'sm_90' };
  const { grid, cluster, blocks } = shapeFor(reading.name);
  const shape = { grid, cluster, block, sharedBytes: 256 };
  const words = await output(source, 16 * threads * blocks, { ...ways[way], ...shape });
  return Array.from({ length: 2 * threads * blocks }, (_, i) => `${words[2 * i + 1]}:${words[2 * i]}`);
}

/**
 * Registers such as clocks are excluded: two readings of a clock are expected to differ, but may happen to be equal.
 */
const steady = readings.filter(({ register, part }) => samenessOf(register, part) !== 'reading');

describe.each(Object.keys(ways))('on %s', (way) => {
  test.each(readings)('$name is shared as widely as its row says', async (reading) => {
    const claimed = samenessOf(reading.register, reading.part);
    const found = sameness(await valuesOf(reading, way));
    expect(isSameFor(found, claimed), `the same only within a ${found}`).toBe(true);
    if (claimed !== 'reading') expect(found, 'a row that claims too little sharing is detected').toBe(claimed);
  });

  test.each(steady)('$name reads the same as on the reference engine', async (reading) => {
    expect(await valuesOf(reading, way)).toEqual(await valuesOf(reading, 'interp'));
  });
});

test('names are all different', () => {
  expect(new Set(registerRows.map(({ name }) => name)).size).toBe(registerRows.length);
});
