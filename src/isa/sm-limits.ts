/** Maximum number of threads in a block, on every GPU. */
export const threadLimit = 1024;

/** How many blocks and threads fit on one SM, as determined from the warnings of ptxas 13.0. */
export interface SmLimits {
  readonly blocks: number;
  readonly threads: number;
}

/** The limits by architecture number. Architectures that ptxas 13.0 does not support are missing. */
export const smLimits: Readonly<Record<number, SmLimits>> = {
  75: { blocks: 16, threads: 1024 },
  80: { blocks: 32, threads: 2048 },
  86: { blocks: 16, threads: 1536 },
  87: { blocks: 16, threads: 1536 },
  88: { blocks: 16, threads: 1536 },
  89: { blocks: 24, threads: 1536 },
  90: { blocks: 32, threads: 2048 },
  100: { blocks: 32, threads: 2048 },
  103: { blocks: 32, threads: 2048 },
  110: { blocks: 24, threads: 1536 },
  120: { blocks: 24, threads: 1536 },
  121: { blocks: 24, threads: 1536 },
};

/** The numbers of registers that `.maxnreg` can set for each thread. */
export const registersPerThread = { least: 24, most: 255 } as const;
