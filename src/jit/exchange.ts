/** What lanes of a warp give each other (PTX ISA 9.7.9.6, 9.7.13.9 to 9.7.13.16): offers of the frame become results. */
import type { CollectiveFunction } from '../isa/steps/group.ts';
import type { FunctionType } from '../wasm/module.ts';
import { Code } from '../wasm/code.ts';
import { type KernelShape, constantAt } from './kernel-shape.ts';
import type { Stop } from './stop.ts';

const exchangeType: FunctionType = { parameters: ['i32', 'i32'], results: [] };
const lanes = Array.from({ length: 32 }, (_, lane) => lane);

/** Index of the function (words of the warp's lane 0 in the frame, members) that gives the members of a group their results. */
export function exchangeFunction(shape: KernelShape, { step, program, instruction }: Stop): number {
  if (step.kind !== 'collective') throw new Error('only threads of a warp exchange');
  const [, operand, bounds] = step.from.map((ref) => constantAt(program, instruction.places.get(ref) ?? -1));
  const fixed = step.fn.startsWith('shfl') && typeof operand === 'number' && typeof bounds === 'number';
  const key = `exchange ${step.fn} ${fixed ? `${operand} ${bounds}` : ''}`;
  return shape.helpers.function(key, exchangeType, (code) => {
    const exchange = new Exchange(code, shape);
    if (fixed) exchange.fixedShuffle(step.fn, operand & 31, bounds);
    else exchange.write(step.fn);
  });
}

/** Index of the function for any group, which the engine calls. */
export function groupExchange(shape: KernelShape, fn: CollectiveFunction): number {
  return shape.helpers.function(`exchange ${fn} `, exchangeType, (code) => new Exchange(code, shape).write(fn));
}

class Exchange {
  private readonly code: Code;
  private readonly shape: KernelShape;
  private readonly words = 0;
  private readonly members = 1;
  private readonly lane: number;
  /** Address of the lane's words. */
  private readonly own: number;

  constructor(code: Code, shape: KernelShape) {
    this.code = code;
    this.shape = shape;
    this.lane = code.local('i32');
    this.own = code.local('i32');
  }

  write(fn: CollectiveFunction): void {
    const [kind, operation = ''] = fn.split('.');
    switch (kind) {
      case 'shfl':
        this.shuffle(operation);
        return;
      case 'vote':
        this.vote(operation);
        return;
      case 'match':
        if (operation === 'any') this.matchAny();
        else this.matchAll();
        return;
      case 'redux':
        this.reduce(fn);
        return;
      case 'elect':
        this.elect();
        return;
      case 'active':
        this.giveAll(this.members);
        return;
      case 'sync':
        return;
      default:
        throw new Error(`lanes exchange nothing by ${fn}`);
    }
  }

  /** The whole warp by constants: sources and bounds are known for each lane. Other groups take the long way. */
  fixedShuffle(fn: CollectiveFunction, operand: number, bounds: number): void {
    const { code, shape } = this;
    code.get(this.members).i32(-1).op('i32.ne');
    code.if(() => {
      code.get(this.words).get(this.members);
      code.call(groupExchange(shape, fn)).op('return');
    });
    for (const lane of lanes) {
      const { source, inBounds } = sourceOf(fn.slice('shfl.'.length), lane, operand, bounds);
      code.get(this.words);
      code.get(this.words).memory('i32.load', this.offset(shape.frame.offers[0], inBounds ? source : lane));
      code.memory('i32.store', this.offset(shape.frame.results[0], lane));
      code.get(this.words).i32(inBounds ? 1 : 0);
      code.memory('i32.store', this.offset(shape.frame.results[1], lane));
    }
  }

  private shuffle(mode: string): void {
    const { code, lane } = this;
    const [segment, shift, source, limit, inBounds] = [0, 0, 0, 0, 0].map(() => code.local('i32')) as [
      number,
      number,
      number,
      number,
      number,
    ];
    this.eachMember(() => {
      this.offer(1).i32(31).op('i32.and').set(shift);
      this.offer(2).i32(8).op('i32.shr_u').i32(31).op('i32.and').set(segment);
      const outside = (): Code => code.get(segment).i32(-1).op('i32.xor');
      code.get(lane).get(segment).op('i32.and');
      this.offer(2).i32(31).op('i32.and');
      outside().op('i32.and', 'i32.or').set(limit);
      if (mode === 'up') code.get(lane).get(shift).op('i32.sub');
      else if (mode === 'down') code.get(lane).get(shift).op('i32.add');
      else if (mode === 'bfly') code.get(lane).get(shift).op('i32.xor');
      else {
        code.get(lane).get(segment).op('i32.and').get(shift);
        outside().op('i32.and', 'i32.or');
      }
      code
        .tee(source)
        .get(limit)
        .op(mode === 'up' ? 'i32.ge_s' : 'i32.le_s')
        .set(inBounds);
      code.get(source).i32(31).op('i32.and').get(lane).get(inBounds);
      code.get(this.members).get(source).op('i32.shr_u').i32(1).op('i32.and', 'i32.and', 'select').set(source);
      this.result(0, () => {
        code.get(this.words).get(source).i32(2).op('i32.shl', 'i32.add');
        code.memory('i32.load', this.offset(this.shape.frame.offers[0]));
      });
      this.result(1, () => code.get(inBounds));
    });
  }

