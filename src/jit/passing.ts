/** What a whole warp or block does where all its threads have come to the same stop: it goes on without asking anybody. */
import type { Code } from '../wasm/code.ts';
import { exchangeFunction } from './exchange.ts';
import { pushField } from './context-field.ts';
import { constantAt, type KernelShape } from './kernel-shape.ts';
import type { Stop } from './stop.ts';

const allLanes = -1;

/** Returns the region behind the stop where nobody else is needed to pass it. The function has threads `first` to local 2. */
export function writePassing(code: Code, shape: KernelShape, number: number, first: number): void {
  const stop = shape.stops[number] as Stop;
  if (stop.step.kind === 'collective') passCollective(code, shape, stop, first);
  else if (stop.plainBarrier !== null) passBarrier(code, shape, stop, first);
}

/** The range is the whole block. */
function passBarrier(code: Code, shape: KernelShape, stop: Stop, first: number): void {
  code.get(2).get(first).op('i32.sub');
  pushField(code, shape.layout, 'threads').op('i32.eq');
  code.if(() => code.i32(stop.region).op('return'));
}

/** The range is a whole warp, and every thread waits for no other than these. */
function passCollective(code: Code, shape: KernelShape, stop: Stop, first: number): void {
  const members = code.local('i32');
  const count = (): Code => code.get(2).get(first).op('i32.sub');
  code.get(first).i32(31).op('i32.and', 'i32.eqz');
  count().i32(32).op('i32.eq').get(2);
  pushField(code, shape.layout, 'threads').op('i32.eq');
  count().i32(32).op('i32.lt_u', 'i32.and', 'i32.or', 'i32.and');
  code.if(() => {
    code.i32(allLanes).i32(1);
    count().op('i32.shl').i32(1).op('i32.sub');
    count().i32(32).op('i32.eq', 'select').set(members);
    const give = (): Code => {
      pushField(code, shape.layout, 'frames').get(first).i32(2).op('i32.shl', 'i32.add');
      return code.get(members);
    };
    const pass = (): void => {
      give().call(exchangeFunction(shape, stop));
      code.i32(stop.region).op('return');
    };
    if (maskOf(stop) === allLanes) pass();
    else give().call(coverFunction(shape)).if(pass);
  });
}

/** The mask where it is constant, or where there is none and all that have come go together. */
function maskOf({ step, program, instruction }: Stop): number | null {
  if (step.kind !== 'collective' || step.mask === null) return allLanes;
  const constant = constantAt(program, instruction.places.get(step.mask) ?? -1);
  return constant === null ? null : constant | 0;
}

/** Index of the function (words of the warp's first thread, members) → 1 where each member's mask names them all. */
function coverFunction({ helpers, layout, frame }: KernelShape): number {
  return helpers.function('covered', { parameters: ['i32', 'i32'], results: ['i32'] }, (code) => {
    const [words, members] = [0, 1];
    const left = code.local('i32');
    code.get(members).set(left);
    code.loop((again) => {
      code
        .get(members)
        .get(words)
        .memory('i32.load', layout.origin + frame.mask)
        .i32(-1)
        .op('i32.xor', 'i32.and');
      code.if(() => code.i32(0).op('return'));
      code.get(words).i32(4).op('i32.add').set(words);
      code.get(left).i32(1).op('i32.shr_u').tee(left).brIf(again);
    });
    code.i32(1);
  });
}
