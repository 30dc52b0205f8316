/**
 * Handles accesses that the inline check could not prove to be valid. Each kind of access has its own function, which
 * checks the access more thoroughly and calls the engine if necessary.
 */
import { rankOfFirst, rankShift } from '../../isa/spaces.ts';
import { windowBase, windowBits } from '../../machine/memory/address-space.ts';
import { clusterLimit } from '../../machine/launch.ts';
import type { FunctionType } from '../../wasm/module.ts';
import { pushField } from '../context-field.ts';
import { context } from '../layout.ts';
import { windowed } from './windows.ts';
import { type AccessFacts, type BoundedSpace, type CheckLowering, isQuick, sizeOf, writeQuickCheck } from './checks.ts';

/**
 * Returns the index of a function that finds the address in global memory to which an access refers. The parameters of
 * the function are the context, the number of the engine call, the address, the thread, the remaining fuel and the base
 * of the activation.
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
        writeWindows(lowering, effective, facts, (inner, offset) => attempt({ ...facts, space: inner }, offset));
      if (layout.reachesOtherBlocks && (space === 'generic' || space === 'shared'))
        writeOtherBlocks(lowering, effective, facts);
    }
    code.get(1).get(effective).get(thread).get(fuel).call(helpers.import('resolve'));
  });
}

/**
 * Writes code that handles accesses to the shared memory of any block in the cluster. If the access is valid, the code
 * returns its address in global memory.
 */
function writeOtherBlocks({ code, layout }: CheckLowering, address: number, { space, size }: AccessFacts): void {
  const [offset, rank] = [code.local('i64'), code.local('i64')];
  const [start, own] = [code.local('i32'), code.local('i32')];
  code.block((other) => {
    code.get(address);
    if (space === 'generic') code.i64(windowBase('shared', 64)).op('i64.sub');
    code
      .tee(offset)
      .i64(BigInt(rankShift))
      .op('i64.shr_u')
      .i64(BigInt(rankOfFirst))
      .op('i64.sub')
      .tee(rank)
      .i64(BigInt(clusterLimit))
      .op('i64.ge_u')
      .brIf(other);
    code.get(0).get(rank).op('i32.wrap_i64').i32(2).op('i32.shl', 'i32.add');
    code
      .memory('i32.load', layout.origin + context.clusterMemories)
      .tee(start)
      .op('i32.eqz')
      .brIf(other);
    code
      .get(offset)
      .op('i32.wrap_i64')
      .i32(2 ** rankShift - 1)
      .op('i32.and')
      .tee(own)
      .i32(size)
      .op('i32.add');
    pushField(code, layout, 'sharedSize').op('i32.gt_u');
    code
      .get(own)
      .i32(size - 1)
      .op('i32.and', 'i32.or')
      .brIf(other);
    code.get(start).get(own).op('i32.add', 'return');
  });
}

const placeType: FunctionType = { parameters: ['i32', 'i32', 'i64', 'i32', 'i32', 'i32'], results: ['i32'] };

/**
 * Writes code that handles generic addresses in the far windows. If checks are turned off, `attempt` accepts any
 * offset, so the code must first test whether the address lies in the window.
 */
function writeWindows(
  lowering: CheckLowering,
  address: number,
  facts: AccessFacts,
  attempt: (space: BoundedSpace, offset: number) => void,
): void {
  const { code, layout } = lowering;
  const offset = code.local('i64');
  for (const space of windowed) {
    if (!isQuick({ ...facts, space }) || (space !== 'shared' && sizeOf(lowering, space) === 0)) continue;
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
