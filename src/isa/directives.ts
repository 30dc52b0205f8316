/**
 * Tables of everything in PTX other than instructions: directives, state spaces, linkage, attributes, pragmas and
 * `.target` options. Each row contains the places where the word is allowed and the version that introduced it.
 * Sources: section 4.3.1 and chapters 5 and 11 of PTX ISA 9.1. The number of values, their order and the versions were
 * determined with ptxas 13.0.
 */
import { at, atBefore, atBetween, type Availability, parseVersion } from './targets.ts';

export type Linkage = '.extern' | '.visible' | '.weak' | '.common';

/**
 * State spaces that are allowed in declarations. `.sreg` is not one of them: ptxas rejects declarations of special
 * registers.
 */
export type DeclaredSpace = '.reg' | '.const' | '.global' | '.local' | '.param' | '.shared' | '.tex';

/** Directives that can be the first word of a module item or of a statement in a function body. */
export type DirectiveWord =
  | '.version'
  | '.target'
  | '.address_size'
  | '.entry'
  | '.func'
  | '.file'
  | '.section'
  | '.nv_intermediate_source_section'
  | '.alias'
  | '.pragma'
  | '.loc'
  | '.loc_intermediate'
  | '.align'
  | '.attribute'
  | '.branchtargets'
  | '.calltargets'
  | '.callprototype';

/** Parts of directives that have their own version requirements, in addition to those of the directive. */
export type DirectivePart =
  | '.noreturn'
  | '.ptr'
  | '.loc with inlined_at'
  | '.param of a function'
  | 'bank number of .const'
  | 'bank 0 of .const'
  | 'kernel parameter list'
  | 'kernel without a body'
  | 'array parameter without a size'
  | '.file with a time and size'
  | 'opaque type'
  | 'generic()'
  | 'mask of an initial value'
  | 'address as an initial value'
  | 'function as an initial value'
  | 'kernel as an initial value'
  | SectionPart;

/** Parts of a `.section` that not all PTX versions support. */
export type SectionPart =
  | 'label in .section'
  | 'label with an offset in .section'
  | 'difference of labels in .section'
  | 'negative number in .section';

export type DirectivePlace = 'module' | 'body';

interface Dated {
  readonly since: Availability;
}

interface Placed extends Dated {
  readonly stands: readonly DirectivePlace[];
}

interface DirectiveRow extends Placed {
  /** Whether the directive must be preceded by a label. */
  readonly labeled: boolean;
}

const always = at('1.0');

function word(stands: readonly DirectivePlace[], since: Availability = always, labeled = false): DirectiveRow {
  return { stands, since, labeled };
}

export const directiveRows: Readonly<Record<DirectiveWord, DirectiveRow>> = {
  '.version': word(['module']),
  '.target': word(['module']),
  '.address_size': word(['module'], at('2.3')),
  '.entry': word(['module']),
  '.func': word(['module']),
  '.file': word(['module']),
  '.section': word(['module'], at('2.0')),
  '.nv_intermediate_source_section': word(['module'], at('9.4')),
  '.alias': word(['module'], at('6.3', 30)),
  '.pragma': word(['module', 'body'], at('2.0')),
  '.loc': word(['body']),
  '.loc_intermediate': word(['body'], at('9.4')),
  '.align': word(['module', 'body']),
  '.attribute': word(['module', 'body']),
  '.branchtargets': word(['body'], at('5.1', 30), true),
  '.calltargets': word(['body'], at('2.1', 20), true),
  '.callprototype': word(['body'], at('2.1', 20), true),
};

export const partRows: Readonly<Record<DirectivePart, Dated>> = {
  '.noreturn': { since: at('6.4', 30) },
  '.ptr': { since: at('2.2') },
  '.loc with inlined_at': { since: at('7.0') },
  '.param of a function': { since: at('2.0', 20) },
  'bank number of .const': { since: { ...at('1.5'), until: parseVersion('2.2') } },
  'bank 0 of .const': { since: atBefore('2.2') },
  'kernel parameter list': { since: at('1.4') },
  'kernel without a body': { since: at('3.0') },
  'array parameter without a size': { since: at('5.1', 30) },
  '.file with a time and size': { since: at('3.2') },
  // .texref, .samplerref and .surfref.
  'opaque type': { since: at('1.5') },
  'generic()': { since: at('3.1') },
  'mask of an initial value': { since: at('7.1') },
  'address as an initial value': { since: at('2.1') },
  'function as an initial value': { since: at('2.1', 20) },
  'kernel as an initial value': { since: at('3.1', 35) },
  'label in .section': { since: at('7.0') },
  'label with an offset in .section': { since: at('3.2') },
  'difference of labels in .section': { since: at('7.5') },
  'negative number in .section': { since: at('7.5') },
};

export const linkageRows: Readonly<Record<Linkage, Dated>> = {
  '.extern': { since: always },
  '.visible': { since: always },
  '.weak': { since: at('3.1') },
  '.common': { since: at('5.0') },
};

interface SpaceRow extends Placed {
  /**
   * The versions in which variables of this space could be declared at module scope, for spaces in which this is no
   * longer allowed.
   */
  readonly onceInModule?: Availability;
}

