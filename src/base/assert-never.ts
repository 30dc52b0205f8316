/** Ends an exhaustive switch: the call fails to typecheck if a member of the union is not handled. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
