/**
 * Lists instructions of every type and mode that both engines execute, together with inputs for every corner case of a
 * format.
 */

/** A predicate has width 1. */
export interface Register {
  readonly name: string;
  readonly width: number;
}

export interface Instruction {
  readonly inst: string;
  readonly sources: readonly Register[];
  readonly results: readonly Register[];
  /** The text of all operands, including the destinations. */
  readonly operands: string;
}

const names = ['a', 'b', 'c', 'e'] as const;

function plain(inst: string, widths: readonly number[], result: number): Instruction {
  const sources = widths.map((width, i) => ({ name: names[i] as string, width }));
  const results = [{ name: 'd', width: result }];
  return {
    inst,
    sources,
    results,
    operands: ['d', ...sources.map(({ name }) => name)].map((name) => `%${name}`).join(', '),
  };
}

const roundings = ['rn', 'rz', 'rm', 'rp'];

/**
 * Expands a pattern to mnemonics: one for every combination of the alternatives in parentheses, where `()` is an empty
 * alternative.
 */
function expand(pattern: string): readonly string[] {
  const found = /^(.*?)\(([^)]*)\)(.*)$/.exec(pattern);
  if (found === null) return [pattern];
  const [, before = '', choices = '', after = ''] = found;
  return choices.split('|').flatMap((choice) => expand(`${before}${choice}${after}`));
}

function all(pattern: string, widths: readonly number[], result: number): readonly Instruction[] {
  return expand(pattern).map((inst) => plain(inst, widths, result));
}

/** Makes all registers 32 bits wide if the instruction has a 32-bit type. */
function limitedTo32(instruction: Instruction): Instruction {
  if (!instruction.inst.endsWith('32')) return instruction;
  const narrow = ({ name }: Register): Register => ({ name, width: 32 });
  return { ...instruction, sources: instruction.sources.map(narrow), results: instruction.results.map(narrow) };
}

const modes = `(${roundings.map((rounding) => `.${rounding}`).join('|')})`;
const comparisons = '(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan)';

