/**
 * ld, ldu and st (PTX ISA 9.1, sections 9.7.9.8, 9.7.9.10 and 9.7.9.11). Cache operators, eviction hints and prefetch
 * hints do not affect values. For a single thread, the orderings and scopes of the memory model do not affect values
 * either.
 */
import type { AvailabilityRow, Constraint } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import type { OperandPattern } from '../../operand-patterns.ts';
import { read, write } from '../../operand-patterns.ts';
import { slotType } from '../../variant.ts';
import { vectorLanes } from '../../rules.ts';
import type { MemoryOrder } from '../../steps/order.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { weakLoad, weakStore } from '../access-steps.ts';
import { always, eachNeeds, needs, needsType, row } from '../availability-rows.ts';
import { accessOrderOf } from '../order-of.ts';
import { spaceOf, spacesByModifier } from '../space-of.ts';

const accessTypes: readonly TypeName[] = [
  '.b8',
  '.b16',
  '.b32',
  '.b64',
  '.b128',
  '.u8',
  '.u16',
  '.u32',
  '.u64',
  '.s8',
  '.s16',
  '.s32',
  '.s64',
  '.f32',
  '.f64',
];

function lanes(variant: Variant, name: Ref): readonly Ref[] {
  return Array.from({ length: vectorLanes(variant) }, (_, lane): Ref => `${name}.${lane}`);
}

/** The steps of an instruction that loads its operand `d`, which may be a vector, from the address `a`. */
export function loadSteps(variant: Variant, order: MemoryOrder | null = accessOrderOf(variant)): readonly Step[] {
  const load = weakLoad(spaceOf(variant), slotType(variant, 0).width, lanes(variant, '$d'), '$a');
  return [{ ...load, order }];
}

/** The steps of an instruction that stores its operand `b`, which may be a vector, at the address `a`. */
export function storeSteps(variant: Variant, order: MemoryOrder | null = accessOrderOf(variant)): readonly Step[] {
  const store = weakStore(spaceOf(variant), slotType(variant, 0).width, '$a', lanes(variant, '$b'));
  return [{ ...store, order }];
}

// --- rules ----------------------------------------------------------------------------------------------------------

const words: readonly TypeName[] = ['.b32', '.u32', '.s32', '.f32'];
const doubleWords: readonly TypeName[] = ['.b64', '.u64', '.s64', '.f64'];

/**
 * Cache hints are allowed only for accesses with the modifier `.global` or without a space modifier, because they apply
 * to the caches of global memory.
 */
const nearGlobal: readonly string[] = ['', '.global'];

const constraints: readonly Constraint[] = [
  { kind: 'vector-bits', bits: 128, when: { types: ['.b128', '.b8', '.u8', '.s8', '.b16', '.u16', '.s16'] } },
  ...Object.keys(spacesByModifier)
    .filter((space) => space !== '.global')
    .map((space): Constraint => ({ kind: 'vector-bits', bits: 128, when: { modifiers: [space] } })),
  { kind: 'vector-bits', bits: 256 },
  ...['evict1', 'evict2', 'prefetch', 'cacheHint'].map(
    (axis): Constraint => ({ kind: 'axis-goes-with', axis, other: 'space', values: nearGlobal }),
  ),
  { kind: 'axis-goes-with', axis: 'evict1', other: 'cop', values: [''] },
  { kind: 'needs-modifier', modifier: '.nc', oneOf: ['.global'] },
  { kind: 'axis-needs-bits', axis: 'evict2', bits: 256 },
];

