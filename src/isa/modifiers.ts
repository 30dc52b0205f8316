/**
 * The PTX modifiers and their axes. An axis is a set of modifiers of which an instruction can have at most one. In a
 * syntax line, an axis appears either as a single modifier (`.satfinite`) or as the name of a set of modifiers
 * (`.frnd`).
 */

export interface ModifierSet {
  readonly axis: string;
  readonly values: readonly string[];
}

/** The sets of modifiers. Each key is the name that the ISA's syntax lines use for the set. */
export const modifierSets: Readonly<Record<string, ModifierSet>> = {
  irnd: { axis: 'rounding', values: ['.rni', '.rzi', '.rmi', '.rpi'] },
  frnd: { axis: 'rounding', values: ['.rn', '.rz', '.rm', '.rp'] },
  frnd2: { axis: 'rounding', values: ['.rn', '.rz'] },
  frnd3: { axis: 'rounding', values: ['.rz', '.rp'] },
  frnd4: { axis: 'rounding', values: ['.rn', '.rz', '.rp'] },
  cmp: { axis: 'comparison', values: ['.eq', '.ne', '.lt', '.le', '.gt', '.ge'] },
  equality: { axis: 'comparison', values: ['.eq', '.ne'] },
  ucmp: { axis: 'comparison', values: ['.eq', '.ne', '.lt', '.le', '.gt', '.ge', '.lo', '.ls', '.hi', '.hs'] },
  fcmp: {
    axis: 'comparison',
    values: ['.eq', '.ne', '.lt', '.le', '.gt', '.ge', '.equ', '.neu', '.ltu', '.leu', '.gtu', '.geu', '.num', '.nan'],
  },
  boolOp: { axis: 'boolOp', values: ['.and', '.or', '.xor'] },
  logic: { axis: 'boolOp', values: ['.and', '.or'] },
  property: {
    axis: 'property',
    values: ['.finite', '.infinite', '.number', '.notanumber', '.normal', '.subnormal'],
  },
  direction: { axis: 'direction', values: ['.l', '.r'] },
  bound: { axis: 'bound', values: ['.clamp', '.wrap'] },
  permutation: { axis: 'permutation', values: ['.f4e', '.b4e', '.rc8', '.ecl', '.ecr', '.rc16'] },
  half: { axis: 'half', values: ['.lo', '.hi'] },
  space: {
    axis: 'space',
    values: [
      '.const',
      '.global',
      '.local',
      '.param',
      '.param::entry',
      '.param::func',
      '.shared',
      '.shared::cta',
      '.shared::cluster',
    ],
  },
  window: {
    axis: 'space',
    values: ['.const', '.global', '.local', '.shared', '.shared::cta', '.shared::cluster', '.param', '.param::entry'],
  },
  shflMode: { axis: 'mode', values: ['.up', '.down', '.bfly', '.idx'] },
  voteMode: { axis: 'vote', values: ['.all', '.any', '.uni'] },
  atomicOp: { axis: 'op', values: ['.add', '.min', '.max', '.inc', '.dec'] },
  sem: { axis: 'order', values: ['.relaxed', '.acquire', '.release', '.acq_rel'] },
  vec: { axis: 'vec', values: ['.v2', '.v4', '.v8'] },
  vec24: { axis: 'vec', values: ['.v2', '.v4'] },
  cop: { axis: 'cop', values: ['.ca', '.cg', '.cs', '.lu', '.cv'] },
  copw: { axis: 'cop', values: ['.wb', '.cg', '.cs', '.wt'] },
  scope: { axis: 'scope', values: ['.cta', '.cluster', '.gpu', '.sys'] },
  evict1: {
    axis: 'evict1',
    values: ['.L1::evict_normal', '.L1::evict_unchanged', '.L1::evict_first', '.L1::evict_last', '.L1::no_allocate'],
  },
  evict2: { axis: 'evict2', values: ['.L2::evict_normal', '.L2::evict_first', '.L2::evict_last'] },
  prefetch: { axis: 'prefetch', values: ['.L2::64B', '.L2::128B', '.L2::256B'] },
  primary: {
    axis: 'priority',
    values: ['.L2::evict_last', '.L2::evict_normal', '.L2::evict_first', '.L2::evict_unchanged'],
  },
  secondary: { axis: 'secondPriority', values: ['.L2::evict_first', '.L2::evict_unchanged'] },
  scale: { axis: 'scale', values: ['.shr7', '.shr15'] },
  copyTo: { axis: 'copyTo', values: ['.shared', '.shared::cta'] },
  copyFrom: { axis: 'copyFrom', values: ['.global'] },
};