export const arithmetic: readonly Instruction[] = [
  ...all(`(add|sub|mul)${modes}(|.ftz)(|.sat).f32`, [32, 32], 32),
  ...all(`fma${modes}(|.ftz)(|.sat).f32`, [32, 32, 32], 32),
  ...all(`div${modes}(|.ftz).f32`, [32, 32], 32),
  ...all('div(.approx|.full)(|.ftz).f32', [32, 32], 32),
  ...all(`(rcp|sqrt)${modes}(|.ftz).f32`, [32], 32),
  ...all('(rsqrt|sin|cos|lg2|ex2).approx(|.ftz).f32', [32], 32),
  ...all('tanh.approx.f32', [32], 32),
  ...all('(ex2|tanh).approx.f16', [16], 16),
  ...all('(ex2.approx.ftz|tanh.approx).bf16', [16], 16),
  ...all('(abs|neg)(|.ftz).f32', [32], 32),
  ...all('(min|max)(|.ftz)(|.NaN)(|.xorsign.abs).f32', [32, 32], 32),
  ...all(`(add|sub|mul|div)${modes}.f64`, [64, 64], 64),
  ...all(`fma${modes}.f64`, [64, 64, 64], 64),
  ...all(`(rcp|sqrt)${modes}.f64`, [64], 64),
  ...all(`rcp${modes}.ftz.f64`, [64], 64),
  ...all('(rcp.approx.ftz|rsqrt.approx|rsqrt.approx.ftz).f64', [64], 64),
  ...all('(abs|neg).f64', [64], 64),
  ...all('(min|max).f64', [64, 64], 64),
  ...all('(add|sub|mul)(|.ftz)(|.sat).f16', [16, 16], 16),
  ...all('(add|sub|mul)(|.ftz)(|.sat).f16x2', [32, 32], 32),
  ...all('fma.rn(|.ftz)(|.sat|.relu).f16', [16, 16, 16], 16),
  ...all('fma.rn(|.ftz)(|.sat|.relu).f16x2', [32, 32, 32], 32),
  ...all('(add|sub|mul).bf16', [16, 16], 16),
  ...all('fma.rn(|.relu).bf16', [16, 16, 16], 16),
  ...all('fma.rn(|.relu).bf16x2', [32, 32, 32], 32),
  ...all('(min|max)(|.ftz)(|.NaN)(|.xorsign.abs).f16', [16, 16], 16),
  ...all('(min|max)(|.NaN)(|.xorsign.abs).bf16', [16, 16], 16),
  ...all('(abs|neg)(|.ftz).f16', [16], 16),
  ...all('(abs|neg).bf16', [16], 16),
  ...all(`setp.${comparisons}(|.ftz).f32`, [32, 32], 1),
  ...all(`setp.${comparisons}.f64`, [64, 64], 1),
  ...all(`setp.${comparisons}(|.ftz).f16`, [16, 16], 1),
  ...all(`setp.${comparisons}.bf16`, [16, 16], 1),
  ...[16, 32, 64].flatMap((width) => [
    ...all(`(add|sub|mul.lo|mul.hi|div|rem|min|max)(.u|.s)${width}`, [width, width], width),
    ...all(`(mad.lo|mad.hi)(.u|.s)${width}`, [width, width, width], width),
    ...all(`(neg|abs).s${width}`, [width], width),
    ...all(`setp.(eq|ne|lt|le|gt|ge)(.u|.s)${width}`, [width, width], 1),
    ...all(`setp.(lo|ls|hi|hs).u${width}`, [width, width], 1),
    ...all(`(and|or|xor).b${width}`, [width, width], width),
    ...all(`not.b${width}`, [width], width),
    ...all(`(shl.b|shr.u|shr.s)${width}`, [width, 32], width),
    ...(width === 16 ? [] : [...all(`(popc|clz).b${width}`, [width], 32), ...all(`brev.b${width}`, [width], width)]),
    ...all(`selp.b${width}`, [width, width, 1], width),
  ]),
  ...all('(add|sub).sat.s32', [32, 32], 32),
  ...all('mad.hi.sat.s32', [32, 32, 32], 32),
  ...all('mul.wide(.u|.s)16', [16, 16], 32),
  ...all('mul.wide(.u|.s)32', [32, 32], 64),
  ...all('mad.wide(.u|.s)16', [16, 16, 32], 32),
  ...all('mad.wide(.u|.s)32', [32, 32, 64], 64),
  ...[0, 0x1b, 0x80, 0x96, 0xe8, 0xff].map((table): Instruction => {
    const lop3 = plain('lop3.b32', [32, 32, 32], 32);
    return { ...lop3, inst: `lop3.b32 table ${table}`, operands: `${lop3.operands}, ${table}` };
  }),
  ...all('(and|or|xor).pred', [1, 1], 1),
  ...all('mov.b128', [128], 128),
  ...all('prmt.b32(|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16)', [32, 32, 32], 32),
  ...['0x3210', '0x5410', '0xfb76', '0x1234'].map((selector): Instruction => {
    const prmt = plain('prmt.b32', [32, 32], 32);
    return { ...prmt, inst: `prmt.b32 selector ${selector}`, operands: `${prmt.operands}, ${selector}` };
  }),
  ...all('fns.b32', [32, 32, 32], 32),
  ...all('(addc|subc)(|.cc)(.u|.s)(32|64)', [64, 64], 64).map(limitedTo32),
];

/** A repeatable sequence of 64-bit numbers (SplitMix64). */
export function* randomBits(seed: bigint): Generator<bigint, never> {
  for (let state = seed; ; ) {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let mixed = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
    yield mixed ^ (mixed >> 31n);
  }
}

const knownCorners = new Map<number, readonly bigint[]>();

function corners(width: number): readonly bigint[] {
  const known = knownCorners.get(width) ?? makeCorners(width);
  knownCorners.set(width, known);
  return known;
}

/**
 * Bit patterns that represent zero, one, the end of a range, a subnormal, an infinity or a NaN in at least one format.
 */
function makeCorners(width: number): readonly bigint[] {
  const [fraction, exponent] = width === 64 ? [52n, 11n] : width === 32 ? [23n, 8n] : [10n, 5n];
  const infinity = ((1n << exponent) - 1n) << fraction;
  const one = ((1n << (exponent - 1n)) - 1n) << fraction;
  const least = 1n << fraction;
  const near = (bits: bigint): readonly bigint[] => [bits - 1n, bits, bits + 1n];
  const magnitudes = [0n, 1n, 2n, 31n, 32n, 64n, ...near(least), ...near(one), ...near(one + least), ...near(infinity)];
  const sign = 1n << BigInt(width - 1);
  return [...magnitudes, sign - 1n].flatMap((bits) => [bits, bits | sign]).map((bits) => BigInt.asUintN(width, bits));
}

