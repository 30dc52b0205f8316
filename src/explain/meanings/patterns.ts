/** The meanings of families of modifiers whose names contain numbers or other variable parts, such as `.m16n8k16`. */

export interface MeaningPattern {
  /** Opcodes, or their first words, as in `by-opcode.ts`; null for all. */
  readonly opcodes: readonly string[] | null;
  readonly pattern: RegExp;
  /** Returns the meaning of a modifier, given the text that each of the pattern's named groups matches. */
  readonly meaning: (parts: Readonly<Record<string, string>>) => string;
}

/** If two rows match, the first one applies. */
export const meaningPatterns: readonly MeaningPattern[] = [
  {
    opcodes: null,
    pattern: /^\.m(?<m>\d+)n(?<n>\d+)k(?<k>\d+)$/,
    meaning: ({ m, n, k }) => `A is ${m} by ${k}, B is ${k} by ${n}, and the result is ${m} by ${n}`,
  },
  {
    opcodes: null,
    pattern: /^\.m(?<m>\d+)n(?<n>\d+)$/,
    meaning: ({ m, n }) => `matrices of ${m} rows and ${n} columns`,
  },
  {
    opcodes: ['ldmatrix', 'stmatrix'],
    pattern: /^\.x(?<count>\d+)$/,
    meaning: ({ count }) => (count === '1' ? 'one matrix' : `${count} matrices`),
  },
  {
    opcodes: ['tcgen05'],
    pattern: /^\.x(?<count>\d+)$/,
    meaning: ({ count }) => (count === '1' ? 'the shape once' : `the shape ${count} times, along the columns`),
  },
  {
    opcodes: null,
    pattern: /^\.(?<lanes>\d+)x(?<bits>\d+)b$/,
    meaning: ({ lanes, bits }) => `${lanes} lanes of ${bits} bits`,
  },
  {
    opcodes: null,
    pattern: /^\.(?<lanes>\d+)x(?<bits>\d+)bx2$/,
    meaning: ({ lanes, bits }) => `${lanes} lanes of ${bits} bits, twice: the second time from further columns`,
  },
  {
    opcodes: null,
    pattern: /^\.scale_vec::(?<count>\d)X$/,
    meaning: ({ count }) => `${count === '1' ? 'one scale factor' : `${count} scale factors`} along K`,
  },
  {
    opcodes: null,
    pattern: /^\.block(?<size>\d+)$/,
    meaning: ({ size }) => `one scale factor for each ${size} elements along K`,
  },
  ...(
    [
      ['fill', 'is filled with the matrix'],
      ['use', 'already holds the matrix'],
      ['lastuse', 'already holds the matrix, which is not needed afterwards'],
      ['discard', 'may be dropped afterwards'],
    ] as const
  ).map(([word, words]) => ({
    opcodes: null,
    pattern: new RegExp(`^\\.collector::(?<buffer>a|b\\d)::${word}$`),
    meaning: ({ buffer }: Readonly<Record<string, string>>) => `the collector buffer ${buffer} ${words}`,
  })),
  ...(
    [
      ['evict_first', 'is evicted first'],
      ['evict_last', 'is evicted last'],
      ['evict_normal', 'is evicted with normal priority'],
      ['evict_unchanged', 'keeps its priority of eviction'],
    ] as const
  ).map(([word, words]) => ({
    opcodes: null,
    pattern: new RegExp(`^\\.(?<cache>L[12])::${word}$`),
    meaning: ({ cache }: Readonly<Record<string, string>>) => `the line in the ${cache} cache ${words}`,
  })),
  {
    opcodes: null,
    pattern: /^\.(?<cache>L[12])::(?<bytes>\d+)B$/,
    meaning: ({ cache, bytes }) => `prefetch ${bytes} bytes to the ${cache} cache`,
  },
];
