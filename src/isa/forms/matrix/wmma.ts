/**
 * wmma: PTX ISA 9.1, section 9.7.14.4. The ISA does not specify the layout of wmma fragments; ptxlab uses the layout of
 * mma fragments.
 */
import type { InstructionForm } from '../../form.ts';
import { wmmaMoveForms } from './wmma-moves.ts';
import { wmmaProductForms } from './wmma-products.ts';

/** wmma.load, wmma.store and wmma.mma. */
export const wmmaForms = (): readonly InstructionForm[] => [...wmmaMoveForms(), ...wmmaProductForms()];