/**
 * For functions of one f32: floats with magnitudes from 2^-6 to 2^6. In this range, most of these functions change
 * fastest.
 */
function moderate(sources: readonly Register[], any: (width: number) => bigint): readonly (readonly bigint[])[] {
  if (sources.length !== 1 || sources[0]?.width !== 32) return [];
  return Array.from({ length: 200 }, () => [(any(1) << 31n) | ((121n + (any(8) % 13n)) << 23n) | any(23)]);
}

/**
 * Three floats: two factors and their negated product. The product is either changed slightly, so that the sum nearly
 * cancels, or multiplied by a power of two.
 */
function canceling(sources: readonly Register[], any: (width: number) => bigint): readonly (readonly bigint[])[] {
  const [width, ...others] = sources.map((source) => source.width);
  if ((width !== 32 && width !== 64) || others.length !== 2) return [];
  const view = new DataView(new ArrayBuffer(8));
  const fraction = width === 64 ? 52n : 23n;
  const valueOf = (bits: bigint): number => {
    view.setBigUint64(0, bits << BigInt(64 - width));
    return width === 64 ? view.getFloat64(0) : view.getFloat32(0);
  };
  const bitsOf = (value: number): bigint => {
    if (width === 64) view.setFloat64(0, value);
    else view.setFloat32(0, value);
    return width === 64 ? view.getBigUint64(0) : BigInt(view.getUint32(0));
  };
  return Array.from({ length: 150 }, (_, i) => {
    const [a, b] = [any(width), any(width)];
    const product = bitsOf(-(valueOf(a) * valueOf(b)));
    const away = i % 2 === 0 ? any(3) - 4n : (any(7) - 64n) << fraction;
    return [a, b, BigInt.asUintN(width, product + away)];
  });
}

/** Two f32 values whose product or quotient is close to 2^-126, below which results are flushed with .ftz. */
function nextToLeastNormal(
  sources: readonly Register[],
  any: (width: number) => bigint,
): readonly (readonly bigint[])[] {
  if (sources.length < 2 || sources.some(({ width }) => width !== 32)) return [];
  const view = new DataView(new ArrayBuffer(4));
  const bitsOf = (value: number): bigint => {
    view.setFloat32(0, value);
    return BigInt(view.getUint32(0));
  };
  return Array.from({ length: 150 }, (_, i) => {
    const bits = any(32) & 0xbfffffffn;
    view.setUint32(0, Number(bits));
    const value = view.getFloat32(0);
    const other = bitsOf(i % 2 === 0 ? 2 ** -126 / value : value * 2 ** 126);
    const row = [bits, BigInt.asUintN(32, other + any(2) - 2n)];
    return sources.map((_source, place) => row[place] ?? 0n);
  });
}

/**
 * Rows of operands for an instruction: corner cases, corner cases mixed with random bits, values close to each other,
 * small numbers, and random bits.
 */
export function inputsFor({ sources }: Instruction): readonly (readonly bigint[])[] {
  const numbers = randomBits(BigInt(sources.length));
  const any = (width: number): bigint => BigInt.asUintN(width, numbers.next().value);
  const pick = (width: number): bigint => {
    if (width === 1) return any(1);
    const list = corners(width);
    return list[Number(any(16)) % list.length] as bigint;
  };
  const rows = Array.from({ length: 350 }, (_, i) =>
    sources.map(({ width }) => (any(8) % 3n < BigInt(i % 4) ? pick(width) : any(width))),
  );
  // Values with similar exponents: their sums often cancel, and their products are often near the ends of the range.
  const close = Array.from({ length: 200 }, () => {
    const start = any(64);
    return sources.map(({ width }) => {
      const kept = width > 8 ? BigInt(Math.floor(width / 3)) : 1n;
      const base = width === 64 ? start : BigInt.asUintN(width, start >> 32n);
      const low = any(width) >> kept;
      return BigInt.asUintN(width, base ^ low ^ (any(1) << BigInt(width - 1)));
    });
  });
  // Small numbers, such as shift counts and bit positions.
  const small = Array.from({ length: 100 }, (_, i) =>
    sources.map(({ width }, source) => BigInt.asUintN(width, i % 3 === source ? any(width) : any(6) - 20n)),
  );
  const chosen = [moderate, canceling, nextToLeastNormal].flatMap((make) => make(sources, any));
  return [...rows, ...close, ...small, ...chosen];
}
