/** PTX7xxx: PTX in other languages. */
import type { CatalogEntry } from './entry.ts';

export const embedded = {
  PTX7001: {
    severity: 'error',
    title: 'no such asm operand',
    message: '{written} does not exist; the statement has {count}',
    ptxas: "Unknown symbol '{written}', {count}",
    section: null,
    explain:
      'The text of an asm statement refers to its operands by their numbers: outputs first, then inputs, counted from 0.',
  },
  PTX7002: {
    severity: 'note',
    title: 'asm not checked',
    message: 'not checked: {why}',
    ptxas: 'not checked: {why}',
    section: null,
    explain:
      'PTX inside an asm statement is checked only as far as its text can be determined from this file alone. The compiler may know more.',
  },
  PTX7003: {
    severity: 'error',
    title: 'operand modifier',
    message:
      "{written} is read as an operand with the modifier '{modifier}', which PTX does not have; write {register}",
    ptxas: "Asm operand modifier not supported at '{written}'",
    section: null,
    explain:
      'If an asm statement has operands, the compiler reads a percent sign, a letter and a digit as an operand with a modifier. A register of that name is written with two percent signs.',
  },
} as const;

embedded satisfies Readonly<Record<string, CatalogEntry>>;
