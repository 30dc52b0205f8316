/**
 * Exchanges values between the lanes of a warp (sections 9.7.9.6 and 9.7.13.9 to 9.7.13.14 of PTX ISA 9.1): the
 * generated functions compute each lane's result from the values that the lanes have sent. Each generated function
 * handles one group. Its parameters are the address in the frame at which the words of lane 0 are stored, the thread
 * index of lane 0, and the set of lanes that form the group.
 */
import { elementAt } from '../../base/element-at.ts';
import { type Collective, keyOf } from '../../isa/collective.ts';
import type { Code } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import type { VectorOpcode } from '../../wasm/simd-opcodes.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { giveLanes, lanesWith, pushLanes, pushMembership, quads } from './lanes.ts';
import { writeShuffle } from './shuffle.ts';
import { writeAddresses, writeTranspose } from '../matrix/addresses.ts';
import { writeProduct } from '../matrix/product.ts';
import { type Carriers, carriersOf } from './stop.ts';

export const exchangeType: FunctionType = { parameters: ['i32', 'i32', 'i32'], results: [] };

/** Returns the index of the function that handles any group for this instruction. */
export function groupExchange(shape: KernelShape, collective: Collective): number {
  return shape.helpers.function(`exchange ${keyOf(collective)}`, exchangeType, (code) =>
    new Exchange(code, shape, collective).write(collective),
  );
}

class Exchange {
  private readonly code: Code;
  private readonly shape: KernelShape;
  private readonly words = 0;
  private readonly first = 1;
  private readonly members = 2;
  private readonly carriers: Carriers;

  constructor(code: Code, shape: KernelShape, collective: Collective) {
    this.code = code;
    this.shape = shape;
    this.carriers = carriersOf(shape.frame, collective);
  }

  write(collective: Collective): void {
    switch (collective.form) {
      case 'shfl':
        writeShuffle(this.code, this.shape, { mode: collective.mode, bounds: null, tellsBounds: true });
        return;
      case 'vote':
        this.vote(collective.mode);
        return;
      case 'match':
        if (collective.mode === 'any') this.matchAny();
        else this.matchAll();
        return;
      case 'redux':
        this.reduce(collective);
        return;
      case 'elect':
        this.elect();
        return;
      case 'active':
        this.give(0, this.members, () => this.code.get(this.members));
        return;
      case 'sync':
        return;
      case 'transpose':
        writeTranspose(this.code, this.shape.layout.origin, this.carriers);
        return;
      case 'addresses':
        writeAddresses(this.code, this.shape.layout.origin, collective.plan, this.carriers);
        return;
      case 'mma':
        writeProduct(this.code, this.shape, collective, this.carriers);
        return;
    }
  }

  private vote(mode: 'all' | 'any' | 'uni' | 'ballot'): void {
    const { code, members } = this;
    const [ballot, result] = [code.local('i32'), code.local('i32')];
    pushLanes(code, (quad) => {
      this.loadQuad(quad);
      code.words(0, 0, 0, 0).vector('i32x4.ne');
    });
    code.get(members).op('i32.and').tee(ballot).set(result);
    const all = (): Code => code.get(ballot).get(members).op('i32.eq');
    if (mode === 'all') all().set(result);
    if (mode === 'any') code.get(ballot).i32(0).op('i32.ne').set(result);
    if (mode === 'uni') all().get(ballot).op('i32.eqz', 'i32.or').set(result);
    this.give(0, members, () => code.get(result));
  }

  /** Stores, for each lane, the set of all lanes that sent the same value as this lane. */
  private matchAny(): void {
    const { code } = this;
    const [left, same] = [code.local('i32'), code.local('i32')];
    code.get(this.members).set(left);
    code.loop((again) => {
      this.pushSame(left);
      code.set(same);
      this.give(0, same, () => code.get(same));
      code.get(left).get(same).op('i32.xor').tee(left).brIf(again);
    });
  }

