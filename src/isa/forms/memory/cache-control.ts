/**
 * Cache control: prefetch, prefetchu, applypriority, discard, createpolicy (PTX ISA 9.1, sections 9.7.9.15 to
 * 9.7.9.18). No caches are simulated, so values do not change. `discard` does not change the bytes, although they are
 * undefined afterwards according to the ISA.
 */
import { plainConversion } from '../../../numerics/conversion.ts';
import { plainMode } from '../../../numerics/operations.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import type { OperandPattern } from '../../operand-patterns.ts';
import { read, write } from '../../operand-patterns.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import { row } from '../availability-rows.ts';
import { bits, constant, integer, resize } from '../integer/steps.ts';
import { noEffect } from '../no-effect.ts';

const address: OperandPattern = { kind: 'address', name: 'a', access: 'load' };
const sized: OperandPattern = { ...address, sized: true };
/** The version and target that introduced cache policies. */
const ofPolicies = at('7.4', 80);

type Line = Omit<InstructionForm, 'regime' | 'steps'> & { readonly steps?: InstructionForm['steps'] };

const exact = (line: Line): InstructionForm => ({ steps: () => noEffect, ...line, regime: 'exact' });

// --- prefetch, applypriority, discard -------------------------------------------------------------------------------

const line128 = read('size', '.u32', { oneOf: [128], constantOnly: true });

const lines: readonly InstructionForm[] = [
  exact({
    id: 'prefetch',
    section: '9.7.9.15',
    syntax: 'prefetch{.space}.level  [a]',
    summary: 'Prefetches the cache line of an address into a closer cache.',
    sets: { space: ['.global', '.local'], level: ['.L1', '.L2'] },
    availability: [row('prefetch', at('2.0', 20))],
    operands: [sized],
  }),
  exact({
    id: 'prefetch.evict',
    section: '9.7.9.15',
    syntax: 'prefetch{.global}.priority  [a]',
    summary: 'Prefetches a cache line into L2 with an eviction priority.',
    sets: { priority: ['.L2::evict_last', '.L2::evict_normal'] },
    availability: [row('prefetch with an eviction priority', ofPolicies)],
    operands: [sized],
  }),
  exact({
    id: 'prefetch.valid',
    section: '9.7.9.15',
    syntax: 'prefetch{.global}.L1::32B.valid_addr  [a]',
    summary: 'Prefetches at least 32 bytes at a valid address into L1.',
    availability: [row('prefetch.valid_addr', at('9.4', 90))],
    operands: [sized],
  }),
  exact({
    id: 'prefetch.tensormap',
    section: '9.7.9.15',
    syntax: 'prefetch{.space}.tensormap  [a]',
    summary: 'Prefetches a tensor map into a closer cache.',
    sets: { space: ['.const', '.param'] },
    availability: [row('prefetch.tensormap', at('8.0', 90))],
    operands: [{ ...address, least: { bits: 32 } }],
  }),
  exact({
    id: 'prefetchu',
    section: '9.7.9.15',
    syntax: 'prefetchu.L1  [a]',
    summary: 'Prefetches the cache line of a generic address into the uniform cache.',
    availability: [row('prefetchu', at('2.0', 20))],
    operands: [{ ...sized, space: '.global' }],
  }),
  exact({
    id: 'applypriority',
    section: '9.7.9.16',
    syntax: 'applypriority{.global}.L2::evict_normal  [a], size',
    summary: 'Gives a cache line in L2 the normal eviction priority.',
    availability: [row('applypriority', ofPolicies)],
    operands: [sized, line128],
  }),
  exact({
    id: 'discard',
    section: '9.7.9.17',
    syntax: 'discard{.global}.L2  [a], size',
    summary:
      'Drops a cache line in L2 without writing it back. Its bytes are undefined afterwards; ptxlab does not change them.',
    availability: [row('discard', ofPolicies)],
    operands: [{ ...sized, access: 'store' }, line128],
  }),
];

// --- createpolicy ---------------------------------------------------------------------------------------------------

/**
 * The ISA does not define the bits of a policy. These constants are the bits that an H200 produces, but without the
 * fraction. In a policy, bits 52 to 55 contain the fraction, in units of 1/16; in these constants, they are 0.
 */
const policies: Readonly<Record<string, bigint>> = {
  '.L2::evict_unchanged': 0x1000000000000000n,
  '.L2::evict_first': 0x1200000000000000n,
  '.L2::evict_last': 0x1400000000000000n,
  '.L2::evict_normal': 0x1600000000000000n,
};

const wholeFraction = 0x00f0000000000000n;

const policyOf = (variant: Variant): bigint => policies[variant.modifiers['priority'] ?? ''] ?? 0n;

const policySteps: InstructionForm['steps'] = (variant): readonly Step[] => [
  { kind: 'constant', to: '$d', value: policyOf(variant) + wholeFraction },
];

/** Computes sixteen times the fraction, rounded down; the fraction 1 becomes 15. */
const fractionSteps: InstructionForm['steps'] = (variant): readonly Step[] => [
  constant('$sixteen', 0x41800000),
  { kind: 'float', fn: 'mul', format: 'f32', mode: plainMode, to: '$product', from: ['$fraction', '$sixteen'] },
  {
    kind: 'convert',
    conversion: { ...plainConversion('f32', 'u32'), rounding: 'rz', integral: true },
    to: '$whole',
    from: '$product',
    random: null,
    scale: null,
  },
  constant('$most', 15),
  integer('min', 'u32', '$share', '$whole', '$most'),
  resize('$wide', 'u64', '$share', 'u32'),
  constant('$place', 52),
  bits('shl', 64, '$moved', '$wide', '$place'),
  { kind: 'constant', to: '$policy', value: policyOf(variant) },
  bits('or', 64, '$d', '$policy', '$moved'),
];

const policyRows = [row('createpolicy', ofPolicies)];
const policy = write('d', '.u64');

const creation: readonly InstructionForm[] = [
  ...[[], [read('fraction', '.f32', { fraction: true })]].map((fraction) =>
    exact({
      id: `createpolicy.fractional${fraction.length === 0 ? '' : '.part'}`,
      section: '9.7.9.18',
      syntax: `createpolicy.fractional.primary{.secondary}.b64  d${fraction.length === 0 ? '' : ', fraction'}`,
      summary: 'Creates a cache policy for a fraction of the accesses; its bits are opaque.',
      availability: policyRows,
      operands: [policy, ...fraction],
      steps: fraction.length === 0 ? policySteps : fractionSteps,
    }),
  ),
  exact({
    id: 'createpolicy.range',
    section: '9.7.9.18',
    syntax: 'createpolicy.range{.global}.primary{.secondary}.b64  d, [a], primary-size, total-size',
    summary: 'Creates a cache policy for a range of addresses; its bits are opaque.',
    availability: policyRows,
    operands: [
      policy,
      address,
      read('primary-size', '.u32', { atMost: 'total-size', unpacked: true }),
      read('total-size', '.u32', { unpacked: true }),
    ],
    steps: policySteps,
  }),
  exact({
    id: 'createpolicy.cvt',
    section: '9.7.9.18',
    syntax: 'createpolicy.cvt.L2.b64  d, access-property',
    summary: 'Creates a cache policy from a CUDA access property; its bits are opaque.',
    availability: policyRows,
    operands: [policy, read('access-property', '.u64')],
    steps: (): readonly Step[] => [{ kind: 'copy', to: '$d', from: '$access-property' }],
  }),
];

/** prefetch, prefetchu, applypriority, discard and createpolicy. */
export const cacheForms = (): readonly InstructionForm[] => [...lines, ...creation];
