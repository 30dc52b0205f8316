/** Ends an exhaustive switch: an unhandled member of the union does not typecheck. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
