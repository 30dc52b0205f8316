/** Does nothing, because browsers that support the features enable them by default. */
export const enableWasmFeatures = (): void => undefined;
