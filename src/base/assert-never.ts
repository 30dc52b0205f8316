/** Ends an exhaustive switch: a member of the union that nobody handled does not typecheck. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
