import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Runs V8's garbage collector. */
export const collectGarbage: () => void = ((): (() => void) => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();
