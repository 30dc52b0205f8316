/**
 * cvt from and to packed formats of at most 8 bits (PTX ISA 9.1, section 9.7.9.21, and the additions of versions 9.2
 * and 9.4).
 */
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm } from '../../form.ts';
import { type OperandPattern, read, type ValuePattern } from '../../operand-patterns.ts';
import { at, atListed, atSuffixed } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { needs, row } from '../availability-rows.ts';
import { a, b, d, pzo, rbits, stochastic, strict } from './cvt-parts.ts';
import { lanesToPacked, packedToPacked } from './cvt-steps.ts';

const scaleFactors = read('scale-factor', '.b16', { regime: 'strict', registerOnly: true });
const scaleFactor = read('scale-factor', '.b8', { regime: 'strict', registerOnly: true });
const four: OperandPattern = {
  kind: 'vector',
  name: '{a, b, e, f}',
  elements: (['a', 'b', 'e', 'f'] as const).map((name): ValuePattern => read(name, 1)),
};

const fp8: AvailabilityRow = row('cvt with .e4m3x2/.e5m2x2', at('7.8', 90), atListed('8.1', 'sm_89'));
const narrow: AvailabilityRow = row('cvt with a narrow format', atSuffixed('8.6', 100));
const narrow91: AvailabilityRow = row('cvt from this packed type', atSuffixed('9.1', 100));
const narrow92: AvailabilityRow = row('cvt to .bf16x2 from this type', atSuffixed('9.2', 100));
const s2f6: AvailabilityRow = row(
  'cvt with .s2f6x2',
  atListed('9.1', 'sm_100a', 'sm_103a', 'sm_110a', 'sm_120a', 'sm_121a'),
  atListed('9.4', 'sm_107a'),
);
const rubin = [atListed('9.4', 'sm_107a', 'sm_107f')];
const rzToNarrow: AvailabilityRow = needs('.rz to this type', { modifiers: ['.rz'] }, ...rubin);
const oneFactor: AvailabilityRow = row('.scaled::n1::ue8m0', ...rubin);
const ue5m3Since: AvailabilityRow = row('cvt with .ue5m3x2', ...rubin);

/** The parts of a form that depend on whether the form has scale factors. */
interface Scaling {
  readonly qualifier: string;
  readonly tail: string;
  /** The text that is inserted into the summary, after the value. */
  readonly phrase: string;
  readonly availability: readonly AvailabilityRow[];
  readonly operands: readonly ValuePattern[];
}

const unscaled: Scaling = { qualifier: '', tail: '', phrase: '', availability: [], operands: [] };
const factorTail = ', scale-factor';

/** Both lanes are divided by the same factor. */
const dividedByOne: Scaling = {
  qualifier: '.scaled::n1::ue8m0',
  tail: factorTail,
  phrase: ', divided by the scale factor,',
  availability: [oneFactor],
  operands: [scaleFactor],
};

const byTwo = { qualifier: '.scaled::n2::ue8m0', tail: factorTail, availability: [], operands: [scaleFactors] };
const dividedByTwo: Scaling = { ...byTwo, phrase: ', each divided by its scale factor,' };
const multipliedByTwo: Scaling = { ...byTwo, phrase: ', each multiplied by its scale factor,' };

/**
 * The scaling of each kind of conversion: narrowing with one factor (`one`) or two factors (`down`), and widening with
 * two factors (`two`).
 */
interface Scalings {
  readonly suffix: string;
  readonly one: Scaling;
  readonly down: Scaling;
  readonly two: Scaling;
}

/**
 * Many conversions exist both without and with scale factors. Conversions with scale factors have an additional
 * qualifier and an operand for the factors.
 */
const scalings: readonly Scalings[] = [
  { suffix: '', one: unscaled, down: unscaled, two: unscaled },
  { suffix: '.scaled', one: dividedByOne, down: dividedByTwo, two: multipliedByTwo },
];

/**
 * A family of narrow formats: fp8, fp6 or fp4. The families differ in the names of their formats and in their version
 * requirements.
 */
interface Family {
  readonly name: 'f8' | 'f6' | 'f4';
  readonly x2: readonly TypeName[];
  readonly x4: readonly TypeName[];
  readonly since: AvailabilityRow;
  readonly fromF16: AvailabilityRow;
}