export const spaceRows: Readonly<Record<DeclaredSpace, SpaceRow>> = {
  '.reg': { stands: ['body'], since: always, onceInModule: atBefore('3.0') },
  '.const': { stands: ['module', 'body'], since: always },
  '.global': { stands: ['module', 'body'], since: always },
  '.local': { stands: ['body'], since: always, onceInModule: atBefore('3.0') },
  '.param': { stands: ['body'], since: always },
  '.shared': { stands: ['module', 'body'], since: always },
  '.tex': { stands: ['module', 'body'], since: atBefore('1.5') },
};

export type TuningOwner = 'entry' | 'func';

/** A directive between the header and the body of a function. */
export interface TuningRow extends Dated {
  readonly name: string;
  readonly on: readonly TuningOwner[];
  /** The minimum and maximum number of values that follow the directive. */
  readonly values: readonly [least: number, most: number];
  /** Whether the values of the directive can be strings as well as integers. */
  readonly named: boolean;
  /** Whether the values of the directive are counts, which must be at least 1. */
  readonly positive: boolean;
  /** The largest value that the directive accepts; null if the directive itself does not limit its values. */
  readonly most: number | null;
  /** Another directive with which this directive cannot be combined. */
  readonly not: string | null;
  /** The directives that a kernel with this directive must also have. */
  readonly needs: readonly string[];
}

function tuning(
  name: string,
  on: TuningOwner | TuningRow['on'],
  values: TuningRow['values'],
  since: Availability,
  extras: Partial<Pick<TuningRow, 'named' | 'positive' | 'most' | 'not' | 'needs'>> = {},
): TuningRow {
  const owners = typeof on === 'string' ? [on] : on;
  return {
    name,
    on: owners,
    values,
    since,
    named: false,
    positive: false,
    most: null,
    not: null,
    needs: [],
    ...extras,
  };
}

const counts = { positive: true } as const;

/** The maximum number of values of `.language`, which is larger than the number of existing languages. */
const mostLanguages = 64;

export const tuningRows: readonly TuningRow[] = [
  tuning('.maxntid', 'entry', [1, 3], at('1.3'), counts),
  tuning('.reqntid', 'entry', [1, 3], at('2.1'), { ...counts, not: '.maxntid' }),
  tuning('.minnctapersm', 'entry', [1, 1], at('2.0'), counts),
  tuning('.maxnctapersm', 'entry', [1, 1], { ...at('1.3'), until: parseVersion('2.1') }),
  tuning('.maxnreg', 'entry', [1, 1], at('1.3'), counts),
  tuning('.local_maxnreg', ['entry', 'func'], [1, 1], at('8.8'), counts),
  tuning('.reqnctapercluster', 'entry', [1, 3], at('7.8', 90), { not: '.maxclusterrank' }),
  tuning('.explicitcluster', 'entry', [0, 0], at('7.8', 90)),
  tuning('.maxclusterrank', 'entry', [1, 1], at('7.8', 90)),
  tuning('.blocksareclusters', 'entry', [0, 0], at('9.0', 90), { needs: ['.reqntid', '.reqnctapercluster'] }),
  tuning('.minperctamemory', 'entry', [1, 1], at('9.4', 80)),
  tuning('.language', ['entry', 'func'], [1, mostLanguages], at('9.3'), { named: true }),
  tuning('.abi_preserve', 'func', [1, 1], at('9.0', 80), { most: 237 }),
  tuning('.abi_preserve_control', 'func', [1, 1], at('9.0', 80), { most: 11 }),
];

/** An entry of `.attribute(…)`. */
export interface AttributeRow extends Dated {
  readonly name: string;
  readonly on: readonly ('func' | 'variable')[];
  /** The number of integers, in parentheses, that follow the attribute. */
  readonly values: number;
}

export const attributeRows: readonly AttributeRow[] = [
  { name: '.managed', on: ['variable'], values: 0, since: at('4.0', 30) },
  { name: '.unified', on: ['func', 'variable'], values: 2, since: at('8.0', 90) },
];

/**
 * A pragma, as read by ptxas 13.0 and 13.3 (PTX ISA 9.1, section 11.4). ptxas ignores all other pragmas, with a
 * warning.
 */
export interface PragmaRow extends Dated {
  readonly name: string;
  /** The string may contain more text after the name. Such a pragma is allowed only in the body of a function. */
  readonly open: boolean;
  /** The kind of number that must follow the name; absent if ptxas does not check the text after the name. */
  readonly argument?: 'integer' | 'positive integer';
}

export const pragmaRows: readonly PragmaRow[] = [
  { name: 'nounroll', open: false, since: at('2.0') },
  { name: 'used_bytes_mask', open: true, argument: 'integer', since: at('8.3', 50) },
  { name: 'enable_smem_spilling', open: true, since: at('8.7', 75) },
  { name: 'frequency', open: true, argument: 'positive integer', since: at('9.0') },
  { name: 'mma_throughput', open: true, since: at('9.3') },
];

/** Options in `.target` other than the architecture (PTX ISA 9.1, section 11.1.2). */
export interface TargetOptionRow extends Dated {
  readonly name: string;
  /** A module can have at most one option from each group. */
  readonly group: string | null;
}

export const targetOptionRows: readonly TargetOptionRow[] = [
  { name: 'texmode_unified', group: 'textures', since: always },
  { name: 'texmode_independent', group: 'textures', since: at('1.5') },
  { name: 'debug', group: null, since: at('3.0') },
  // Every target since sm_13 supports f64.
  { name: 'map_f64_to_f32', group: null, since: atBetween(10, 13) },
];