const availability: readonly AvailabilityRow[] = [
  always('ld and st'),
  needs('generic addressing', { without: spacesWritten() }, at('2.0', 20)),
  needsType('.b128', at('8.3', 70)),
  needs('a 256-bit access', { modifiers: ['.v8'], types: words }, at('8.8', 100)),
  needs('a 256-bit access', { modifiers: ['.v4'], types: doubleWords }, at('8.8', 100)),
  ...eachNeeds(['.param::entry', '.param::func'], at('8.3')),
  ...eachNeeds(['.shared::cta'], at('7.8')),
  ...eachNeeds(['.shared::cluster'], at('7.8', 90)),
  ...eachNeeds(['.volatile'], at('1.1')),
  ...eachNeeds(['.weak', '.relaxed', '.acquire', '.release'], at('5.1', 70)),
  ...eachNeeds(['.ca', '.cg', '.cs', '.lu', '.cv', '.wb', '.wt'], at('2.0', 20)),
  ...eachNeeds(['.nc'], at('3.1', 32)),
  ...eachNeeds(
    ['.L1::evict_normal', '.L1::evict_unchanged', '.L1::evict_first', '.L1::evict_last', '.L1::no_allocate'],
    at('7.4', 70),
  ),
  ...eachNeeds(['.L2::evict_normal', '.L2::evict_first', '.L2::evict_last'], at('8.8', 100)),
  ...eachNeeds(['.L2::64B', '.L2::128B'], at('7.4', 75)),
  ...eachNeeds(['.L2::256B', '.L2::cache_hint'], at('7.4', 80)),
  ...eachNeeds(['.mmio'], at('8.2', 70)),
  ...eachNeeds(['.cluster'], at('7.8', 90)),
];

function spacesWritten(): readonly string[] {
  return Object.keys(spacesByModifier);
}

// --- forms ----------------------------------------------------------------------------------------------------------

const destination: OperandPattern = { kind: 'lanes', name: 'd', value: write('d', 0), braced: true };
const source: OperandPattern = { kind: 'lanes', name: 'b', value: read('b', 0), braced: true, maskable: true };
const address = { kind: 'address', name: 'a', element: true, sized: true, plain: true, typed: true } as const;
const loadAddress: OperandPattern = { ...address, access: 'load' };
const storeAddress: OperandPattern = { ...address, access: 'store' };
const policy = read('cache-policy', '.u64', { regime: 'exact' });
const hints = ['evict1', 'evict2', 'prefetch'];

interface Line {
  readonly id: string;
  readonly syntax: string;
  readonly summary: string;
  readonly hinted?: boolean;
  readonly row?: AvailabilityRow;
  /** The types that the form accepts; by default, all types. */
  readonly types?: readonly TypeName[];
}

function memoryForm(line: Line, store: boolean): InstructionForm {
  const operands = store ? [storeAddress, source] : [destination, loadAddress];
  return {
    id: line.id,
    section: store ? '9.7.9.11' : '9.7.9.8',
    syntax: line.syntax,
    summary: line.summary,
    sets: { type: line.types ?? accessTypes, sharedOrGlobal, volatileSpace, ncop: ['.ca', '.cg', '.cs'] },
    regime: 'relaxed',
    constraints,
    availability: line.row === undefined ? availability : [...availability, line.row],
    operands: line.hinted === true ? [...operands, policy] : operands,
    inert: ['cop', ...hints, 'cacheHint'],
    steps: (variant) => (store ? storeSteps(variant) : loadSteps(variant)),
  };
}

const sharedOrGlobal: readonly string[] = ['.global', '.shared', '.shared::cta', '.shared::cluster'];
const volatileSpace: readonly string[] = [...sharedOrGlobal, '.local'];
const volatileLocal = needs('.volatile with .local', { modifiers: ['.volatile', '.local'] }, at('9.1'));