/**
 * Kinds of modifiers that can occur twice in an instruction, so that their order matters. These are the state spaces of
 * a copy, the formats of a copied matrix, and the two operations of a matrix product of single bits. In a copy, the
 * space of the destination comes first.
 */
const orderedKinds: readonly ReadonlySet<string>[] = [
  new Set(modifierSets['space']?.values),
  new Set(['.b8x16', '.b6x16_p32', '.b4x16_p64']),
  new Set(['.and', '.or', '.xor', '.popc']),
];

/**
 * If all of these words are of the same kind, and if the order matters for this kind, returns the kind; otherwise
 * returns null.
 */
export function orderedKind(words: readonly string[]): ReadonlySet<string> | null {
  return orderedKinds.find((kind) => words.every((word) => kind.has(word))) ?? null;
}

/**
 * The axes of modifiers that do not belong to a set. Modifiers whose axis can be derived from their name are not
 * listed.
 */
const literalAxes: Readonly<Record<string, string>> = {
  '.row': 'alayout',
  '.rna': 'rounding',
  '.rs': 'rounding',
  '.approx': 'precision',
  '.full': 'precision',
  '.lo': 'half',
  '.hi': 'half',
  '.wide': 'half',
  '.volatile': 'order',
  '.weak': 'order',
  '.relaxed': 'order',
  '.acquire': 'order',
  '.release': 'order',
  '.scaled::n1::ue8m0': 'scaled',
  '.scaled::n2::ue8m0': 'scaled',
  '.L2::cache_hint': 'cacheHint',
};

/** Maps each modifier to the axis of its set. If the modifier belongs to several sets, the first of them is used. */
const setAxes: ReadonlyMap<string, string> = new Map(
  Object.values(modifierSets)
    .flatMap((set) => set.values.map((value) => [value, set.axis] as const))
    .reverse(),
);

/**
 * The words of a syntax line up to its first brace, except for those that are names of sets: `shfl.sync.b32` for
 * `shfl.sync.shflMode.b32`.
 */
export function plainWords(syntax: string, sets: Readonly<Record<string, unknown>> = {}): string {
  const [mnemonic = ''] = syntax.split(/[{\s]/, 1);
  const isSet = (word: string): boolean => Object.hasOwn(modifierSets, word) || Object.hasOwn(sets, word);
  return mnemonic
    .split('.')
    .filter((word) => !isSet(word))
    .join('.');
}

/** True if the modifier can appear on the given axis in at least one instruction. */
export function liesOn(modifier: string, axis: string): boolean {
  if (literalAxes[modifier] === axis || (axis === 'shape' && isShape(modifier))) return true;
  return axisValues.get(axis)?.has(modifier) ?? false;
}

/** The values of all sets on an axis. */
const axisValues: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...new Set(Object.values(modifierSets).map(({ axis }) => axis))].map((axis) => [
    axis,
    new Set(Object.values(modifierSets).flatMap((set) => (set.axis === axis ? set.values : []))),
  ]),
);

/** The axis of a modifier that appears in a syntax line by its own name rather than as part of a set. */
export function literalAxis(modifier: string): string {
  if (isShape(modifier)) return 'shape';
  return literalAxes[modifier] ?? setAxes.get(modifier) ?? modifier.slice(1);
}

/** True if the modifier is the shape of a matrix product, such as `.m16n8k16`. */
function isShape(modifier: string): boolean {
  return /^\.m\d+n\d+k\d+$/.test(modifier);
}

/**
 * Modifiers that are used only by instructions for which the tables have no forms. They are listed so that a misplaced
 * modifier is reported as "not for this instruction" rather than "no such modifier".
 */
export const modifiersOutside: ReadonlySet<string> = new Set('.commit .unified'.split(' '));
