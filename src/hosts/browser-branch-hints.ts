/** Does nothing, because browsers that support branch hints use them by default. */
export const readBranchHints = (): void => undefined;
