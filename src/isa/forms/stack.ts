/**
 * alloca, stacksave and stackrestore: PTX ISA 9.1, 9.7.15. They are checked only: local memory has no part that grows
 * while a function runs.
 */
import { type InstructionForm, type OperandPattern, read, write } from '../form.ts';
import { at } from '../targets.ts';
import type { TypeName } from '../types.ts';

const sizes: readonly TypeName[] = ['.u32', '.u64'];

function form(syntax: string, id: string, section: string, summary: string, operands: readonly OperandPattern[]) {
  const made: InstructionForm = {
    id,
    section,
    syntax,
    summary,
    sets: { type: sizes },
    regime: 'exact',
    availability: [{ subject: id.split('.')[0] ?? id, ways: [at('7.3', 52)] }],
    operands,
    steps: (variant) => [{ kind: 'unsupported', what: variant.mnemonic }],
  };
  return made;
}

const powersOfTwo: readonly number[] = Array.from({ length: 31 }, (_, i) => 2 ** i);
const alignment = read('alignment', '.u32', { constantOnly: true, oneOf: powersOfTwo });
const size = read('size', 0);
const ptr = write('ptr', 0);

/** alloca, stacksave and stackrestore. */
export const stackForms: readonly InstructionForm[] = [
  form('alloca.type  ptr, size', 'alloca', '9.7.15.3', 'Takes bytes from the stack of the function.', [ptr, size]),
  form('alloca.type  ptr, size, alignment', 'alloca.aligned', '9.7.15.3', 'Takes aligned bytes from the stack.', [
    ptr,
    size,
    alignment,
  ]),
  form('stacksave.type  d', 'stacksave', '9.7.15.1', 'The place where the stack ends.', [write('d', 0)]),
  form('stackrestore.type  a', 'stackrestore', '9.7.15.2', 'Ends the stack where stacksave found it.', [
    read('a', 0, { registerOnly: true }),
  ]),
];
