/** Converts random arrays between random formats, with WebAssembly and with the exact engine. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arrayConversion, convert, type ConvertOptions, type PreparedArrays } from '../../src/arrays/convert.ts';
import { PlainConverter } from '../../src/arrays/elements/plain-converter.ts';
import { type Packing, storedBytes } from '../../src/arrays/storage.ts';
import { Workspace } from '../../src/arrays/workspace.ts';
import { PtxlabError } from '../../src/base/error.ts';
import { chunkSize } from '../../src/jit/arrays/array-plan.ts';
import { type FormatName, formatNames } from '../../src/numerics/formats.ts';
import { anyBits, moderate, special } from '../arrays/numbers.ts';

const packings: readonly Packing[] = ['bytes', 'low-first', 'high-first'];

interface Case {
  readonly from: FormatName;
  readonly to: FormatName;
  readonly options: Omit<ConvertOptions, 'from' | 'to' | 'out'>;
  readonly count: number;
  /** The number of bytes that precede the source in its buffer. */
  readonly offset: number;
  readonly fill: 'any bits' | 'numbers' | 'numbers and others';
  readonly salt: number;
}

const random = fc.oneof(
  fc.record({ seed: fc.nat(), firstElement: fc.nat(1000).map((n) => 4 * n) }),
  fc.record({ rbits: fc.constant(anyBits(chunkSize, 3)).map(({ buffer }) => new Uint32Array(buffer)) }),
);
const rounding = fc.oneof(
  fc.constant({}),
  fc.record({ rounding: fc.constantFrom('rn', 'rz', 'rm', 'rp', 'rna') }),
  random.map((bits) => ({ rounding: 'rs', ...bits }) as const),
);
const switches = fc.record(
  {
    saturate: fc.boolean(),
    relu: fc.constant(true),
    ftz: fc.constant(true),
    semantics: fc.constantFrom('ptx', 'ocp', 'ml_dtypes', 'torch'),
    sourcePacking: fc.constantFrom(...packings),
    packing: fc.constantFrom(...packings),
  },
  { requiredKeys: [] },
);
const cases: fc.Arbitrary<Case> = fc.record({
  from: fc.constantFrom(...formatNames),
  to: fc.constantFrom(...formatNames),
  options: fc.tuple(rounding, switches).map(([first, second]) => ({ ...first, ...second })),
  count: fc.oneof(
    { arbitrary: fc.nat(40), weight: 4 },
    { arbitrary: fc.nat(400), weight: 4 },
    // These counts are much larger than the ones above and close to the size of a chunk, so that arrays end just before
    // or just after the end of a chunk.
    { arbitrary: fc.integer({ min: chunkSize - 20, max: chunkSize + 20 }), weight: 2 },
  ),
  offset: fc.nat(16),
  fill: fc.constantFrom('any bits', 'numbers', 'numbers and others'),
  salt: fc.nat(1000),
});

function sourceOf({ from, count, offset, fill, salt }: Case): Uint8Array {
  const bytes = new Uint8Array(offset + 8 * count + 8);
  bytes.set(new Uint8Array(anyBits(2 * count + 2, salt).buffer), offset);
  if (fill !== 'any bits' && ['f64', 'f32', 'tf32', 'bf16', 'f16'].includes(from)) {
    const numbers = moderate(count, salt);
    if (fill === 'numbers and others' && count > 0) numbers[salt % count] = special[salt % special.length] ?? 0;
    bytes.set(new Uint8Array(convert(numbers, { to: from }).buffer), offset);
  }
  return bytes.subarray(offset);
}

/** Returns null if the conversion is not supported. */
function prepared(source: Uint8Array, options: ConvertOptions): Pick<PreparedArrays, 'plan' | 'random'> | null {
  try {
    return arrayConversion(source, options);
  } catch (error) {
    expect(error).toBeInstanceOf(PtxlabError);
    return null;
  }
}

const margin = 5;

test.each([1, 2, 3, 4, 5])('every byte is the same, and no byte next to them is touched (part %i)', () => {
  const workspace = new Workspace(4 * 2 ** 20);
  const [inside, into] = [workspace.array('u8', 2 ** 20), workspace.array('u8', 2 ** 20)];
  fc.assert(
    fc.property(cases, fc.boolean(), (one, isInside) => {
      const { from, to, count } = one;
      const given = sourceOf(one);
      const options = { ...one.options, from, to, count };
      const found = prepared(given, options);
      if (found === null) return;
      const bytes = storedBytes(found.plan.target, count) + margin;
      const wanted = new Uint8Array(bytes).fill(0xa5);
      new PlainConverter(found.plan).run(given, wanted, count, found.random);
      const source = isInside ? inside.subarray(0, given.length) : given;
      const out = isInside ? into.subarray(0, bytes) : new Uint8Array(bytes);
      source.set(given);
      convert(source, { ...options, out: out.fill(0xa5) });
      expect(Buffer.from(out).equals(wanted)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
