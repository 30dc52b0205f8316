/** Tests the diagnostics for invalid calls and functions: their codes, positions and messages. */
import { expect, test } from 'vitest';
import { check } from '../check.ts';

const functions = `.func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 s[16]) { ret; }
.func (.param .b32 r) one(.param .b32 a) { ret; }
.entry other() { ret; }`;

/** The first error in a module whose kernel has the given body, and the text to which the error points. */
function finding(body: string, before = ''): { readonly found: string; readonly at: string } {
  const source = `.version 9.0\n.target sm_90\n.address_size 64\n${functions}\n${before}
.entry k(.param .b32 p) {
.reg .b16 %h; .reg .b32 %r<3>; .reg .b64 %d; .reg .f32 %f; .param .align 4 .b8 narrow[16];
${body}\nret; }`;
  const [first] = check(source).diagnostics.filter(({ severity }) => severity === 'error');
  if (first === undefined) throw new Error('nothing found');
  return { found: `${first.code}: ${first.message}`, at: source.slice(first.span.start, first.span.end) };
}

test.each([
  ['call (%r0), one, ();', "PTX3020: 'one' takes 1 argument; found 0", 'call (%r0), one, ();'],
  ['call one, (%r0);', "PTX3020: 'one' returns 1 value; found 0", 'call one, (%r0);'],
  ['call (%r0), one, (%h);', "PTX3021: .b16 does not fit 'a' of 'one', which is .b32", '%h'],
  ['call (%r0), f, (1, %d);', "PTX3021: .b64 does not fit 's' of 'f', which is an array of 16 bytes", '%d'],
  [
    'call (%r0), f, (1, narrow);',
    "PTX3022: the argument for 's' of 'f' is aligned to 4 bytes, but the parameter is aligned to 8",
    'narrow',
  ],
  ['call other;', 'PTX3023: kernels cannot be called; only functions declared with .func can', 'other'],
  [
    'call (%r0), %d, (1);',
    'PTX3024: the last operand of a call through a register must be a .callprototype or .calltargets label',
    '%d',
  ],
  ['call (%r0), one, (p);', "PTX3025: a kernel parameter cannot be passed for 'a' of 'one'", 'p'],
  ['T: .branchtargets one;', "PTX3026: 'one' in .branchtargets is not a label", 'one'],
  ['call (%r0), onf, (1);', "PTX3001: 'onf' is not declared", 'onf'],
  ['call (%r0), one, (%q);', "PTX3001: '%q' is not declared", '%q'],
])('%s', (body, found, at) => {
  expect(finding(body)).toEqual({ found, at });
});

test.each([
  ['.func one(.param .b64 a);', "PTX5005: 'one' is already declared in this scope", 'one'],
  ['.func x(); .func x(.reg .b32 a);', "PTX5017: 'x' was declared before with a different number of parameters", 'x'],
  ['.func x(.reg .b32 a); .func x(.reg .u32 a);', "PTX5017: 'x' was declared before with a different type of 'a'", 'x'],
  ['.func x(); .visible .func x() { ret; }', "PTX5017: 'x' was declared before without .visible", 'x'],
  ['.extern .func x() { ret; }', "PTX5019: 'x' is .extern and cannot have a body", 'x'],
  [
    '.func x(); .alias x, one;',
    "PTX5020: 'x' cannot be an alias of 'one': 'x' is declared with different parameters or return values",
    '.alias x, one;',
  ],
  ['.global .u64 t = one+4;', "PTX5021: 'one' is a function, and its address cannot have an offset", 'one+4'],
])('%s', (before, found, at) => {
  expect(finding('', before)).toEqual({ found, at });
});

/**
 * Verdicts of ptxas 13.0, which resolves the name of a parameter to the parameter everywhere in the function, even
 * where an inner block declares a variable with the same name.
 */
test.each([
  [
    '.func (.param .b32 r) f(.param .b32 x)',
    '.param .b32 x; st.param.b32 [x], 1;',
    'PTX5012: an input parameter cannot be written',
  ],
  [
    '.func (.param .b32 r) f(.param .b32 x)',
    '{ .param .b64 x; st.param.b64 [x], 1; }',
    'PTX5012: an input parameter cannot be written',
  ],
  [
    '.func (.reg .b32 r) f(.reg .b32 x)',
    '.param .b32 x; st.param.b32 [x], 1;',
    'PTX5012: an input parameter cannot be written',
  ],
  ['.entry f(.param .b32 x)', '.param .b32 x; st.param.b32 [x], 1;', 'PTX5012: a kernel parameter cannot be written'],
  [
    '.func (.param .b32 r) f(.param .b32 x)',
    '.param .b32 r; ld.param.b32 %r1, [r];',
    'PTX5018: a return parameter can only be written',
  ],
  [
    '.func (.reg .b32 r) f(.reg .b32 x)',
    '.param .b32 r; ld.param.b32 %r1, [r];',
    'PTX5018: a return parameter can only be written',
  ],
  ['.func (.param .b32 r) f(.param .b32 x)', '.param .b32 r; st.param.b32 [r], 1;', null],
  ['.func (.param .b32 r) f(.param .b32 x)', '.param .b32 x; .param .b32 q; call (x), g, (q);', null],
  ['.entry f(.param .b32 x)', '.param .b32 q; st.param.b32 [q], 1;', null],
])('%s { { %s } }', (header, body, found) => {
  const declared = '.extern .func (.param .b32 r0) g (.param .b32 a0);';
  const source = `.version 9.0\n.target sm_90\n.address_size 64\n${declared}\n${header} { .reg .b32 %r<4>; { ${body} } ret; }`;
  const [first] = check(source).diagnostics;
  expect(first === undefined ? null : `${first.code}: ${first.message}`).toBe(found);
});
