/** Variables that are not declared in the PTX text. */
import type { VariableSpace, VariableSymbol } from '../check/symbols.ts';
import { typeOf } from '../isa/types.ts';

const nowhere = { start: 0, end: 0 };

/** Creates a variable of `bytes` bytes, aligned to 16 bytes. The name of the variable appears in messages. */
export function hiddenVariable(name: string, space: VariableSpace, bytes: number): VariableSymbol {
  return {
    kind: 'variable',
    name,
    space,
    takenFor: null,
    linkage: null,
    type: typeOf('.b8'),
    declared: nowhere,
    variable: {
      ...nowhere,
      name,
      nameStart: 0,
      nameEnd: 0,
      count: null,
      dimensions: [bytes],
      initializer: null,
      type: '.b8',
      typeStart: 0,
      typeEnd: 0,
      vector: null,
      align: 16,
      pointer: null,
    },
  };
}
