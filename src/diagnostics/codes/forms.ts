/** PTX2xxx: forms of instructions, types and modifiers. */
import type { CatalogEntry } from './entry.ts';

export const forms = {
  PTX2001: {
    severity: 'error',
    title: 'unknown instruction',
    message: "'{opcode}' is not a PTX instruction",
    ptxas: "Not a name of any known instruction: '{opcode}'",
    section: '9',
    explain: 'No version of PTX has an instruction with this name. Opcodes are written in lower case.',
  },
  PTX2002: {
    severity: 'note',
    title: 'not checked yet',
    message: "ptxlab cannot check this '{opcode}' yet: its operands and modifiers are accepted as they are",
    ptxas: "Instruction '{opcode}' not checked",
    section: '9',
    explain:
      'ptxlab knows that this instruction exists, but not which rules apply to it. This is reported once per opcode and file; everything around the instruction is checked.',
  },
  PTX2003: {
    severity: 'error',
    title: 'opcode incomplete',
    message: "'{opcode}' must be followed by {allowed}",
    ptxas: "Not a name of any known instruction: '{opcode}'",
    section: '9',
    explain: 'Some opcodes consist of two words, and the second must come directly after the first.',
  },
  PTX2010: {
    severity: 'error',
    title: 'unknown modifier',
    message: "'{modifier}' is not a PTX modifier or type",
    ptxas: "Unknown modifier '{modifier}'",
    section: '9.7',
    explain: 'No instruction has a modifier or type with this name. Names are case-sensitive.',
  },
  PTX2011: {
    severity: 'error',
    title: 'modifier does not apply',
    message: "'{modifier}' does not apply to {what}",
    ptxas: "Illegal modifier '{modifier}' for instruction '{opcode}'",
    section: '9.7',
    explain: 'The modifier exists, but not for this instruction or these types.',
  },
  PTX2012: {
    severity: 'error',
    title: 'modifier given twice',
    message: "'{modifier}' after '{first}': only one of them is allowed",
    ptxas: 'Multiple {axis} modifiers specified',
    section: '9.7',
    explain: 'An instruction takes at most one modifier of each kind, and each modifier only once.',
  },
  PTX2013: {
    severity: 'error',
    title: 'too many modifiers',
    message: '{opcode} has {found} modifiers; at most {limit} are allowed',
    ptxas: "Illegal modifier '{opcode}' for instruction",
    section: '4.3.2',
    explain: 'No PTX instruction has more than ten modifiers and types.',
  },
  PTX2020: {
    severity: 'error',
    title: 'types not supported',
    message: '{opcode} {found}',
    ptxas: "Unexpected instruction types specified for '{opcode}'",
    section: '9.7',
    explain:
      'The instruction exists, but not with these types, or not with this number of types. The type of the result comes first.',
  },
  PTX2021: {
    severity: 'error',
    title: 'word missing after the opcode',
    message: '{what} needs {allowed} after the opcode',
    ptxas: "Unexpected instruction types specified for '{opcode}'",
    section: '9.7',
    explain:
      'The product of two integers is twice as wide as its factors, so mul and mad must say which part to keep: .lo, .hi or .wide.',
  },
  PTX2030: {
    severity: 'error',
    title: 'rounding required',
    message: '{what} needs a rounding modifier: {allowed}',
    ptxas: "Rounding modifier required for instruction '{opcode}'",
    section: '6.5.2',
    explain: 'If the result of an instruction may have to be rounded, the instruction must say how.',
  },
  PTX2031: {
    severity: 'error',
    title: 'rounding not allowed',
    message: "'{modifier}' does not apply to {what}, which {allowed}",
    ptxas: "Illegal rounding modifier for instruction '{opcode}'",
    section: '6.5.2',
    explain:
      'Instructions with exact results take no rounding modifier. Rounding modifiers that end in i (such as .rni) are for integer results; the others are for float results.',
  },
  PTX2032: {
    severity: 'error',
    title: 'modifier required',
    message: '{what} needs {allowed}',
    ptxas: "'{allowed}' modifier required for instruction '{opcode}'",
    section: '9.7',
    explain: 'For these types, the ISA requires one of these modifiers.',
  },
  PTX2033: {
    severity: 'error',
    title: 'modifiers cannot be combined',
    message: "'{modifier}' cannot be combined with {other} here",
    ptxas: "Modifier '{modifier}' cannot be combined with modifier '{other}'",
    section: '9.7',
    explain: 'The instruction accepts either of these modifiers, but not both together.',
  },
  PTX2034: {
    severity: 'error',
    title: 'modifier does not fit the types',
    message: "'{modifier}' {reason}",
    ptxas: "Illegal modifier '{modifier}' for instruction '{opcode}'",
    section: '9.7',
    explain:
      'Some modifiers apply only to certain types: .ftz needs an instruction with an .f32 operand, and .sat needs a result with a smaller range than its source.',
  },
  PTX2035: {
    severity: 'error',
    title: 'vector too large',
    message: 'this vector is {found} bits wide; at most {allowed} bits are allowed here',
    ptxas: 'Vector type too large, exceeds {allowed} bit limit',
    section: '5.4.2',
    explain: 'A vector access can be at most 128 bits wide in total, or 256 in global memory from sm_100 on.',
  },
  PTX2036: {
    severity: 'error',
    title: 'modifiers in the wrong order',
    message: "'{modifier}' must come before '{other}' here",
    ptxas: 'State space incorrect for instruction',
    section: '9.7',
    explain:
      'Most modifiers can be in any order. However, the first of two state spaces or matrix formats applies to the destination, and .and or .xor must come before .popc.',
  },
  PTX2037: {
    severity: 'error',
    title: 'both CTA groups',
    message: "'{name}' has tcgen05 instructions with .cta_group::1 and with .cta_group::2",
    ptxas:
      "Function '{name}' uses single CTA(.cta_group::1) and CTA pair granularity(.cta_group::2) and that is not allowed.",
    section: '9.7.16.5',
    explain:
      'All tcgen05 instructions of a kernel must have the same CTA group, even if some of them are never executed.',
  },
} as const;

forms satisfies Readonly<Record<string, CatalogEntry>>;
