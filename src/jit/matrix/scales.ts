/** Decodes block scales and multiplies products by them. */
import { elementAt } from '../../base/element-at.ts';
import type { MatrixProduct, Scaling } from '../../isa/matrix-product.ts';
import { decodedBytes, type ProductContext, registersOf, words } from './context.ts';
import { decodeFunction, notFinite, undefinedValue } from './decoded.ts';
import { repeat } from './lanes.ts';

/** Number of operands for the scales of one matrix: the scales themselves, the byte-id and the thread-id. */
const perSide = 3;

type FloatContext = ProductContext<Extract<MatrixProduct, { readonly kind: 'float' }>>;

export class ScaleWriter {
  private readonly context: FloatContext;
  private readonly scaling: Scaling;
  /**
   * Locals for the words that contain the scales of the current row and column. The words have been rotated so that the
   * scales in use are in the lowest bytes.
   */
  private readonly wordA: number;
  private readonly wordB: number;

  constructor(context: FloatContext, scaling: Scaling) {
    this.context = context;
    this.scaling = scaling;
    this.wordA = context.code.local('i32');
    this.wordB = context.code.local('i32');
  }

  /** Finds the scales of a row and a column. */
  find(row: number, column: number): void {
    const { code } = this.context;
    const lane = code.local('i32');
    code.get(row).i32(7).op('i32.and').i32(2).op('i32.shl').get(row).i32(3).op('i32.shr_u', 'i32.add');
    this.pushOperand(2);
    code.i32(1).op('i32.and').i32(1).op('i32.shl', 'i32.add').set(lane);
    this.readWord(lane, 0, this.wordA);
    code.get(column).i32(2).op('i32.shl');
    this.pushOperand(perSide + 2);
    code.i32(3).op('i32.and', 'i32.add').set(lane);
    this.readWord(lane, perSide, this.wordB);
  }

  /** Multiplies the terms. */
  apply(terms: number): void {
    if (this.scaling.group === 1) this.scaleEach(terms);
    else this.addGroups(terms);
  }

  private carrier(operand: number): number {
    const { product, carriers } = this.context;
    const before = registersOf(product) + (product.sparsity === null ? 0 : 2);
    return elementAt(carriers.sends, before + operand).array;
  }

  /** Pushes the value of an operand in lane 0. */
  private pushOperand(operand: number): void {
    const { code, shape } = this.context;
    code.get(words).memory('i32.load', shape.layout.origin + this.carrier(operand));
  }

  /** Loads an operand of a lane into a local, and rotates it so that the first byte in use becomes the lowest byte. */
  private readWord(lane: number, operand: number, to: number): void {
    const { code, shape } = this.context;
    code.get(words).get(lane).i32(2).op('i32.shl', 'i32.add');
    code.memory('i32.load', shape.layout.origin + this.carrier(operand));
    code.i32(0);
    this.pushOperand(operand + 1);
    code.i32(3).op('i32.shl', 'i32.sub', 'i32.rotl').set(to);
  }

  /** Sets locals to a scale's significand and exponent. */
  private decodeScale(word: number, block: number, significand: number, exponent: number): void {
    const { code, shape } = this.context;
    const pushScale = (): void => {
      code
        .get(word)
        .i32(8 * block)
        .op('i32.shr_u')
        .i32(this.scaling.format === 'ue8m0' ? 0xff : 0x7f)
        .op('i32.and');
    };
    if (this.scaling.format === 'ue8m0') {
      code.i32(1).set(significand);
      pushScale();
      code.i32(127).op('i32.sub').set(exponent);
      code
        .get(exponent)
        .i32(128)
        .op('i32.eq')
        .if(() => code.i32(undefinedValue).set(exponent));
      return;
    }
    const decoded = code.local('i64');
    pushScale();
    code.call(decodeFunction(shape.helpers, 'e4m3')).tee(decoded).op('i32.wrap_i64').set(significand);
    code.get(decoded).i64(32n).op('i64.shr_s', 'i32.wrap_i64').set(exponent);
  }

