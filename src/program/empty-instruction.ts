/**
 * An instruction without operands or steps. It serves as the template for unsupported instructions and for the parts of
 * instructions that are split.
 */
import type { Variant } from '../isa/form.ts';
import type { ProgramInstruction } from './function-program.ts';

const noVariant: Variant = {
  form: {
    id: 'unsupported',
    section: '9.7',
    syntax: '',
    summary: '',
    regime: 'exact',
    availability: [],
    operands: [],
    steps: () => [],
  },
  mnemonic: '',
  types: [],
  modifiers: {},
};

export const emptyInstruction: ProgramInstruction = {
  variant: noVariant,
  line: 0,
  text: '',
  source: null,
  guard: null,
  reads: [],
  writes: [],
  addresses: [],
  symbols: [],
  specials: [],
  registers: [],
  steps: [],
  places: new Map(),
  target: -1,
  targets: [],
  call: null,
  isPart: false,
};
