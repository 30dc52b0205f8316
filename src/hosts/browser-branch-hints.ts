/** Browsers that know branch hints read them without being asked. */
export const readBranchHints = (): void => undefined;