  /** The exponents of both scales are added to the exponent of each nonzero product. */
  private scaleEach(terms: number): void {
    const { context } = this;
    const { code, product, shape } = context;
    const { origin } = shape.layout;
    const [unused, added, other, at] = [code.local('i32'), code.local('i32'), code.local('i32'), code.local('i32')];
    this.decodeScale(this.wordA, 0, unused, added);
    this.decodeScale(this.wordB, 0, unused, other);
    code.get(added).get(other).op('i32.add').set(added);
    repeat(
      code,
      at,
      product.a.fragment.columns * decodedBytes,
      () => {
        const place = (): void => {
          code.get(terms).get(at).op('i32.add');
        };
        place();
        code
          .memory('i32.load', origin)
          .get(added)
          .i32(notFinite)
          .op('i32.ge_s', 'i32.or')
          .if(() => {
            place();
            place();
            code
              .memory('i32.load', origin + 4)
              .get(added)
              .op('i32.add')
              .memory('i32.store', origin + 4);
          });
      },
      decodedBytes,
    );
    // A NaN scale makes every term NaN.
    code
      .get(added)
      .i32(notFinite)
      .op('i32.ge_s')
      .if(() => {
        code
          .get(terms)
          .i32(1)
          .memory('i32.store', origin)
          .get(terms)
          .i32(undefinedValue)
          .memory('i32.store', origin + 4);
      });
  }

  /**
   * Replaces the products of each group with a single term. The significand of this term is the exact sum of the
   * products, multiplied by the significands of the group's scales; its exponent includes the exponents of the scales.
   */
  private addGroups(terms: number): void {
    const { scaling, context } = this;
    const { product } = context;
    const groups = product.a.fragment.columns / scaling.group;
    for (let group = 0; group < groups; group++) this.addGroup(terms, group);
  }

  private addGroup(terms: number, group: number): void {
    const { scaling, context } = this;
    const { code, product, shape } = context;
    const { origin } = shape.layout;
    const [at, sum, any, term] = [code.local('i32'), code.local('i32'), code.local('i32'), code.local('i32')];
    const [sigA, expA, sigB, expB] = [code.local('i32'), code.local('i32'), code.local('i32'), code.local('i32')];
    code.i32(0).set(sum).i32(0).set(any);
    repeat(
      code,
      at,
      scaling.group * decodedBytes,
      () => {
        const place = (): void => {
          code.get(terms).get(at).op('i32.add');
        };
        const from = origin + group * scaling.group * decodedBytes;
        place();
        code
          .memory('i32.load', from)
          .tee(term)
          .if(() => {
            code.i32(1).set(any);
            code.get(sum).get(term);
            place();
            code
              .memory('i32.load', from + 4)
              .op('i32.shl', 'i32.add')
              .set(sum);
          });
      },
      decodedBytes,
    );
    const block = Math.floor((group * scaling.group) / scaling.block);
    this.decodeScale(this.wordA, block, sigA, expA);
    this.decodeScale(this.wordB, block, sigB, expB);
    const to = origin + group * decodedBytes;
    code.get(terms).get(sum).get(sigA).op('i32.mul').get(sigB).op('i32.mul').memory('i32.store', to);
    code.get(expA).get(expB).op('i32.add').set(expA);
    const counts = (): void => {
      code.get(any).get(sigA).op('i32.eqz', 'i32.eqz', 'i32.and').get(sigB).op('i32.eqz', 'i32.eqz', 'i32.and');
      code.get(expA).i32(notFinite).op('i32.ge_s', 'i32.or');
    };
    code.get(terms).get(expA).i32(product.arithmetic.zeroExponent);
    counts();
    code.op('select').memory('i32.store', to + 4);
    code
      .get(expA)
      .i32(notFinite)
      .op('i32.ge_s')
      .if(() => {
        code
          .get(terms)
          .i32(1)
          .memory('i32.store', to)
          .get(terms)
          .i32(undefinedValue)
          .memory('i32.store', to + 4);
      });
  }
}
