/**
 * Imports a module that a user wrote. This file must not import other files. It is the only file in the command-line
 * bundle that calls `import()`, which precompiled code must not do, so Node itself loads it.
 */
export async function importUrl(url: string): Promise<unknown> {
  return import(url);
}
