import { mulberry32 } from '../mulberry32.ts';

/** Random choices, determined by a seed. */
export class RandomSource {
  /** Returns 32 random bits. */
  readonly bits: () => number;

  constructor(seed: number) {
    this.bits = mulberry32(seed);
  }

  /** A number from 0 up to, but not including, 1. */
  fraction(): number {
    return this.bits() / 2 ** 32;
  }

  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** True with a probability of `chance` percent. */
  percent(chance: number): boolean {
    return this.below(100) < chance;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  /** Picks `count` different elements of a list. */
  sample<T>(from: readonly T[], count: number): readonly T[] {
    const left = [...from];
    return Array.from({ length: count }, () => left.splice(this.below(left.length), 1)[0] as T);
  }
}
