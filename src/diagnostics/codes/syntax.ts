/** PTX1xxx: syntax. */
import type { CatalogEntry } from './entry.ts';

export const syntax = {
  PTX1001: {
    severity: 'error',
    title: 'unexpected token',
    message: 'unexpected {found}; expected {expected}',
    ptxas: "Parsing error near '{near}': syntax error",
    section: '4.3',
    explain: 'The PTX grammar does not allow this token here. Parsing continues at the next statement.',
  },
  PTX1002: {
    severity: 'error',
    title: 'unknown character',
    message: '{found} has no meaning here',
    ptxas: "Parsing error near '{near}': syntax error",
    section: '4.1',
    explain:
      'PTX is written with ASCII letters, digits and the punctuation marks of C. No space may separate a dot from the word that follows it.',
  },
  PTX1003: {
    severity: 'error',
    title: 'comment never closed',
    message: 'this comment is never closed',
    ptxas: "Parsing error near '': unexpected EOF while scanning",
    section: '4.2',
    explain: 'A comment that starts with /* ends at the next */. Comments do not nest.',
  },
  PTX1004: {
    severity: 'error',
    title: 'string never closed',
    message: 'this string is never closed',
    ptxas: "Parsing error near '{near}': syntax error",
    section: '4.1',
    explain: 'A string ends at the next double quote. It cannot contain escapes.',
  },
  PTX1005: {
    severity: 'error',
    title: 'malformed number',
    message: "'{number}' is not a number: {reason}",
    ptxas: "Parsing error near '{near}': syntax error",
    section: '4.5',
    explain:
      'Integers are decimal, hexadecimal (0x), binary (0b) or octal (a leading 0); a final U makes them unsigned. Floats are decimal with a dot or an exponent, or are written as 0f with 8 hex digits or 0d with 16.',
  },
  PTX1006: {
    severity: 'error',
    title: 'character outside ASCII',
    message: '{found} is not an ASCII character',
    ptxas: 'Unexpected non-ASCII character encountered on line {line}',
    section: '4.1',
    explain:
      'PTX is plain ASCII; ptxas rejects other characters even in comments and strings. Only the first such character in a file is reported.',
  },
  PTX1007: {
    severity: 'error',
    title: 'NUL character',
    message: 'the text contains a NUL character',
    ptxas: 'Unexpected EOF encountered on line {line}',
    section: '4.1',
    explain: 'ptxas treats a NUL character as the end of the file.',
  },
  PTX1010: {
    severity: 'error',
    title: 'constant overflow',
    message: '{constant} does not fit in {bits} bits',
    ptxas: 'Constant overflow',
    section: '4.5',
    explain:
      'Integer constants are 64 bits wide; counts and sizes in directives are 32 bits wide. Decimal floats must be zero or a normal f64.',
  },
  PTX1011: {
    severity: 'error',
    title: 'division by zero',
    message: 'this constant expression divides by zero',
    ptxas: 'Constant expression has division by zero',
    section: '4.5.4',
    explain:
      'Both branches of ?: and both sides of && and || are evaluated, so a division by zero is an error wherever it occurs.',
  },
  PTX1012: {
    severity: 'error',
    title: 'integer and float mixed',
    message: "'{operator}' has one integer and one float operand",
    ptxas: 'Constant expression type mismatch',
    section: '4.5.4',
    explain:
      'Constant expressions convert between signed and unsigned integers, but never between integers and floats.',
  },
  PTX1013: {
    severity: 'error',
    title: 'integer constant expected',
    message: '{what} needs an integer constant, not a float',
    ptxas: 'Integer constant expression expected',
    section: '4.5.4',
    explain:
      'Bitwise operators, shifts, remainders, logical operators, conditions, offsets and casts take only integers.',
  },
  PTX1014: {
    severity: 'error',
    title: 'no such cast',
    message: 'constants cannot be cast to {type}',
    ptxas: 'Unsupported cast operation',
    section: '4.5.4',
    explain: 'Constant expressions have two casts: (.s64) and (.u64).',
  },
  PTX1015: {
    severity: 'warning',
    title: 'constant wraps',
    message: '{constant} exceeds 64 bits and is read as {value}',
    ptxas: 'Constant wraps around',
    section: '4.5.1',
    explain:
      'ptxas does not reject some integer literals that need more than 64 bits, and keeps only their low 64 bits.',
  },
  PTX1016: {
    severity: 'error',
    title: 'invalid mask',
    message: 'mask {mask} does not select one byte',
    ptxas: "Invalid mask value '{mask}' used in initializer",
    section: '5.4.4',
    explain: 'The mask in an initializer such as 0xff00(name) selects one byte: 0xff shifted left by a multiple of 8.',
  },
  PTX1020: {
    severity: 'error',
    title: 'nested too deeply',
    message: 'nested more than {limit} levels deep',
    ptxas: "Parsing error near '{near}': memory exhausted",
    section: '4.3',
    explain:
      'Scopes, initializers and constant expressions can be nested a few hundred levels deep. Anything deeper is skipped.',
  },
  PTX1021: {
    severity: 'error',
    title: 'too many syntax errors',
    message: 'stopped after {count} syntax errors; the rest of the text was not read',
    ptxas: 'Ptx assembly aborted due to errors',
    section: '4.3',
    explain: 'An input with so many syntax errors is probably not PTX.',
  },
  PTX1022: {
    severity: 'error',
    title: 'too many errors',
    message: '{count} more errors after the first {limit} are not listed',
    ptxas: 'Ptx assembly aborted due to errors',
    section: null,
    explain: 'The whole text was checked, but only the first errors are listed.',
  },
  PTX1030: {
    severity: 'error',
    title: 'version missing',
    message: 'a module must start with .version; found {found}',
    ptxas: 'Missing .version directive at start of file',
    section: '11.1.1',
    explain:
      'The first directive of a module is .version, the second is .target, and .address_size, if present, comes third.',
  },
  PTX1031: {
    severity: 'error',
    title: 'target missing',
    message: '.target must follow .version; found {found}',
    ptxas: 'Missing .target directive at start of file',
    section: '11.1.2',
    explain:
      'The first directive of a module is .version, the second is .target, and .address_size, if present, comes third.',
  },
  PTX1040: {
    severity: 'error',
    title: 'two state spaces',
    message: '{found} is a second state space after {first}',
    ptxas: 'Multiple state spaces specified',
    section: '5.1',
    explain: 'A variable is in exactly one state space.',
  },
  PTX1041: {
    severity: 'error',
    title: 'no state space',
    message: 'this declaration names no state space',
    ptxas: 'No variable storage specified',
    section: '5.1',
    explain: 'A declaration starts with its state space: .reg, .shared, .global, .local, .const or .param.',
  },
  PTX1042: {
    severity: 'error',
    title: 'attribute after the type',
    message: '{found} is allowed after the type only for kernel parameters',
    ptxas: 'Illegal placement of kernel parameter attribute',
    section: '5.1.6',
    explain:
      'After the type, .ptr and .align describe parameters of .entry functions. Everywhere else .align comes before the type.',
  },
} as const;

syntax satisfies Readonly<Record<string, CatalogEntry>>;