  private matchAll(): void {
    const { code, members } = this;
    const [agree, mask] = [code.local('i32'), code.local('i32')];
    this.pushSame(members);
    code.get(members).op('i32.eq').set(agree);
    code.get(members).i32(0).get(agree).op('select').set(mask);
    this.give(0, members, () => code.get(mask));
    this.give(1, members, () => code.get(agree));
  }

  /**
   * Finds the value that was sent by the lowest lane of a set, and pushes the set of all members that sent the same
   * value.
   */
  private pushSame(lanes: number): void {
    const { code, shape } = this;
    const { origin } = shape.layout;
    const { type, array } = elementAt(this.carriers.sends, 0);
    // The offset of lane 0 in an array of 64-bit elements is twice its offset in an array of 32-bit elements.
    const address = (): Code => {
      code.get(this.words);
      if (type === 'i64') code.get(this.first).i32(2).op('i32.shl', 'i32.add');
      return code.i32(array).op('i32.add');
    };
    address();
    address()
      .get(lanes)
      .op('i32.ctz')
      .i32(type === 'i32' ? 2 : 3)
      .op('i32.shl', 'i32.add')
      .memory(`${type}.load`, origin);
    code
      .call(lanesWith(shape.helpers, origin, type))
      .get(this.members)
      .op('i32.and');
  }

  private reduce({ op, type }: Extract<Collective, { readonly form: 'redux' }>): void {
    const { code, members } = this;
    const [instruction, neutral] = reductionBy(op, type === 's32');
    const [total, moved, result] = [code.local('v128'), code.local('v128'), code.local('i32')];
    const outside = code.local('v128');
    code.i32(neutral).vector('i32x4.splat').tee(outside).set(total);
    for (const quad of quads) {
      code.get(total);
      this.loadQuad(quad);
      code.get(outside);
      pushMembership(code, members, quad);
      code.vector('v128.bitselect', instruction).set(total);
    }
    for (const words of [
      [2, 3, 0, 1],
      [1, 0, 3, 2],
    ]) {
      code
        .get(total)
        .get(total)
        .shuffle(words.flatMap((word) => [0, 1, 2, 3].map((byte) => 4 * word + byte)));
      code.set(moved);
      code.get(total).get(moved).vector(instruction).set(total);
    }
    code.get(total).lane('i32x4.extract_lane', 0).set(result);
    this.give(0, members, () => code.get(result));
  }

  private elect(): void {
    const { code, members } = this;
    const leader = code.local('i32');
    code.get(members).op('i32.ctz').set(leader);
    this.give(0, members, () => code.get(leader));
    this.give(1, members, () => code.i32(0));
    code.i32(1).get(leader).op('i32.shl').set(leader);
    this.give(1, leader, () => code.i32(1));
  }

  /** Calls `push`, which pushes a word, and stores that word as the result of every lane in a set. */
  private give(index: number, lanes: number, push: () => unknown): void {
    const { code, shape } = this;
    code.get(this.words).i32(elementAt(this.carriers.receives, index).array).op('i32.add').get(lanes);
    push();
    code.call(giveLanes(shape.helpers, shape.layout.origin));
  }

  private loadQuad(quad: number): void {
    const { array } = elementAt(this.carriers.sends, 0);
    this.code.get(this.words).vectorMemory('v128.load', this.shape.layout.origin + array + 16 * quad);
  }
}

/** The vector instruction that performs a reduction, and the identity element of that reduction. */
function reductionBy(
  op: Extract<Collective, { readonly form: 'redux' }>['op'],
  signed: boolean,
): readonly [VectorOpcode, number] {
  switch (op) {
    case 'min':
      return signed ? ['i32x4.min_s', 0x7fffffff] : ['i32x4.min_u', 0xffffffff];
    case 'max':
      return signed ? ['i32x4.max_s', 0x80000000] : ['i32x4.max_u', 0];
    case 'add':
      return ['i32x4.add', 0];
    case 'and':
      return ['v128.and', 0xffffffff];
    case 'or':
    case 'xor':
      return [`v128.${op}`, 0];
  }
}
