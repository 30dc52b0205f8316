/** PTX3xxx: operands. */
import type { CatalogEntry } from './entry.ts';

export const operands = {
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
    ptxas: '{ptxas}',
    section: '9.7',
    explain:
      'Barriers count whole warps, so a thread count must be a multiple of 32. setmaxnreg counts registers in groups of 8. The size of a bulk copy is a multiple of 16 bytes.',
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
  PTX3031: {
    severity: 'warning',
    title: '0f constant in 64 bits',
    message: 'ptxas does not convert a 0f constant to {type}: its 32 bits become the lower half of the value',
    ptxas: '0f constant as {type}',
    section: '4.5.2',
    explain:
      'Decimal and 0d constants have 64 bits and are rounded where an .f32 is needed. A 0f constant has 32 bits and is never converted, so 0f3F800000 as an .f64 is a subnormal number, not 1.',
  },
  PTX3032: {
    severity: 'warning',
    title: 'value that ptxas cannot pass',
    message: "'{name}' {verb} '{formal}' of type {type}, which ptxas 13.0 cannot pass",
    ptxas: 'In ABI compilation, {ptxas} device functions is not supported',
    section: '7.1',
    explain:
      'PTX allows all types, but ptxas 13.0 passes integers of 8 and 16 bits only as bit-size types such as .b16, and predicates not at all, unless a function of the module has several return values. It refuses modules whose kernels reach such a call.',
  },
  PTX3033: {
    severity: 'warning',
    title: 'access beyond a variable',
    message: "{what} {verb} bytes {from} to {to} of '{name}', which has {size}",
    ptxas:
      "Potential out of bound access while accessing symbol '{name}' of type '{type}' with instruction type '{access}'.",
    section: '5.1',
    explain:
      'An access by name must lie within the variable or parameter. Beyond it, there may be another variable, whose bytes are then read or written, or no memory at all, which ends a launch. ptxas mentions only accesses at offset 0 to variables without dimensions.',
  },
} as const;

operands satisfies Readonly<Record<string, CatalogEntry>>;