const families: readonly Family[] = [
  { name: 'f8', x2: ['.e4m3x2', '.e5m2x2'], x4: ['.e4m3x4', '.e5m2x4'], since: fp8, fromF16: fp8 },
  { name: 'f6', x2: ['.e2m3x2', '.e3m2x2'], x4: ['.e2m3x4', '.e3m2x4'], since: narrow, fromF16: narrow91 },
  { name: 'f4', x2: ['.e2m1x2'], x4: ['.e2m1x4'], since: narrow, fromF16: narrow },
];

/** Conversions from f32, f16x2 and bf16x2 to packed pairs of a narrow format. */
function narrowing({ name, x2, since, fromF16 }: Family, { suffix, one }: Scalings): readonly InstructionForm[] {
  const type = `${name}x2type`;
  const { qualifier, tail, phrase, operands } = one;
  const start = `cvt.frnd2.satfinite{.relu}{.pzo}${qualifier}.${type}`;
  const rows = [rzToNarrow, pzo, ...one.availability];
  const fromPacked = (half: 'f16' | 'bf16', available: AvailabilityRow): InstructionForm =>
    strict({
      id: `cvt.${name}x2.${half}x2${suffix}`,
      syntax: `${start}.${half}x2  d, a${tail}`,
      summary: `Packed ${half} values${phrase} to a packed pair, lane by lane.`,
      sets: { [type]: x2 },
      availability: [available, ...rows],
      operands: [d, a, ...operands],
      steps: packedToPacked,
    });
  return [
    strict({
      id: `cvt.${name}x2.f32${suffix}`,
      syntax: `${start}.f32  d, a, b${tail}`,
      summary: `Two f32 values${phrase} to a packed pair, with a in the upper lane.`,
      sets: { [type]: x2 },
      availability: [since, ...rows],
      operands: [d, a, b, ...operands],
      steps: lanesToPacked,
    }),
    fromPacked('f16', fromF16),
    fromPacked('bf16', narrow91),
  ];
}

function toBf16({ name, x2 }: Family, { suffix, two }: Scalings): InstructionForm {
  const type = `${name}x2type`;
  return strict({
    id: `cvt.bf16x2.${name}x2${suffix}`,
    syntax: `cvt.rn{.relu}{.satfinite}${two.qualifier}.bf16x2.${type}  d, a${two.tail}`,
    summary: `A packed pair${two.phrase} to packed bf16.`,
    sets: { [type]: x2 },
    availability: [narrow92],
    operands: [d, a, ...two.operands],
    steps: packedToPacked,
  });
}

function toF16({ name, x2, since }: Family): InstructionForm {
  const type = `${name}x2type`;
  return strict({
    id: `cvt.f16x2.${name}x2`,
    syntax: `cvt.rn{.relu}.f16x2.${type}  d, a`,
    summary: 'A packed pair to packed f16, exact.',
    sets: { [type]: x2 },
    availability: [since],
    operands: [d, a],
    steps: packedToPacked,
  });
}

function fromFour({ name, x4 }: Family): InstructionForm {
  const type = `${name}x4type`;
  return strict({
    id: `cvt.rs.${name}x4.f32`,
    syntax: `cvt.rs{.relu}.satfinite.${type}.f32  d, {a, b, e, f}, rbits`,
    summary: 'Four f32 values to a packed quadruple, rounded stochastically, with a in the topmost lane.',
    sets: { [type]: x4 },
    availability: [stochastic],
    operands: [d, four, rbits],
    steps: lanesToPacked,
  });
}

const ue8m0: readonly InstructionForm[] = [
  strict({
    id: 'cvt.ue8m0x2.f32',
    syntax: 'cvt.frnd3{.satfinite}.ue8m0x2.f32  d, a, b',
    summary: 'Two f32 values to a pair of powers of two, with a in the upper lane; signs are ignored.',
    availability: [narrow],
    operands: [d, a, b],
    steps: lanesToPacked,
  }),
  strict({
    id: 'cvt.ue8m0x2.bf16x2',
    syntax: 'cvt.frnd3{.satfinite}.ue8m0x2.bf16x2  d, a',
    summary: 'Packed bf16 to a pair of powers of two; signs are ignored.',
    availability: [narrow],
    operands: [d, read('a', 1, { negatedPredicate: true })],
    steps: packedToPacked,
  }),
  strict({
    id: 'cvt.bf16x2.ue8m0x2',
    syntax: 'cvt.rn.bf16x2.ue8m0x2  d, a',
    summary: 'A pair of powers of two to packed bf16, exact.',
    availability: [narrow],
    operands: [d, a],
    steps: packedToPacked,
  }),
];