const loads: readonly Line[] = [
  ...hinted({
    id: 'ld',
    syntax: 'ld{.weak}{.space}{.cop}{.evict1}{.evict2}HINT{.prefetch}{.vec}.type  d, [a]',
    summary: 'Loads from memory.',
  }),
  ...hinted({
    id: 'ld.nc',
    syntax: 'ld.global{.ncop}.nc{.evict1}{.evict2}HINT{.prefetch}{.vec}.type  d, [a]',
    summary: 'Loads from global memory that no thread writes while the kernel runs.',
  }),
  {
    id: 'ld.volatile',
    syntax: 'ld.volatile{.volatileSpace}{.prefetch}{.vec}.type  d, [a]',
    summary: 'Loads; the access is neither omitted nor merged with others.',
    row: volatileLocal,
  },
  ...hinted({
    id: 'ld.relaxed',
    syntax: 'ld.relaxed.scope{.sharedOrGlobal}{.evict1}{.evict2}HINT{.prefetch}{.vec}.type  d, [a]',
    summary: 'Relaxed load in a scope.',
  }),
  ...hinted({
    id: 'ld.acquire',
    syntax: 'ld.acquire.scope{.sharedOrGlobal}{.evict1}{.evict2}HINT{.prefetch}{.vec}.type  d, [a]',
    summary: 'Acquiring load in a scope.',
  }),
  {
    id: 'ld.mmio',
    syntax: 'ld.mmio.relaxed.sys{.global}.type  d, [a]',
    summary: 'Loads from memory-mapped I/O.',
  },
  {
    id: 'ld.mmio.acquire',
    syntax: 'ld.mmio.acquire.sys{.global}.type  d, [a]',
    summary: 'Acquiring load from memory-mapped I/O.',
    row: row('.acquire with .mmio', at('9.3', 75)),
  },
  {
    id: 'ld.readonly',
    syntax: 'ld{.global}{.nc}.proxy::readonly{.vec}.type  d, [a]',
    summary: 'Loads from memory that no thread writes while the kernel runs.',
    row: row('.proxy::readonly', at('9.4', 90)),
    types: accessTypes.filter((type) => type !== '.b128'),
  },
];

const stores: readonly Line[] = [
  ...hinted({
    id: 'st',
    syntax: 'st{.weak}{.space}{.copw}{.evict1}{.evict2}HINT{.vec}.type  [a], b',
    summary: 'Stores to memory.',
  }),
  {
    id: 'st.volatile',
    syntax: 'st.volatile{.volatileSpace}{.vec}.type  [a], b',
    summary: 'Stores; the access is neither omitted nor merged with others.',
    row: volatileLocal,
  },
  ...hinted({
    id: 'st.relaxed',
    syntax: 'st.relaxed.scope{.sharedOrGlobal}{.evict1}{.evict2}HINT{.vec}.type  [a], b',
    summary: 'Relaxed store in a scope.',
  }),
  ...hinted({
    id: 'st.release',
    syntax: 'st.release.scope{.sharedOrGlobal}{.evict1}{.evict2}HINT{.vec}.type  [a], b',
    summary: 'Stores with release semantics in a scope.',
  }),
  {
    id: 'st.mmio',
    syntax: 'st.mmio.relaxed.sys{.global}.type  [a], b',
    summary: 'Stores to memory-mapped I/O.',
  },
  {
    id: 'st.mmio.release',
    syntax: 'st.mmio.release.sys{.global}.type  [a], b',
    summary: 'Releasing store to memory-mapped I/O.',
    row: row('.release with .mmio', at('9.3', 75)),
  },
];

/**
 * Returns two variants of a syntax line: one without a cache policy, and one that has both the modifier and the operand
 * for a cache policy.
 */
function hinted(line: Line): readonly Line[] {
  const plain = { ...line, syntax: line.syntax.replace('HINT', '') };
  const syntax = `${line.syntax.replace('HINT', '.L2::cache_hint')}, cache-policy`;
  return [plain, { id: `${line.id}.hint`, syntax, summary: `${line.summary} Takes a cache policy.`, hinted: true }];
}

/** ldu requires that all threads of the warp use the same address, but ptxlab does not check this. */
const uniform: InstructionForm = {
  id: 'ldu',
  section: '9.7.9.10',
  syntax: 'ldu{.global}{.vec24}.type  d, [a]',
  summary: 'Loads from an address that is the same for all threads of the warp.',
  sets: { type: accessTypes },
  regime: 'relaxed',
  constraints: [{ kind: 'vector-bits', bits: 128 }],
  availability: [row('ldu', at('2.0', 20)), needsType('.b128', at('8.3', 70))],
  operands: [{ kind: 'lanes', name: 'd', value: write('d', 0), braced: true }, loadAddress],
  steps: (variant) => loadSteps(variant),
};

/** Every form of ld, ldu and st that compilers emit. */
export const memoryForms = (): readonly InstructionForm[] => [
  ...loads.map((line) => memoryForm(line, false)),
  uniform,
  ...stores.map((line) => memoryForm(line, true)),
];
