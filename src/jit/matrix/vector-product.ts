/**
 * Computes matrix products four columns at a time. If a term of a product of floats is out of range, the generated
 * function reports this, and the code from product.ts then computes the product again, term by term.
 */
import type { MatrixProduct } from '../../isa/matrix-product.ts';
import type { Code } from '../../wasm/code.ts';
import type { Carriers } from '../groups/stop.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { productContext } from './context.ts';
import { multiplyFloatVectors } from './vector-floats.ts';
import { multiplyIntegerVectors } from './vector-integers.ts';
import { vectorRooms } from './vector-layout.ts';

/**
 * Writes a function with the parameters of `exchangeType`. The function returns a nonzero number if the product still
 * has to be computed term by term.
 */
export function writeVectorProduct(code: Code, shape: KernelShape, product: MatrixProduct, carriers: Carriers): void {
  const rooms = vectorRooms(product);
  const context = productContext(code, shape, product, carriers, rooms.size);
  switch (product.kind) {
    case 'float':
      multiplyFloatVectors({ ...context, product }, rooms);
      return;
    case 'integer':
    case 'bits':
      multiplyIntegerVectors({ ...context, product }, rooms);
      code.i32(0);
      return;
    case 'double':
    case 'stepwise':
      throw new Error(`${product.kind} products have no vector form`);
  }
}