const fixedPoint: readonly InstructionForm[] = scalings.flatMap(({ suffix, down, two }) => [
  strict({
    id: `cvt.s2f6x2.f32${suffix}`,
    syntax: `cvt.frnd2.satfinite{.relu}${down.qualifier}.s2f6x2.f32  d, a, b${down.tail}`,
    summary: `Two f32 values${down.phrase} to a fixed-point pair.`,
    availability: [s2f6, rzToNarrow],
    operands: [d, a, b, ...down.operands],
    steps: lanesToPacked,
  }),
  strict({
    id: `cvt.s2f6x2.bf16x2${suffix}`,
    syntax: `cvt.frnd2.satfinite{.relu}${down.qualifier}.s2f6x2.bf16x2  d, a${down.tail}`,
    summary: `Packed bf16 values${down.phrase} to a fixed-point pair.`,
    availability: [s2f6, rzToNarrow],
    operands: [d, a, ...down.operands],
    steps: packedToPacked,
  }),
  strict({
    id: `cvt.bf16x2.s2f6x2${suffix}`,
    syntax: `cvt.rn{.satfinite}{.relu}${two.qualifier}.bf16x2.s2f6x2  d, a${two.tail}`,
    summary: `A pair of fixed-point values${two.phrase} to packed bf16.`,
    availability: [s2f6],
    operands: [d, a, ...two.operands],
    steps: packedToPacked,
  }),
]);

/** ue5m3 has no sign. Conversions with one scale factor have fewer rounding modes. */
const ue5m3: readonly InstructionForm[] = scalings.flatMap(({ suffix, one, two }) => {
  const rounding = suffix === '' ? '.frnd4' : '.frnd2';
  return [
    strict({
      id: `cvt.ue5m3x2.f32${suffix}`,
      syntax: `cvt${rounding}{.satfinite}${one.qualifier}.ue5m3x2.f32  d, a, b${one.tail}`,
      summary: `Two f32 values${one.phrase} to a packed pair, with a in the upper lane; signs are ignored.`,
      availability: [ue5m3Since],
      operands: [d, a, b, ...one.operands],
      steps: lanesToPacked,
    }),
    strict({
      id: `cvt.ue5m3x2.fp16x2${suffix}`,
      syntax: `cvt${rounding}{.satfinite}${one.qualifier}.ue5m3x2.fp16x2type  d, a${one.tail}`,
      summary: `Packed f16 or bf16 values${one.phrase} to a packed pair; signs are ignored.`,
      sets: { fp16x2type: ['.f16x2', '.bf16x2'] },
      availability: [ue5m3Since],
      operands: [d, a, ...one.operands],
      steps: packedToPacked,
    }),
    strict({
      id: `cvt.bf16x2.ue5m3x2${suffix}`,
      syntax: `cvt.rn{.satfinite}${two.qualifier}.bf16x2.ue5m3x2  d, a${two.tail}`,
      summary: `A packed pair${two.phrase} to packed bf16.`,
      availability: [ue5m3Since],
      operands: [d, a, ...two.operands],
      steps: packedToPacked,
    }),
  ];
});

const ue5m3ToF16: InstructionForm = strict({
  id: 'cvt.f16x2.ue5m3x2',
  syntax: 'cvt.rn.f16x2.ue5m3x2  d, a',
  summary: 'A packed pair to packed f16.',
  availability: [ue5m3Since],
  operands: [d, a],
  steps: packedToPacked,
});

/** cvt from and to fp8, fp6, fp4, ue8m0, s2f6 and ue5m3. */
export const narrowConversions = (): readonly InstructionForm[] => [
  ...families.flatMap((family) => [
    ...scalings.flatMap((scaling) => [...narrowing(family, scaling), toBf16(family, scaling)]),
    toF16(family),
    fromFour(family),
  ]),
  ...ue8m0,
  ...fixedPoint,
  ...ue5m3,
  ue5m3ToF16,
];
