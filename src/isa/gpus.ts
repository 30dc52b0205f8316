/**
 * The GPUs whose arithmetic a launch can use. The target determines what is legal; the GPU determines what the ISA does
 * not specify, mainly the order of additions and the rounding in matrix instructions.
 */
import type { RecordedGpu } from '../numerics/conversion.ts';
import { type Target, type TargetName, targets } from './targets.ts';

export interface Gpu {
  /** The name of the GPU's architecture, such as `sm_90`. */
  readonly name: Architecture;
  readonly sm: number;
  /** The names of products with this architecture. */
  readonly chips: readonly string[];
  /** The GPU whose recorded results are used for conversions and approximate functions. */
  readonly recorded: RecordedGpu;
}

/** Products by architecture number. */
const chipRows = {
  60: ['P100'],
  61: ['P4', 'P40'],
  70: ['V100'],
  72: ['Xavier'],
  75: ['T4', 'RTX2080'],
  80: ['A100'],
  86: ['A2', 'A10', 'A40', 'A6000', 'RTX3090'],
  87: ['Orin'],
  89: ['L4', 'L40', 'L40S', 'RTX4090'],
  90: ['H100', 'H200', 'GH200'],
  100: ['B200', 'GB200'],
  103: ['B300', 'GB300'],
  107: ['Rubin'],
  110: ['Thor'],
  120: ['RTX5090'],
  121: ['GB10'],
} as const;

const chips: Readonly<Record<number, readonly string[]>> = chipRows;

/** The architectures whose conversions and approximate functions have been recorded. */
const recordedGpus: ReadonlyMap<number, RecordedGpu> = new Map([[90, 'sm_90']]);

/** A target without suffix: `sm_90`. */
type Architecture = Exclude<TargetName, `${string}${'a' | 'f'}`>;

/** The name of a GPU: its architecture, such as `sm_90`, or a product, such as `H100`. */
export type GpuName = Architecture | (typeof chipRows)[keyof typeof chipRows][number];

/** One GPU for each architecture, in ascending order. */
export const gpus: readonly Gpu[] = targets.flatMap(({ name, sm }) =>
  isArchitecture(name) ? [{ name, sm, chips: chips[sm] ?? [], recorded: recordedGpus.get(sm) ?? 'any' }] : [],
);

function isArchitecture(name: TargetName): name is Architecture {
  return !/[af]$/.test(name);
}

const byName: ReadonlyMap<string, Gpu> = new Map(
  gpus.flatMap((gpu) => [gpu.name, ...gpu.chips].map((name) => [name.toLowerCase(), gpu] as const)),
);

/**
 * The GPU with a name such as `sm_90`, `H100` or `GeForce RTX 4090`, in upper or lower case; undefined if the name is
 * unknown.
 */
export function findGpu(name: string): Gpu | undefined {
  return byName.get(name.toLowerCase()) ?? byName.get(name.toLowerCase().replace(/nvidia|geforce|tesla|[ -]/g, ''));
}

/** Explains how GPUs are named, for a message about a name that is not a GPU. */
export function gpuNames(name: unknown): string {
  const plain = typeof name === 'string' ? name.replace(/[af]$/i, '') : '';
  if (plain !== name && findGpu(plain) !== undefined) return `${name} is a target; its GPU is ${plain}`;
  return 'use an architecture such as sm_90 or a product such as H100';
}

/** The GPU of the target's own architecture. */
export function gpuOf({ sm }: Target): Gpu {
  const found = gpus.find((gpu) => gpu.sm === sm);
  if (found === undefined) throw new Error(`sm_${sm} has no GPU`);
  return found;
}

/** Version 9.0 of PTX renamed sm_101 to sm_110. */
export const todaysNumber = (sm: number): number => (sm === 101 ? 110 : sm);

/** Architectures of one family differ only in their last digit: sm_100 and sm_103, sm_120 and sm_121. */
const familyOf = (sm: number): number => Math.floor(sm / 10);

/**
 * Whether a GPU runs code for a target (section 11.1.2 of PTX ISA 9.1). If the target has no suffix, its code runs on
 * the target's own architecture and on all later ones. With the suffix `f`, it runs on the target's own architecture
 * and on later ones of the same family; with the suffix `a`, only on the target's own architecture.
 */
export function runsOn(target: Target, gpu: Gpu): boolean {
  const [sm, own] = [todaysNumber(target.sm), todaysNumber(gpu.sm)];
  if (target.suffix === 'a') return own === sm;
  return own >= sm && (target.suffix === '' || familyOf(own) === familyOf(sm));
}
