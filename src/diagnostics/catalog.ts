/**
 * Every diagnostic. Codes are permanent: a number never gets a second meaning, and the number of a retired code is not
 * reused. The first digit is the category: `PTX1xxx` for syntax, `PTX2xxx` for forms and modifiers, `PTX3xxx` for
 * operands, `PTX4xxx` for versions and targets, `PTX5xxx` for addresses, state spaces and declarations, `PTX6xxx` for
 * runtime faults, and `PTX7xxx` for PTX in other languages.
 *
 * `message` says what was found and what is allowed. `ptxas` is the wording that ptxas uses for such errors. Both are
 * templates with the same parameters, which are written in braces. `explain` is the text that `ptxlab explain CODE`
 * prints.
 */
import type { Severity } from './severity.ts';

export interface CatalogEntry {
  readonly severity: Severity;
  readonly title: string;
  readonly message: string;
  readonly ptxas: string;
  readonly section: string | null;
  readonly explain: string;
}

export const catalog = {
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
  PTX3001: {
    severity: 'error',
    title: 'unknown name',
    message: "'{name}' is not declared",
    ptxas: "Unknown symbol '{name}'",
    section: '5.4',
    explain:
      'Every register, variable, label and function must be declared before it is used, in the same scope or in an enclosing one. `%r<10>` declares %r0 to %r9.',
  },
  PTX3002: {
    severity: 'error',
    title: 'wrong number of operands',
    message: '{what} takes {expected}; found {found}',
    ptxas: "Arguments mismatch for instruction '{opcode}'",
    section: '9.2',
    explain: 'In the ISA, this instruction has a different number of operands.',
  },
  PTX3003: {
    severity: 'error',
    title: 'wrong kind of operand',
    message: "operand '{name}' of {what} must be {expected}; found {found}",
    ptxas: "Arguments mismatch for instruction '{opcode}'",
    section: '6.4',
    explain: 'This position takes a different kind of operand, such as an address in brackets, a vector or a label.',
  },
  PTX3004: {
    severity: 'error',
    title: 'register type does not fit',
    message: "operand '{name}' of {what} must be {expected}; found {found}",
    ptxas: "Arguments mismatch for instruction '{opcode}'",
    section: '9.4.1',
    explain: 'The type or width of the register does not match the type of the instruction.',
  },
  PTX3005: {
    severity: 'error',
    title: 'constant does not fit',
    message: "operand '{name}' of {what} cannot be {found}; allowed: {expected}",
    ptxas: "Arguments mismatch for instruction '{opcode}'",
    section: '4.5',
    explain:
      'Integer instructions take integer constants, and f32 and f64 instructions take float constants; there are no constants for floats of 16 bits or less.',
  },
  PTX3006: {
    severity: 'error',
    title: 'special register not allowed',
    message: "operand '{name}' of {what} cannot be a special register; move it to a register first",
    ptxas: "Special register argument not allowed for instruction '{opcode}'",
    section: '10',
    explain: 'Only mov, and cvt between integer types, can read special registers.',
  },
  PTX3007: {
    severity: 'error',
    title: 'result must be a register',
    message: "operand '{name}' of {what} is a result; {found} cannot be written",
    ptxas: "Result register required for instruction '{opcode}'",
    section: '6.1',
    explain: 'An instruction can write its result only to a register.',
  },
  PTX3008: {
    severity: 'error',
    title: 'result cannot be discarded',
    message: "operand '{name}' of {what} cannot be '_'",
    ptxas: "Result discard mode is not allowed for instruction '{opcode}'",
    section: '6.1',
    explain: 'Only some instructions accept an underscore in place of a result.',
  },
  PTX3009: {
    severity: 'error',
    title: 'vector not allowed',
    message: "operand '{name}' of {what} cannot be a vector",
    ptxas: "Vector operand is not allowed for instruction '{opcode}'",
    section: '6.4.3',
    explain:
      'Only loads, stores, mov and a few other instructions take vectors, which are lists in braces or vector registers.',
  },
  PTX3010: {
    severity: 'error',
    title: 'guard is not a predicate',
    message: 'the guard must be a .pred register; found {found}',
    ptxas: 'Predicate expression expected',
    section: '9.3',
    explain: 'A guard is written @%p or @!%p, with a register of type .pred.',
  },
  PTX3011: {
    severity: 'error',
    title: 'constant out of range',
    message: "operand '{name}' of {what} must be {expected}; found {value}",
    ptxas: "Argument '{value}' of instruction '{opcode}' out of range, expected to be in range [{min}..{max}]",
    section: '9.7',
    explain: 'A constant for this operand must lie in a fixed range.',
  },
  PTX3012: {
    severity: 'error',
    title: 'constant is not a multiple',
    message: "operand '{name}' of {what} must be a multiple of {multiple}; found {value}",
    ptxas: 'Number of threads participating in barrier must be in multiple of warp size',
    section: '9.7.13.1',
    explain:
      'Barriers count whole warps, so a thread count must be a multiple of 32. setmaxnreg counts registers in groups of 8.',
  },
  PTX3013: {
    severity: 'error',
    title: 'constant not allowed',
    message: "operand '{name}' of {what} must be {allowed}; found {value}",
    ptxas: "Argument of instruction '{opcode}': unexpected value '{value}', expected to be {allowed}",
    section: '9.7',
    explain: 'The hardware supports only a few values of this operand, which is usually a size in bytes.',
  },
  PTX3020: {
    severity: 'error',
    title: 'wrong number of arguments',
    message: "'{name}' {what}; found {found}",
    ptxas: 'Call has wrong number of parameters',
    section: '9.7.12.5',
    explain:
      'A call passes one argument for each parameter of the function and names a destination for each return value. Write _ for a return value you do not need.',
  },
  PTX3021: {
    severity: 'error',
    title: 'argument type does not fit',
    message: "{found} does not fit '{formal}' of '{name}', which is {expected}",
    ptxas: "Type of argument does not match formal parameter '{formal}'",
    section: '9.7.12.5',
    explain:
      'An argument must have the size of its parameter and a compatible type: bit-size types are compatible with every type, integers with integers, floats only with the same float type, and arrays with arrays of the same number of bytes. Nothing is converted.',
  },
  PTX3022: {
    severity: 'error',
    title: 'argument alignment differs',
    message:
      "the argument for '{formal}' of '{name}' is aligned to {found} bytes, but the parameter is aligned to {expected}",
    ptxas: "Alignment of argument does not match formal parameter '{formal}'",
    section: '9.7.12.5',
    explain: 'An argument in the .param space must have exactly the same alignment as the parameter.',
  },
  PTX3023: {
    severity: 'error',
    title: 'kernel called',
    message: 'kernels cannot be called; only functions declared with .func can',
    ptxas: 'Illegal call target, device function expected',
    section: '9.7.12.5',
    explain: 'A kernel can only be launched. Code that several kernels share belongs in a .func.',
  },
  PTX3024: {
    severity: 'error',
    title: 'missing prototype',
    message: 'the last operand of a call through a register must be a .callprototype or .calltargets label',
    ptxas: 'Call target not recognized',
    section: '9.7.12.5',
    explain:
      'The type of a function cannot be derived from its address, so a prototype or a list of functions must describe its parameters and return values.',
  },
  PTX3025: {
    severity: 'error',
    title: 'not an argument',
    message: "{found} cannot be passed for '{formal}' of '{name}'",
    ptxas: "Illegal argument for formal parameter '{formal}'",
    section: '9.7.12.5',
    explain:
      'Arguments and return values of a call are registers, constants, or .param variables declared in the body of the calling function. To pass on a parameter of the calling function, copy it to one of these first.',
  },
  PTX3026: {
    severity: 'error',
    title: 'wrong target',
    message: "'{name}' in {directive} is not {expected}",
    ptxas: 'Illegal target, {expected} expected',
    section: '9.7.12.4',
    explain:
      '.branchtargets lists labels in its own block or an enclosing one; .calltargets lists functions that have already been declared.',
  },
  PTX3027: {
    severity: 'warning',
    title: 'address too short',
    message: 'this address is {found} bits wide, but addresses in this module are 64 bits wide',
    ptxas: "Program uses {found}-bit address on line '' which is conflicting with .address_size 64",
    section: '5.1',
    explain:
      'With .address_size 64, the global and generic addresses of loads, stores and atomics are 64 bits wide. Addresses in .shared, .local, .const and .param fit into 32 bits. After this error, ptxas treats the whole module as one with 32-bit addresses. ptxas no longer compiles modules with 32-bit addresses.',
  },
  PTX3028: {
    severity: 'warning',
    title: 'sum outside an address',
    message: 'register plus constant outside an address: ptxas adds them, but the ISA does not allow this',
    ptxas: 'Register with an offset outside of an address',
    section: '6.4.1',
    explain:
      'An offset belongs inside the brackets of an address. Anywhere else, compute the sum with an add instruction first.',
  },
  PTX4001: {
    severity: 'error',
    title: 'needs a newer PTX version',
    message: '{subject} needs .version {needed} or later; this module is {found}',
    ptxas: "Feature '{subject}' requires PTX ISA .version {needed} or later",
    section: '12',
    explain: 'Raise the .version of the module, provided that your driver and ptxas support that version.',
  },
  PTX4002: {
    severity: 'error',
    title: 'not on this target',
    message: '{subject} needs {needed}; this module is for {found}',
    ptxas: "Feature '{subject}' requires .target {needed}",
    section: '11.1.2',
    explain:
      'Other architectures have this feature. A target with suffix a includes the features of one chip, a target with suffix f includes the features of its family, and a target without a suffix includes neither.',
  },
  PTX4003: {
    severity: 'error',
    title: 'feature not available on this target in this version',
    message: '{subject} needs {needed}; this module is .version {version} for {found}',
    ptxas: "Feature '{subject}' not supported on .target '{found}'",
    section: '11.1.2',
    explain: 'Raise the version, change the target, or both.',
  },
  PTX4004: {
    severity: 'error',
    title: 'no longer in this version',
    message: '{subject} was removed in .version {last}; this module is .version {found}',
    ptxas: "Feature '{subject}' not supported in PTX ISA .version {last} or later",
    section: '11.1.1',
    explain: 'Earlier versions of PTX had this feature, or did not yet require a modifier that is mandatory now.',
  },
  PTX4010: {
    severity: 'error',
    title: 'no such version',
    message: 'there is no PTX version {found}',
    ptxas: "Unsupported .version {found}; current version is '9.1'",
    section: '11.1.1',
    explain: 'NVIDIA never released this version of PTX.',
  },
  PTX4011: {
    severity: 'warning',
    title: 'version newer than known',
    message:
      'PTX {found} is newer than {known}, the newest version this release of ptxlab knows; the module is checked by the rules of {known}',
    ptxas: "Unsupported .version {found}; current version is '{known}'",
    section: '11.1.1',
    explain:
      'Features added in the newer version are reported as errors, and features it changed may be checked incorrectly.',
  },
  PTX4012: {
    severity: 'error',
    title: 'no such target',
    message: "'{found}' is not a PTX target",
    ptxas: "Unsupported .target '{found}'",
    section: '11.1.2',
    explain:
      'The .target directive takes an architecture such as sm_90 or sm_90a, followed by platform options. If it names several architectures, the last one applies.',
  },
  PTX4013: {
    severity: 'error',
    title: 'target newer than version',
    message: '{found} needs .version {needed} or later; this module is {version}',
    ptxas: 'PTX .version {version} does not support .target {found}',
    section: '11.1.2',
    explain: 'Each architecture was added in a certain version of PTX and is unknown to earlier versions.',
  },
  PTX4016: {
    severity: 'error',
    title: 'no architecture',
    message: ".target must begin with an architecture such as sm_90, not with '{found}'",
    ptxas: 'Target architecture not defined at start of file',
    section: '11.1.2',
    explain: 'The first name in .target is an architecture; platform options follow it.',
  },
  PTX4017: {
    severity: 'error',
    title: 'conflicting .target options',
    message: "'{found}' contradicts '{other}'",
    ptxas: "Conflicting .target option '{found}'",
    section: '11.1.2',
    explain:
      'A module uses textures and samplers either together (texmode_unified) or separately (texmode_independent).',
  },
  PTX4019: {
    severity: 'error',
    title: 'address size not supported',
    message: 'addresses are 32 or 64 bits wide, not {found}',
    ptxas: 'Illegal value for .address_size directive (must be 32 or 64)',
    section: '11.1.3',
    explain: ".address_size gives the width of the module's addresses in bits.",
  },
  PTX4020: {
    severity: 'error',
    title: 'debug information missing',
    message: ".target lists 'debug', but the module has no debug information section",
    ptxas: 'Debug information not found in presence of .target debug',
    section: '11.1.2',
    explain: 'A module with debug in its .target must contain DWARF data, in a .section or in @@DWARF lines.',
  },
  PTX4021: {
    severity: 'warning',
    title: '32-bit addresses',
    message: 'this module has 32-bit addresses; ptxas no longer compiles such modules for {target}',
    ptxas: '32-Bit compilation is no longer supported',
    section: '11.1.3',
    explain:
      "32-bit addresses are legal PTX, but ptxas 13.0 does not compile them for any of its targets (sm_75 and later). Add '.address_size 64' and use 64-bit registers for addresses.",
  },
  PTX5001: {
    severity: 'error',
    title: 'type cannot be declared',
    message: '{type} is only for instructions; declare {instead} instead',
    ptxas: 'Type {type} may only be used as an instruction type',
    section: '5.2',
    explain: 'Values in alternate and packed formats are kept in bit-size registers of the same width.',
  },
  PTX5002: {
    severity: 'error',
    title: 'not a type',
    message: '{type} cannot be used in declarations',
    ptxas: "Parsing error near '{type}': syntax error",
    section: '5.2',
    explain: 'Declarations take the fundamental types: .pred, .bN, .uN, .sN, .f16, .f16x2, .f32, .f64.',
  },
  PTX5003: {
    severity: 'error',
    title: 'predicate outside registers',
    message: "predicate '{name}' must be in .reg; found {space}",
    ptxas: "Predicate variable '{name}' must be in register state space",
    section: '5.2',
    explain: 'Predicates exist only in registers, not in memory.',
  },
  PTX5004: {
    severity: 'error',
    title: 'vector too large',
    message: '{vector} {type} is {found} bits wide; a vector is at most 128 bits wide',
    ptxas: 'Vector type too large, exceeds 128 bit limit',
    section: '5.4.2',
    explain: 'Vectors have 2 or 4 elements and at most 128 bits.',
  },
  PTX5005: {
    severity: 'error',
    title: 'declared twice',
    message: "'{name}' is already declared in this scope",
    ptxas: "Duplicate definition of {what} '{name}'",
    section: '5.4',
    explain: 'A name can be declared only once per scope, but an inner scope may declare it again.',
  },
  PTX5006: {
    severity: 'error',
    title: 'bad alignment',
    message: 'alignment {found} is not a power of two',
    ptxas: 'Alignment must be a power of two',
    section: '5.4.5',
    explain: 'An alignment must be a power of two. Without .align, variables are aligned to their size.',
  },
  PTX5007: {
    severity: 'error',
    title: 'space not allowed here',
    message: '{what}',
    ptxas: '{ptxas}',
    section: '5.1',
    explain:
      'Each state space has its own rules for declarations: registers and local variables belong inside functions; .param variables belong inside functions or in a function header; .common and most attributes are only for .global; and .reg does not allow arrays.',
  },
  PTX5008: {
    severity: 'error',
    title: 'array without size',
    message: "'{found}' needs {needed}",
    ptxas: "Non-external variable '{name}' has incomplete type",
    section: '5.4.3',
    explain:
      'The first dimension may be left empty or given as 0 only if the size comes from elsewhere: from an initializer or, for .extern, from another module.',
  },
  PTX5009: {
    severity: 'error',
    title: 'initializer does not fit',
    message: "'{name}' of type {type} cannot be initialized with {found}",
    ptxas: "Initializer type does not match '{name}'",
    section: '5.4.4',
    explain:
      'Integer variables can be initialized with integers and addresses, and float variables with floats. Variables of type .f16 or .f16x2, and those in .shared, .local, .param or .reg, cannot have an initial value.',
  },
  PTX5010: {
    severity: 'error',
    title: 'too many variables',
    message: "'{name}<{count}>' declares more than {most} variables",
    ptxas: "Parameterized variable '{name}' must be in register state space",
    section: '5.4.6',
    explain:
      'The short form `%r<N>` is meant for registers. In other state spaces, it declares a separate variable in memory for each of the N names.',
  },
  PTX5011: {
    severity: 'error',
    title: 'state space does not fit',
    message: "operand '{name}' of {what} is in {found}, but the instruction says {expected}",
    ptxas: "State space mismatch between instruction and address in instruction '{opcode}'",
    section: '5.1',
    explain: 'An instruction with a state space in its name accepts only variables in that space.',
  },
  PTX5012: {
    severity: 'error',
    title: 'not writable',
    message: '{found} cannot be written',
    ptxas: 'Illegal to write to {found}',
    section: '5.1',
    explain: 'Constant memory and the parameters of a kernel are read-only.',
  },
  PTX5013: {
    severity: 'error',
    title: 'immediate address not allowed',
    message: 'immediate addresses are allowed only in .local',
    ptxas: 'Immediate addresses allowed only for .local state space',
    section: '6.4.1',
    explain: 'In other spaces, use a variable or a register as the address.',
  },
  PTX3029: {
    severity: 'warning',
    title: 'unusual register in brackets',
    message: '{what} belongs in a {width} integer register; ptxas also accepts this {found} register',
    ptxas: '{what} in a register of type {found}',
    section: '6.4.1',
    explain:
      'ptxas extends addresses that are held in 8-bit and 16-bit registers: a signed register is sign-extended to 32 bits, and any other register is extended with zeros. ptxas does not check the type of a register that holds the address of a tensor map, nor the types of 32-bit registers that hold coordinates.',
  },
  PTX3030: {
    severity: 'warning',
    title: 'addresses become short',
    message:
      'this address is {found} bits wide, and the module has no .address_size; ptxas no longer compiles such modules for {target}',
    ptxas: '32-Bit compilation is no longer supported',
    section: '11.1.3',
    explain:
      "Without .address_size, a global or generic address of 32 bits means that all addresses of the module have 32 bits. ptxas 13.0 does not compile such modules for any of its targets (sm_75 and later). Add '.address_size 64' and use 64-bit registers for addresses.",
  },
  PTX5014: {
    severity: 'error',
    title: 'variable has no address',
    message: 'the address of {found} cannot be taken',
    ptxas: "Illegal to take address of parameter '{found}'",
    section: '5.1.6',
    explain: 'Parameters declared inside a function may be kept in registers, so they have no address.',
  },
  PTX5015: {
    severity: 'error',
    title: 'address does not fit',
    message: "operand '{name}' of {what} must be {expected}; found {found}",
    ptxas: "Arguments mismatch for instruction '{opcode}'",
    section: '6.4.1',
    explain: 'An address is a 32-bit or 64-bit register, a variable, or one of these plus a constant offset.',
  },
  PTX5017: {
    severity: 'error',
    title: 'declarations disagree',
    message: "'{name}' was declared before {what}",
    ptxas: "Inconsistent prototypes of '{name}', declared before {what}",
    section: '7.1',
    explain:
      'All declarations of a function must have the same parameters, return values and linkage, and .noreturn must be in all of them or in none. The definition may omit .visible and .weak. A module cannot define a function that it declares .extern.',
  },
  PTX5018: {
    severity: 'error',
    title: 'return value read',
    message: '{found} can only be written',
    ptxas: 'Illegal to read function return parameter',
    section: '7.1',
    explain: 'A function writes its return value with st.param, and only the caller can read it.',
  },
  PTX5019: {
    severity: 'error',
    title: 'function header not allowed',
    message: '{what}',
    ptxas: '{ptxas}',
    section: '7.1',
    explain:
      'Parameters and return values of functions must have names and be in .param or .reg. A function can return one value in .param, or several in .reg. An .extern function cannot have a body, and a .noreturn function cannot return a value.',
  },
  PTX5020: {
    severity: 'error',
    title: 'alias not possible',
    message: "'{name}' cannot be an alias of '{target}': {what}",
    ptxas: "Cannot define alias '{name}' to '{target}': {what}",
    section: '11.6.6',
    explain:
      '.alias NAME, FUNCTION makes NAME another name for FUNCTION. NAME must be declared as a function without a body, and with the same parameters and return values as FUNCTION.',
  },
  PTX5021: {
    severity: 'error',
    title: 'address not allowed as initial value',
    message: "'{name}' {what}",
    ptxas: "Invalid initial value symbol '{name}'",
    section: '5.4.4',
    explain:
      'An initial value can be the address of a variable in .global or .const, optionally with an offset or generic(), or the plain address of a function.',
  },
  PTX5022: {
    severity: 'error',
    title: 'array without elements',
    message: "'{found}' has no elements",
    ptxas: '{ptxas}',
    section: '5.4.3',
    explain:
      'Every dimension after the first needs a size, and so does every dimension of a kernel parameter or return value. Only the last parameter of a function or prototype can be an array without a size.',
  },
  PTX5023: {
    severity: 'error',
    title: 'wrong number of initial values',
    message: "'{name}' takes at most {most} initial values here; found {found}",
    ptxas: '{ptxas}',
    section: '5.4.3',
    explain:
      'A list cannot have more values than the dimension it initializes, and a vector needs exactly one value per element.',
  },
  PTX5024: {
    severity: 'warning',
    title: 'function without a body',
    message: "'{name}' has no body in this module and is not declared .extern",
    ptxas: "Unresolved extern function '{name}'",
    section: '7.1',
    explain:
      'A function declared without .extern must be defined in the same module, or be an alias (.alias) of a function in it.',
  },
  PTX5025: {
    severity: 'error',
    title: 'state space exhausted',
    message: '{what} take {found} bytes, but at most {most} are available',
    ptxas: '{ptxas}',
    section: '5.1',
    explain:
      'The constant variables of a module share 64 KiB. The parameters of a kernel can take up to 4352 bytes, or up to 32764 bytes with .version 8.1 or later on sm_70 or later.',
  },
  PTX5026: {
    severity: 'error',
    title: 'conflicting kernel directives',
    message: '{what}',
    ptxas: '{ptxas}',
    section: '11.4',
    explain:
      'Counts must be positive. A kernel cannot have both .maxntid and .reqntid, nor both .maxclusterrank and .reqnctapercluster.',
  },
  PTX5027: {
    severity: 'error',
    title: 'separate sampler',
    message: '.samplerref needs texmode_independent in .target',
    ptxas: 'Instruction or declaration violates .target texmode_unified setting',
    section: '5.3',
    explain: 'Textures include their samplers unless .target says texmode_independent.',
  },
  PTX5028: {
    severity: 'error',
    title: 'file number used twice',
    message: '.file {index} was already used for another file',
    ptxas: 'Duplicate file index #{index}',
    section: '11.5.3',
    explain: 'Each .file needs its own number, because .loc refers to files by number.',
  },
  PTX5029: {
    severity: 'error',
    title: 'unknown call position',
    message: 'no earlier .loc has the position {place}',
    ptxas: 'Source location {place} used in inlined_at directive must be used in a preceding .loc directive',
    section: '11.5.4',
    explain: 'inlined_at gives the position of a call, which must appear in an earlier .loc.',
  },
  PTX5030: {
    severity: 'error',
    title: 'label is not in a section',
    message: "no section in the module has the label '{name}'",
    ptxas: "Unresolved label '{name}' used in function_name attribute.",
    section: '11.5.4',
    explain:
      'function_name takes a label in a section, usually .debug_str, where the name of the inlined function is stored.',
  },
  PTX5031: {
    severity: 'warning',
    title: 'line numbers without a file',
    message: 'the module has .loc but no .file',
    ptxas: '.loc directive without .file directive is found, line information in generated binary may not be complete',
    section: '11.5.4',
    explain: 'The first number in .loc refers to a file declared by .file.',
  },
  PTX5032: {
    severity: 'warning',
    title: 'registers or locals at module scope',
    message: '{space} variables at module scope were removed in .version 3.0',
    ptxas: "Use of module scoped .local or .reg variable '{name}' found, disabling ABI",
    section: '5.1.3',
    explain: 'Since .version 3.0, .reg and .local variables can only be declared inside functions.',
  },
  PTX5033: {
    severity: 'error',
    title: 'type of data in a section',
    message: 'data of type {type} is not allowed here in a section',
    ptxas: 'Illegal type for dwarf data',
    section: '11.5.2',
    explain:
      'Numbers in a section have the type .b8, .b16, .b32 or .b64; labels and names of sections have the type .b32 or .b64.',
  },
  PTX5034: {
    severity: 'error',
    title: 'number in a section out of range',
    message: '{value} does not fit {type}',
    ptxas: 'Value out of range for type {type} {value}',
    section: '11.5.2',
    explain: 'A number in a section must fit its type, either as a signed or as an unsigned number.',
  },
  PTX5035: {
    severity: 'error',
    title: 'wrong initial value of a texture, sampler or surface',
    message: "'{name}' of type {type} {problem}",
    ptxas: '{ptxas}',
    section: '5.3',
    explain:
      'The initial value of an opaque variable is a list of named fields, such as { addr_mode_0 = wrap, filter_mode = linear }.',
  },
  PTX5036: {
    severity: 'warning',
    title: 'launch bounds without effect',
    message: '{what}',
    ptxas: '{ptxas}',
    section: '11.4',
    explain:
      '.maxnreg sets 24 to 255 registers per thread. .minnctapersm has an effect only together with .maxntid or .reqntid, and only if an SM has room for so many blocks with so many threads.',
  },
  PTX5037: {
    severity: 'warning',
    title: 'unknown pragma',
    message: "'{found}' is not a known pragma and has no effect",
    ptxas: "Pragma '{found}' unsupported",
    section: '11.4',
    explain: 'ptxas ignores pragmas that it does not know. Their names are compared exactly, with case and spaces.',
  },
  PTX6001: {
    severity: 'error',
    title: 'out of bounds',
    message: '{access} of {size} bytes at {address} in {space} memory is outside every allocation{near}',
    ptxas: '{access} of {size} bytes at {address} in {space} memory is outside every allocation{near}',
    section: '5.1',
    explain:
      'An access must lie entirely within one allocation, variable or parameter. The message names the nearest allocation.',
  },
  PTX6002: {
    severity: 'error',
    title: 'misaligned address',
    message: '{access} of {size} bytes at {address} in {space} memory is not aligned to {size}',
    ptxas: '{access} of {size} bytes at {address} in {space} memory is not aligned to {size}',
    section: '6.4.1.1',
    explain:
      'An address must be a multiple of the access size; a vector access counts as a single access to all its lanes.',
  },
  PTX6003: {
    severity: 'error',
    title: 'use after free',
    message: '{access} of {size} bytes at {address} after {owner}, was freed',
    ptxas: '{access} of {size} bytes at {address} after {owner}, was freed',
    section: '5.1',
    explain: 'The memory was freed before this access.',
  },
  PTX6004: {
    severity: 'error',
    title: 'write to read-only memory',
    message: 'store of {size} bytes at {address}: {space} memory cannot be written{near}',
    ptxas: 'store of {size} bytes at {address}: {space} memory cannot be written{near}',
    section: '5.1.3',
    explain: 'A kernel cannot write to constant memory or to its parameters.',
  },
  PTX6005: {
    severity: 'error',
    title: 'null pointer',
    message:
      '{access} of {size} bytes through a null pointer, at {address}: the first 64 KiB of global memory are never allocated',
    ptxas:
      '{access} of {size} bytes through a null pointer, at {address}: the first 64 KiB of global memory are never allocated',
    section: '5.1',
    explain: 'The address is null, or a small offset from null.',
  },
  PTX6006: {
    severity: 'error',
    title: 'uninitialized memory',
    message:
      '{use} depends on {space} memory that was never written: {size} bytes at {address}, loaded on line {line}{near}',
    ptxas:
      '{use} depends on {space} memory that was never written: {size} bytes at {address}, loaded on line {line}{near}',
    section: '5.1',
    explain:
      'The contents of shared and local memory are undefined at the start of a block. Loading them is harmless, but no branch, address, store to global memory or host call may depend on them. Kernels whose threads exchange values within a warp without synchronizing need the option lockstep.',
  },
  PTX6007: {
    severity: 'error',
    title: 'foreign address',
    message: '{address} is not in the {space} window',
    ptxas: '{address} is not in the {space} window',
    section: '9.7.9.20',
    explain:
      'cvta.to is undefined for a generic address outside the window of the space, other than a null pointer; isspacep tests whether an address is inside.',
  },
  PTX6010: {
    severity: 'error',
    title: 'deadlock',
    message: 'all remaining threads are waiting: {waiting}',
    ptxas: 'all remaining threads are waiting: {waiting}',
    section: '9.7.13.1',
    explain:
      'A barrier releases its threads when the expected number of threads has arrived. It does not wait for threads that have exited, but it does wait for threads that took another path. A loop that only reads shared memory never ends if nobody writes there, as when it waits for the wrong phase of an mbarrier. A data race can cause this as well, if a thread reads what another one has not written yet; `run --races` finds races.',
  },
  PTX6011: {
    severity: 'error',
    title: 'bad barrier',
    message: '{what}',
    ptxas: '{what}',
    section: '9.7.13.1',
    explain:
      'Barriers are numbered 0 to 15. A thread count must be a multiple of 32 and at most the block size, and all threads at a barrier must give the same count.',
  },
  PTX6012: {
    severity: 'error',
    title: 'thread not in its own mask',
    message: 'lane {lane} executes a warp instruction whose member mask {mask} does not include it',
    ptxas: 'lane {lane} executes a warp instruction whose member mask {mask} does not include it',
    section: '9.7.9.6',
    explain:
      'The member mask of shfl, vote, match, redux or elect with .sync must include the thread that executes it; otherwise the behavior is undefined.',
  },
  PTX6013: {
    severity: 'error',
    title: 'stack overflow',
    message:
      "calling '{name}' would need {bytes} bytes of local memory in the thread, which has {limit}; {depth} calls are active",
    ptxas:
      "calling '{name}' would need {bytes} bytes of local memory in the thread, which has {limit}; {depth} calls are active",
    section: '7.1',
    explain:
      "The parameters and local variables of all active calls are in the thread's local memory. Deep recursion uses it up.",
  },
  PTX6014: {
    severity: 'error',
    title: 'bad indirect call',
    message: '{address} is not the address of {expected}',
    ptxas: '{address} is not the address of {expected}',
    section: '9.7.12.5',
    explain:
      'The address in the register must be that of a function in this module. The function must be in the list of targets or, if the call gives a prototype, must have the parameters and return values of the prototype.',
  },
  PTX6015: {
    severity: 'error',
    title: 'branch index out of range',
    message: 'index {index} is out of range: brx.idx has {count} targets',
    ptxas: 'index {index} is out of range: brx.idx has {count} targets',
    section: '9.7.12.4',
    explain:
      'The index of brx.idx must be less than the number of labels in its list; otherwise the behavior is undefined.',
  },
  PTX6020: {
    severity: 'error',
    title: 'instruction budget used up',
    message: 'the kernel did not finish within {budget} instructions, summed over all threads',
    ptxas: 'the kernel did not finish within {budget} instructions, summed over all threads',
    section: '9.3',
    explain: 'The budget stops kernels that never finish. Raise it if the kernel simply needs more instructions.',
  },
  PTX6021: {
    severity: 'error',
    title: 'time used up',
    message: 'the kernel did not finish within {seconds} s',
    ptxas: 'the kernel did not finish within {seconds} s',
    section: '9.3',
    explain:
      'The timeout stops kernels that never finish, and also counts the time to compile them. Raise it if the kernel simply needs more time. Kernels whose threads exchange values within a warp without synchronizing may never finish without the option lockstep.',
  },
  PTX6022: {
    severity: 'error',
    title: 'canceled',
    message: 'the launch was canceled',
    ptxas: 'the launch was canceled',
    section: '9.3',
    explain: 'The caller asked for the launch to stop.',
  },
  PTX6030: {
    severity: 'error',
    title: 'instruction not supported',
    message: "ptxlab cannot run '{what}' yet",
    ptxas: "ptxlab cannot run '{what}' yet",
    section: '9.7',
    explain: 'ptxlab can check this instruction but not run it yet.',
  },
  PTX6031: {
    severity: 'error',
    title: 'trap',
    message: 'the kernel executed trap',
    ptxas: 'the kernel executed trap',
    section: '9.7.19.3',
    explain: 'The kernel executed a trap instruction, which aborts the launch.',
  },
  PTX6032: {
    severity: 'error',
    title: 'assertion failed',
    message: '{file}:{line}: {function}: assertion `{assertion}` failed',
    ptxas: '{file}:{line}: {function}: assertion `{assertion}` failed',
    section: null,
    explain: 'The kernel called __assertfail, as assert in CUDA C++ does when its condition is false.',
  },
  PTX6033: {
    severity: 'error',
    title: 'bad free',
    message: 'free of {address}: {why}',
    ptxas: 'free of {address}: {why}',
    section: null,
    explain:
      'The built-in function free accepts null, or an address that malloc returned and that has not been freed since.',
  },
  PTX6034: {
    severity: 'error',
    title: 'wild access',
    message: 'an unchecked access {what}',
    ptxas: 'an unchecked access {what}',
    section: null,
    explain:
      'Without memory checks, an access is caught only if it is outside all memory, and its location is not known. With workers, misaligned atomic operations are caught as well. Run the kernel with checks to find the location.',
  },
  PTX6035: {
    severity: 'error',
    title: 'bad tensor map',
    message: 'the tensor map {what}',
    ptxas: 'the tensor map {what}',
    section: '9.7.9.25.5',
    explain:
      'Instructions that copy boxes of tensors need a tensor map. The ISA does not say what its 128 bytes contain, so it must be made by the function tensorMap of ptxlab, which takes the place of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, or by tensormap.replace. The map must fit the instruction: its mode, its number of dimensions, and the coordinates.',
  },
  PTX6036: {
    severity: 'error',
    title: 'bad use of tensor memory',
    message: 'tensor memory: {what}',
    ptxas: 'tensor memory: {what}',
    section: '9.7.16',
    explain:
      'Tensor memory must be allocated with tcgen05.alloc before it is used, in units of 32 columns, and a warp can only load and store the 32 lanes that belong to it. The descriptors of tcgen05.mma and tcgen05.cp must describe what the instruction supports: the types, the shape and the layout of the tiles. On a GPU, other uses are undefined or wait forever.',
  },
  PTX6037: {
    severity: 'error',
    title: 'bad texture',
    message: 'the texture or surface {what}',
    ptxas: 'the texture or surface {what}',
    section: '9.7.10',
    explain:
      'A handle must come from Device.texture or Device.surface of ptxlab, and the instruction must name the geometry that it was made with. A surface instruction with .trap ends the launch if it accesses a texel outside of the surface.',
  },
  PTX6038: {
    severity: 'error',
    title: 'data race',
    message: '{what} at {address} is accessed without {missing}: {accesses}',
    ptxas: '{what} at {address} is accessed without {missing}: {accesses}',
    section: '8',
    explain:
      'Accesses of different threads must be ordered if one of them is a store, for example by a barrier between them. Fences together with volatile, relaxed or atomic accesses order them, too, and accesses that are atomic, or strong in a scope that includes both threads, need no order. Bulk copies, st.async, wgmma and tcgen05.mma run asynchronously: other accesses must wait until they are complete, and there must be a fence.proxy.async between a store and an asynchronous operation that reads it. The option lockstep is for code that relies on threads of a warp running together.',
  },
  PTX6040: {
    severity: 'error',
    title: 'device memory used up',
    message: '{what}',
    ptxas: '{what}',
    section: '5.1.4',
    explain: 'The device has a fixed amount of memory, 1 GiB by default.',
  },
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

export type Code = keyof typeof catalog;

export function isCode(word: string): word is Code {
  return Object.hasOwn(catalog, word);
}

type Names<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;

/** The parameters of a code's templates, all of which are strings. */
export type Parameters<C extends Code> = {
  readonly [Name in Names<(typeof catalog)[C]['message']> | Names<(typeof catalog)[C]['ptxas']>]: string;
};