  private vote(operation: string): void {
    const { code, members } = this;
    const ballot = code.local('i32');
    this.eachMember(() => {
      this.offer(0).i32(0).op('i32.ne').get(this.lane).op('i32.shl').get(ballot).op('i32.or').set(ballot);
    });
    const all = (): Code => code.get(ballot).get(members).op('i32.eq');
    if (operation === 'all') all().set(ballot);
    if (operation === 'any') code.get(ballot).i32(0).op('i32.ne').set(ballot);
    if (operation === 'uni') all().get(ballot).op('i32.eqz', 'i32.or').set(ballot);
    this.giveAll(ballot);
  }

  private matchAny(): void {
    const { code, members } = this;
    const [other, at, same] = [code.local('i32'), code.local('i32'), code.local('i32')];
    this.eachMember(() => {
      code.i32(0).set(same).i32(0).set(other).get(this.words).set(at);
      code.loop((again) => {
        this.pushSame(at);
        code.get(other).op('i32.shl').get(same).op('i32.or').set(same);
        code.get(at).i32(4).op('i32.add').set(at);
        code.get(other).i32(1).op('i32.add').tee(other).i32(32).op('i32.lt_u').brIf(again);
      });
      this.result(0, () => code.get(same).get(members).op('i32.and'));
    });
  }

  private matchAll(): void {
    const { code, members } = this;
    const [first, same] = [code.local('i32'), code.local('i32')];
    code.get(this.words).get(members).op('i32.ctz').i32(2).op('i32.shl', 'i32.add').set(first);
    code.i32(1).set(same);
    this.eachMember(() => {
      this.pushSame(first);
      code.get(same).op('i32.and').set(same);
    });
    const mask = code.local('i32');
    code.get(members).i32(0).get(same).op('select').set(mask);
    this.eachMember(() => {
      this.result(0, () => code.get(mask));
      this.result(1, () => code.get(same));
    });
  }

  /** Pushes 1 where the lane's value is the same as that of the lane with its words at the address in the local. */
  private pushSame(at: number): void {
    const { code, shape } = this;
    const { offers, offerHigh } = shape.frame;
    [offers[0] as number, offerHigh].forEach((array, i) => {
      code.get(this.own).memory('i32.load', this.offset(array)).get(at).memory('i32.load', this.offset(array));
      code.op('i32.xor');
      if (i > 0) code.op('i32.or', 'i32.eqz');
    });
  }

  private reduce(fn: CollectiveFunction): void {
    const { code } = this;
    const [, operation = '', type = ''] = fn.split('.');
    const [total, value] = [code.local('i32'), code.local('i32')];
    const suffix = type === 's32' ? 's' : 'u';
    const seen = code.local('i32');
    this.eachMember(() => {
      this.offer(0).set(value);
      code.get(seen).if(
        () => {
          if (operation === 'min' || operation === 'max') {
            code.get(total).get(value).get(total).get(value);
            code.op(`i32.${operation === 'min' ? 'lt' : 'gt'}_${suffix}`, 'select').set(total);
          } else
            code
              .get(total)
              .get(value)
              .op(`i32.${operation as 'add' | 'and' | 'or' | 'xor'}`)
              .set(total);
        },
        () => code.get(value).set(total).i32(1).set(seen),
      );
    });
    this.giveAll(total);
  }

  private elect(): void {
    const { code, members, lane } = this;
    const leader = code.local('i32');
    code.get(members).op('i32.ctz').set(leader);
    this.eachMember(() => {
      this.result(0, () => code.get(leader));
      this.result(1, () => code.get(lane).get(leader).op('i32.eq'));
    });
  }

  private giveAll(local: number): void {
    this.eachMember(() => this.result(0, () => this.code.get(local)));
  }

  private eachMember(body: () => void): void {
    const { code, lane, own } = this;
    code.i32(0).set(lane).get(this.words).set(own);
    code.loop((again) => {
      code.get(this.members).get(lane).op('i32.shr_u').i32(1).op('i32.and').if(body);
      code.get(own).i32(4).op('i32.add').set(own);
      code.get(lane).i32(1).op('i32.add').tee(lane).i32(32).op('i32.lt_u').brIf(again);
    });
  }

  private offer(index: number): Code {
    return this.code.get(this.own).memory('i32.load', this.offset(this.shape.frame.offers[index]));
  }

  private result(index: number, push: () => unknown): void {
    this.code.get(this.own);
    push();
    this.code.memory('i32.store', this.offset(this.shape.frame.results[index]));
  }

  private offset(array: number | undefined, lane = 0): number {
    return this.shape.layout.origin + (array ?? 0) + 4 * lane;
  }
}

/** Where a lane takes its value from, and whether that is in bounds. */
function sourceOf(mode: string, lane: number, shift: number, bounds: number): { source: number; inBounds: boolean } {
  const clamp = bounds & 31;
  const segment = (bounds >>> 8) & 31;
  const limit = (lane & segment) | (clamp & ~segment);
  const source =
    mode === 'up'
      ? lane - shift
      : mode === 'down'
        ? lane + shift
        : mode === 'bfly'
          ? lane ^ shift
          : (lane & segment) | (shift & ~segment);
  return { source: source & 31, inBounds: mode === 'up' ? source >= limit : source <= limit };
}
