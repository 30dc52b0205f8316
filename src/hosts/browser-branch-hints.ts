/** Browsers that support branch hints read them by default. */
export const readBranchHints = (): void => undefined;
