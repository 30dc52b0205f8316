/**
 * Imports a module that a user wrote. This file must not import other files. In the command-line bundle, only this file
 * calls `import()`. Precompiled code must not call `import()`, so Node itself loads this file.
 */
export async function importUrl(url: string): Promise<unknown> {
  return import(url);
}
