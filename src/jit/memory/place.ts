/**
 * Handles accesses that the inline check does not find clearly valid. A function for each kind of access checks
 * further, and asks the engine if necessary.
 */
import { windowBase, windowBits } from '../../machine/address-space.ts';
import type { FunctionType } from '../../wasm/module.ts';
import { type AccessFacts, type BoundedSpace, type CheckLowering, isQuick, writeQuickCheck } from './checks.ts';

/**
 * Returns the index of the function (context, call, address, thread, fuel, base of the activation) → address in global
 * memory.
 */
export function placeFunction({ helpers, layout, program }: Omit<CheckLowering, 'code'>, facts: AccessFacts): number {
  const { space, access, size } = facts;
  const key = `place ${space} ${access} ${size} ${program.localBytes} ${program.entry}`;
  return helpers.function(key, placeType, (code) => {
    const [effective, thread, fuel, base] = [2, 3, 4, 5] as const;
    const locals = { context: 0, thread, fuel, base: program.entry ? null : base };
    const lowering = { code, layout, helpers, program, locals };
    const at = code.local('i32');
    const attempt = (one: AccessFacts, address: number): void => {
      code.block((slow) => {
        writeQuickCheck(lowering, one, { effective: address, at, slow });
        code.get(at).op('return');
      });
    };
    if (isQuick(facts)) {
      attempt(facts, effective);
      if (space === 'generic')
        writeWindows(lowering, effective, (inner, offset) => attempt({ ...facts, space: inner }, offset));
    }
    code.get(1).get(effective).get(thread).get(fuel).call(helpers.import('resolve'));
  });
}

const placeType: FunctionType = { parameters: ['i32', 'i32', 'i64', 'i32', 'i32', 'i32'], results: ['i32'] };

/**
 * Tries the far windows of shared and local memory, which programs use through generic addresses. Without checks, any
 * offset counts as valid, so the window itself must be tested first.
 */
function writeWindows(
  { code, program, layout }: CheckLowering,
  address: number,
  attempt: (space: BoundedSpace, offset: number) => void,
): void {
  const offset = code.local('i64');
  for (const space of ['shared', 'local'] as const) {
    if (space === 'local' && program.localBytes === 0) continue;
    code.block((other) => {
      code.get(address).i64(windowBase(space, 64)).op('i64.sub').set(offset);
      if (!layout.checked)
        code
          .get(offset)
          .i64(2n ** BigInt(windowBits(64)))
          .op('i64.ge_u')
          .brIf(other);
      attempt(space, offset);
    });
  }
}
