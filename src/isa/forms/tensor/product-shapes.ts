/** The shapes of products in tensor memory (PTX ISA 9.1, section 9.7.16.2.1). */
import type { ProductShapes } from '../../tensor-product.ts';

/** The options on which the shapes of a product depend. */
export interface ShapeOptions {
  readonly sparse: boolean;
  readonly stationary: boolean;
  readonly blocks: 1 | 2;
}

/** How the elements are multiplied: as floats, as floats with scale factors, or as integers. */
export type ShapeKind = 'plain' | 'scaled' | 'integer';

/** The multiples of `step` up to 256. */
const every = (step: number): readonly number[] => Array.from({ length: 256 / step }, (_, i) => step * (i + 1));

const byBlocks: Readonly<Record<ShapeKind, Readonly<Record<1 | 2, ProductShapes>>>> = {
  plain: { 1: { m: [64, 128], n: every(8) }, 2: { m: [128, 256], n: every(16) } },
  scaled: { 1: { m: [128], n: every(8) }, 2: { m: [128, 256], n: every(16) } },
  integer: {
    1: { m: [64, 128], n: [8, 24, ...every(16)].sort((a, b) => a - b) },
    2: { m: [128, 256], n: every(32) },
  },
};

export function shapesOf(kind: ShapeKind, { sparse, stationary, blocks }: ShapeOptions): ProductShapes {
  if (stationary) return { m: [32, 64, 128], n: sparse ? [64, 128] : [64, 128, 256] };
  const shapes = byBlocks[kind][blocks];
  return kind === 'scaled' && blocks === 2 && sparse ? { ...shapes, m: [256] } : shapes;
}
