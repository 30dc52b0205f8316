/**
 * Imports a module that a user wrote. This file must not import others: in the bundle of the command line, Node loads it
 * itself, because it is the only file there in which `import()` is called.
 */
export async function importUrl(url: string): Promise<unknown> {
  return import(url);
}
