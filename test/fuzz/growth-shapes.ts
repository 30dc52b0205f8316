/**
 * Adversarial modules ("shapes"), each of which repeats one construct many times. A module that is 16 times as large
 * must either be rejected or take at most 20 times the work. `growth.ts` measures the work, and `growth.slow.test.ts`
 * checks the results.
 */

export interface Shape {
  readonly name: string;
  /** The number of repetitions. It is chosen so that the work takes at least a few milliseconds. */
  readonly size: number;
  readonly text: (size: number) => string;
  /** Number of threads in the launch; 1 by default. */
  readonly block?: number;
}

const header = '.version 9.0\n.target sm_90\n.address_size 64\n';

function lines(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join('\n');
}

/** Declares the registers that every kernel has. */
export const registers = '.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>; .reg .f32 %f<4>;';

/** Part of unknown words, which `growth.ts` replaces with another word in each run. */
export const fresh = 'fresh';

/** A module with the kernel `k`. */
function kernel(body: string, module = '', parameters = ''): string {
  return `${header}${module}\n.visible .entry k(${parameters}) {\n${registers}\n${body}\nret;\n}\n`;
}

function nest(count: number, open: (i: number) => string, close: (i: number) => string): string {
  return [
    ...Array.from({ length: count }, (_, i) => open(i)),
    ...Array.from({ length: count }, (_, i) => close(count - 1 - i)),
  ].join('\n');
}

/** Nested loops. Each loop has a register that is live throughout the loop. */
function nestedLoops(count: number): string {
  const loops = nest(
    count,
    (i) => `mov.u32 %q${i}, 0;\nL${i}:\nadd.u32 %q${i}, %q${i}, 1;`,
    (i) => `setp.eq.u32 %p1, %q${i}, 0;\n@%p1 bra L${i};`,
  );
  return `.reg .b32 %q<${count}>;\n${loops}`;
}

const declarations: readonly Shape[] = [
  {
    name: 'global variables',
    size: 1000,
    text: (n) =>
      kernel(
        '',
        lines(n, (i) => `.global .align 4 .b32 g${i} = ${i};`),
      ),
  },
  {
    name: 'global variables, all used',
    size: 1000,
    text: (n) =>
      kernel(
        lines(n, (i) => `ld.global.u32 %r1, [g${i}];`),
        lines(n, (i) => `.global .align 4 .b32 g${i} = ${i};`),
      ),
  },
  {
    name: 'constant variables',
    size: 500,
    text: (n) =>
      kernel(
        '',
        lines(n, (i) => `.const .align 4 .b32 c${i} = ${i};`),
      ),
  },
  {
    name: 'shared variables',
    size: 500,
    text: (n) =>
      kernel(
        '',
        lines(n, (i) => `.shared .align 4 .b32 s${i};`),
      ),
  },
  {
    name: 'shared variables of a kernel',
    size: 500,
    text: (n) => kernel(lines(n, (i) => `.shared .align 4 .b32 s${i};`)),
  },
  {
    name: 'local variables',
    size: 500,
    text: (n) => kernel(lines(n, (i) => `.local .align 4 .b32 s${i}; st.local.u32 [s${i}], 1;`)),
  },
  {
    name: 'pointers in variables',
    size: 1000,
    text: (n) =>
      kernel(
        '',
        `${lines(n, (i) => `.global .align 4 .b32 g${i};`)}\n.global .align 8 .b64 all[] = {${lines(n, (i) => `g${i}${i < n - 1 ? ',' : ''}`)}};`,
      ),
  },
  {
    name: 'one initializer',
    size: 10_000,
    text: (n) => kernel('', `.global .align 4 .b32 g[] = {${lines(n, (i) => `${i},`)} 0};`),
  },
  {
    name: 'bytes of a string',
    size: 10_000,
    text: (n) => kernel('', `.global .align 1 .b8 g[] = {${Array.from({ length: n }, () => '65').join(', ')}};`),
  },
  {
    name: 'terms of a constant',
    size: 2000,
    text: (n) => kernel('', `.global .align 4 .b32 g = ${'1 + '.repeat(n)}1;`),
  },
  {
    name: 'parentheses of a constant',
    size: 2000,
    text: (n) => kernel('', `.global .align 4 .b32 g = ${'('.repeat(n)}1${')'.repeat(n)};`),
  },
  {
    name: 'conditions of a constant',
    size: 2000,
    text: (n) => kernel('', `.global .align 4 .b32 g = ${'1 ? 1 : '.repeat(n)}1;`),
  },
  { name: 'signs of a constant', size: 2000, text: (n) => kernel('', `.global .align 4 .b32 g = ${'- '.repeat(n)}1;`) },
  {
    name: 'braces of an initializer',
    size: 2000,
    text: (n) => kernel('', `.global .align 4 .b32 g[1] = ${'{'.repeat(n)}1${'}'.repeat(n)};`),
  },
  { name: 'dimensions of an array', size: 2000, text: (n) => kernel('', `.global .align 4 .b32 g${'[1]'.repeat(n)};`) },
  {
    name: 'kernel parameters',
    size: 250,
    text: (n) =>
      kernel(
        '',
        '',
        lines(n, (i) => `.param .b8 p${i}${i < n - 1 ? ',' : ''}`),
      ),
  },
  {
    name: 'register ranges',
    size: 1000,
    text: (n) => kernel(lines(n, (i) => `.reg .b32 %q${i}x<2>; mov.u32 %q${i}x1, 1;`)),
  },
  {
    name: 'registers one by one',
    size: 1000,
    text: (n) => kernel(lines(n, (i) => `.reg .b32 q${i}; mov.u32 q${i}, 1;`)),
  },
  {
    name: 'numbered registers one by one',
    size: 1000,
    text: (n) => kernel(lines(n, (i) => `.reg .b32 %q${i}; mov.u32 %q${i}, 1;`)),
  },
  {
    name: 'registers beside their range',
    size: 1000,
    text: (n) =>
      kernel(
        `${lines(n, (i) => `.reg .b32 %q${i + n};`)}\n.reg .b32 %q<${n}>; ${lines(n, (i) => `mov.u32 %q${i}, 1;`)}`,
      ),
  },
  {
    name: 'a range declared again',
    size: 1000,
    text: (n) => kernel(`${lines(n, (i) => `.reg .b32 %q${i + n};`)}\n${lines(n, () => `.reg .b32 %q<${n}>;`)}`),
  },
  {
    name: 'one range, all used',
    size: 1000,
    text: (n) => kernel(`.reg .b32 %q<${n}>;\n${lines(n, (i) => `mov.u32 %q${i}, 1;`)}`),
  },
  {
    name: 'registers in one list',
    size: 2000,
    text: (n) => kernel(`.reg .b32 ${lines(n, (i) => `q${i}${i < n - 1 ? ',' : ';'}`)}`),
  },
  {
    name: 'nested scopes',
    size: 50,
    text: (n) =>
      kernel(
        nest(
          n,
          (i) => `{ .reg .b32 %q${i}x<2>; mov.u32 %q${i}x1, %r1; mov.u32 %q0x1, 1;`,
          () => '}',
        ),
      ),
  },
  {
    name: 'nested scopes past the limit',
    size: 2000,
    text: (n) =>
      kernel(
        nest(
          n,
          (i) => `{ .reg .b32 %q<${i + 1}>; mov.u32 %q${i}, %r1;`,
          () => '}',
        ),
      ),
  },
  {
    name: 'scopes one after the other',
    size: 1000,
    text: (n) => kernel(lines(n, () => '{ .reg .b32 %q<2>; mov.u32 %q1, 1; }')),
  },
  {
    name: 'kernels',
    size: 200,
    text: (n) =>
      kernel(
        '',
        lines(n, (i) => `.visible .entry k${i}() { ret; }`),
      ),
  },
  {
    name: 'functions',
    size: 500,
    text: (n) =>
      kernel(
        '',
        lines(n, (i) => `.func f${i}() { ret; }`),
      ),
  },
  {
    name: 'announced functions',
    size: 1000,
    text: (n) =>
      kernel(
        '',
        lines(n, (i) => `.extern .func f${i}(.param .b32 a);`),
      ),
  },
  {
    name: 'aliases',
    size: 500,
    text: (n) =>
      kernel(
        '',
        lines(n, (i) => `.func f${i}() { ret; }\n.func a${i}();\n.alias a${i}, f${i};`),
      ),
  },
  {
    name: 'one function announced again',
    size: 1000,
    text: (n) => kernel('', `${lines(n, () => '.func f();')} .func f() { ret; }`),
  },
];

const text: readonly Shape[] = [
  { name: 'options of .target', size: 4000, text: (n) => kernel('').replace('sm_90', `sm_90${', debug'.repeat(n)}`) },
  {
    name: 'targets of .target',
    size: 4000,
    text: (n) => kernel('').replace('sm_90', `sm_90${lines(n, (i) => `, x${i}`)}`),
  },
  { name: '.version directives', size: 100, text: (n) => '.version 9.0\n'.repeat(n) + kernel('') },
  { name: '.target directives', size: 500, text: (n) => kernel('', '.target sm_90\n'.repeat(n)) },
  { name: 'modifiers of one instruction', size: 1000, text: (n) => kernel(`add${'.u32'.repeat(n)} %r1, %r1, %r1;`) },
  {
    name: 'unknown modifiers of one instruction',
    size: 1000,
    text: (n) => kernel(`add.u32${lines(n, (i) => `.m${i}`).replaceAll('\n', '')} %r1, %r1, %r1;`),
  },
  {
    name: 'distinct modifiers of one cvt',
    size: 1000,
    text: (n) => kernel(`cvt${'.rn.rz.ftz.sat'.repeat(n)}.f16.f32 %r1, %r1;`),
  },
  { name: 'operands of one instruction', size: 2000, text: (n) => kernel(`add.u32 %r1${', %r1'.repeat(n)};`) },
  {
    name: 'elements of a vector',
    size: 2000,
    text: (n) => kernel(`ld.global.v4.u32 {%r1${', %r1'.repeat(n)}}, [%rd1];`),
  },
  { name: 'a long comment', size: 200_000, text: (n) => kernel(`/* ${'x'.repeat(n)} */`) },
  { name: 'comment lines', size: 20_000, text: (n) => kernel('// comment\n'.repeat(n)) },
  { name: 'empty lines', size: 100_000, text: (n) => kernel('\n'.repeat(n)) },
  { name: 'a line of spaces', size: 200_000, text: (n) => kernel(' '.repeat(n)) },
  { name: 'instructions on one line', size: 2000, text: (n) => kernel('add.u32 %r1, %r2, %r3; '.repeat(n)) },
  { name: 'instructions', size: 2000, text: (n) => kernel('add.u32 %r1, %r2, %r3;\n'.repeat(n)) },
  {
    name: 'many kinds of instructions',
    size: 500,
    text: (n) =>
      kernel(
        lines(
          n,
          (i) =>
            `add.u32 %r${i % 8}, %r${(i >> 3) % 8}, ${i}; mul.lo.u32 %r${i % 8}, %r${(i >> 3) % 8}, %r${(i >> 6) % 8};`,
        ),
      ),
  },
  { name: 'empty statements', size: 5000, text: (n) => kernel(';'.repeat(n)) },
  { name: 'labels', size: 2000, text: (n) => kernel(lines(n, (i) => `L${i}:`)) },
  { name: 'the same label', size: 500, text: (n) => kernel('L:\n'.repeat(n)) },
  {
    name: 'a long name',
    size: 50_000,
    text: (n) => kernel(`.reg .b32 ${'x'.repeat(n)}; mov.u32 ${'x'.repeat(n)}, 1;`),
  },
  {
    name: 'a long unknown name',
    size: 10_000,
    text: (n) => kernel(`.reg .b32 ${'x'.repeat(n)}; mov.u32 ${'x'.repeat(n)}y, 1;`),
  },
  { name: 'a long unknown opcode', size: 10_000, text: (n) => kernel(`${'a'.repeat(n)} %r1, %r2;`) },
  { name: 'a long unknown modifier', size: 10_000, text: (n) => kernel(`add.${'a'.repeat(n)} %r1, %r2, %r1;`) },
  { name: 'a long unknown directive', size: 10_000, text: (n) => kernel('', `.${'a'.repeat(n)} x;`) },
  { name: 'a long unknown target', size: 10_000, text: (n) => kernel('').replace('sm_90', `sm_${'9'.repeat(n)}`) },
  { name: 'a long number', size: 10_000, text: (n) => kernel(`mov.u32 %r1, ${'9'.repeat(n)};`) },
  { name: 'a long fraction', size: 10_000, text: (n) => kernel(`mov.f32 %f1, 1.${'9'.repeat(n)};`) },
  { name: 'a long name of a family', size: 10_000, text: (n) => kernel(`mov.u32 %r${'9'.repeat(n)}, 1;`) },
  {
    name: '.loc lines',
    size: 2000,
    text: (n) =>
      kernel(
        lines(n, (i) => `.loc 1 ${i + 1} 1\nadd.u32 %r1, %r1, %r1;`),
        '.file 1 "a.cu"',
      ),
  },
  {
    name: '.file lines',
    size: 2000,
    text: (n) =>
      kernel(
        '',
        lines(n, (i) => `.file ${i + 1} "a${i}.cu"`),
      ),
  },
  {
    name: '.loc of many files',
    size: 1000,
    text: (n) =>
      kernel(
        lines(n, (i) => `.loc ${i + 1} 1 1\nadd.u32 %r1, %r1, %r1;`),
        lines(n, (i) => `.file ${i + 1} "a${i}.cu"`),
      ),
  },
  {
    name: '.loc of unknown files',
    size: 1000,
    text: (n) => kernel(lines(n, (i) => `.loc ${i + 1} 1 1\nadd.u32 %r1, %r1, %r1;`)),
  },
  { name: 'pragmas', size: 2000, text: (n) => kernel('.pragma "nounroll";\n'.repeat(n)) },
  {
    name: 'a debug section',
    size: 5000,
    text: (n) => kernel('', `.section .debug_str {\n${'.b8 1,2,3,4\n'.repeat(n)}}`),
  },
  {
    name: 'debug sections',
    size: 1000,
    text: (n) =>
      kernel(
        '',
        lines(n, (i) => `.section .debug_x${i} {\n.b8 1\nL${i}:\n}`),
      ),
  },
  { name: 'lines that end in CR LF', size: 2000, text: (n) => kernel('add.u32 %r1, %r2, %r3;\r\n'.repeat(n)) },
  { name: 'an unterminated comment', size: 200_000, text: (n) => `${kernel('')}/* ${'x\n'.repeat(n)}` },
  { name: 'unterminated strings', size: 5000, text: (n) => kernel('.pragma "x\n'.repeat(n)) },
  { name: 'a long string', size: 100_000, text: (n) => kernel('', `.file 1 "${'x'.repeat(n)}"`) },
  { name: 'a long line of operands', size: 5000, text: (n) => kernel(`mov.b32 %r1, {${'%r2, '.repeat(n)}%r3};`) },
  {
    name: 'names of one module-scope list',
    size: 2000,
    text: (n) => kernel('', `.global .b32 ${lines(n, (i) => `g${i}${i < n - 1 ? ',' : ';'}`)}`),
  },
  {
    name: 'tuning directives',
    size: 1000,
    text: (n) => kernel('').replace('() {', `()\n${'.maxnreg 32\n'.repeat(n)}{`),
  },
  { name: 'garbage', size: 20_000, text: (n) => '@ '.repeat(n) },
  { name: 'braces', size: 20_000, text: (n) => kernel('{'.repeat(n)) },
  { name: 'closing braces', size: 20_000, text: (n) => kernel('}'.repeat(n)) },
  { name: 'quotes', size: 20_000, text: (n) => kernel('"'.repeat(n)) },
];

const errors: readonly Shape[] = [
  {
    name: 'unknown names beside registers',
    size: 250,
    text: (n) =>
      kernel(
        `.reg .b32 ${lines(n, (i) => `name${i}a${i < n - 1 ? ',' : ';'}`)}\n${lines(n, (i) => `mov.u32 naem${i}a, 1;`)}`,
      ),
  },
  { name: 'unknown names', size: 1000, text: (n) => kernel(lines(n, (i) => `mov.u32 x${i}y, 1;`)) },
  { name: 'unknown opcodes', size: 1000, text: (n) => kernel(lines(n, (i) => `op${i}${fresh} %r1;`)) },
  { name: 'unknown modifiers', size: 1000, text: (n) => kernel(lines(n, (i) => `add.m${i}${fresh} %r1, %r1, %r1;`)) },
  { name: 'wrong operands', size: 1000, text: (n) => kernel('add.f32 %r1, %rd1, %p1;\n'.repeat(n)) },
  { name: 'missing functions', size: 1000, text: (n) => kernel(lines(n, (i) => `call f${i};`)) },
  { name: 'missing labels', size: 1000, text: (n) => kernel(lines(n, (i) => `bra L${i};`)) },
  { name: 'constants out of range', size: 1000, text: (n) => kernel(lines(n, (i) => `mov.u16 %r1, ${i};`)) },
  {
    name: 'unknown names in vectors',
    size: 1000,
    text: (n) =>
      kernel(
        `.reg .b32 ${lines(n, (i) => `na${i}me${i < n - 1 ? ',' : ';'}`)}\n mov.b32 %r1, {${lines(n, (i) => `na${i}em${i < n - 1 ? ',' : ''}`)}};`,
      ),
  },
  { name: 'names declared again', size: 1000, text: (n) => kernel(lines(n, () => '.reg .b32 a;')) },
  {
    name: 'unknown initial names',
    size: 1000,
    text: (n) =>
      kernel(
        '',
        `${lines(n, (i) => `.global .b32 na${i}me;`)} .global .b64 g[] = {${lines(n, (i) => `na${i}em${i < n - 1 ? ',' : ''}`)}};`,
      ),
  },
];

const branch = (i: number): string => `setp.eq.u32 %p1, %r1, ${i + 1};\n@%p1 bra L${i};\nadd.u32 %r1, %r1, 0;\nL${i}:`;

const flow: readonly Shape[] = [
  { name: 'branches ahead', size: 500, text: (n) => kernel(lines(n, branch)) },
  {
    name: 'branches to one label',
    size: 500,
    text: (n) => kernel(`${lines(n, (i) => `setp.eq.u32 %p1, %r1, ${i + 1};\n@%p1 bra L;`)}\nL:`),
  },
  {
    name: 'nested ifs',
    size: 500,
    text: (n) =>
      kernel(
        nest(
          n,
          (i) => `setp.eq.u32 %p1, %r1, ${i + 1};\n@%p1 bra L${i};`,
          (i) => `add.u32 %r1, %r1, 0;\nL${i}:`,
        ),
      ),
  },
  {
    name: 'loops',
    size: 500,
    text: (n) => kernel(lines(n, (i) => `L${i}:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, ${i};\n@%p1 bra L${i};`)),
  },
  {
    name: 'nested loops',
    size: 500,
    text: (n) =>
      kernel(
        nest(
          n,
          (i) => `L${i}:\nadd.u32 %r1, %r1, 1;`,
          (i) => `setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L${i};`,
        ),
      ),
  },
  {
    name: 'nested loops that read',
    size: 500,
    text: (n) =>
      kernel(
        `mov.u64 %rd1, g;\n${nest(
          n,
          (i) => `L${i}:\nadd.u32 %r1, %r1, 1;\n${i === n - 1 ? 'ld.volatile.global.u32 %r2, [%rd1];' : ''}`,
          (i) => `setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L${i};`,
        )}`,
        '.global .b32 g;',
      ),
  },
  {
    name: 'loops that read',
    size: 200,
    text: (n) =>
      kernel(
        `mov.u64 %rd1, g;\n${lines(n, (i) => `L${i}:\nld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 bra L${i};`)}`,
        '.global .b32 g;',
      ),
  },
  {
    name: 'loops with registers',
    size: 500,
    text: (n) =>
      kernel(
        `.reg .b32 %q<${n}>;\n${lines(n, (i) => `L${i}:\nadd.u32 %q${i}, %q${i}, 1;\nsetp.lt.u32 %p1, %q${i}, 1;\n@%p1 bra L${i};`)}`,
      ),
  },
  {
    name: 'nested loops with registers',
    size: 500,
    text: (n) => kernel(nestedLoops(n)),
  },
  {
    name: 'loops with one end',
    size: 500,
    text: (n) =>
      kernel(
        `${lines(n, (i) => `L${i}:\nadd.u32 %r1, %r1, 1;`)}\n${lines(n, (i) => `setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L${i};`)}`,
      ),
  },
  {
    name: 'a graph that does not consist of nested loops',
    size: 300,
    text: (n) =>
      kernel(
        `setp.eq.u32 %p1, %r1, 7;\n${lines(n, (i) => `@%p1 bra L${(i * 7919) % n};`)}\n${lines(n, (i) => `L${i}:\nadd.u32 %r1, %r1, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L${(i * 104729 + 1) % n};`)}`,
      ),
  },
  {
    name: 'a switch',
    size: 500,
    text: (n) =>
      kernel(
        `T: .branchtargets ${lines(n, (i) => `L${i}${i < n - 1 ? ',' : ';'}`)}\nbrx.idx %r1, T;\n${lines(n, (i) => `L${i}:\nadd.u32 %r1, %r1, 1;`)}`,
      ),
  },
  {
    name: 'a switch with one target',
    size: 500,
    text: (n) => kernel(`T: .branchtargets ${lines(n, (i) => `L${i < n - 1 ? ',' : ';'}`)}\nbrx.idx %r1, T;\nL:`),
  },
  {
    name: 'switches',
    size: 40,
    text: (n) =>
      kernel(
        `T: .branchtargets ${lines(n, (i) => `L${i}${i < n - 1 ? ',' : ';'}`)}\n${lines(n, (i) => `L${i}:\nsetp.eq.u32 %p1, %r1, 9;\n@%p1 brx.idx %r1, T;`)}`,
      ),
  },
  { name: 'barriers', size: 200, block: 32, text: (n) => kernel('bar.sync 0;\n'.repeat(n)) },
  {
    name: 'barriers after branches',
    size: 100,
    block: 32,
    text: (n) => kernel(lines(n, (i) => `${branch(i)}\nbar.sync 0;`)),
  },
  {
    name: 'barriers in branches',
    size: 100,
    block: 32,
    text: (n) => kernel(lines(n, (i) => `setp.eq.u32 %p1, %r1, ${i + 1};\n@%p1 bra L${i};\nbar.sync 0;\nL${i}:`)),
  },
  {
    name: 'barriers in a loop',
    size: 100,
    block: 32,
    text: (n) => kernel(`L:\n${'bar.sync 0;\n'.repeat(n)}add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra L;`),
  },
  {
    name: 'barriers with registers',
    size: 100,
    block: 32,
    text: (n) =>
      kernel(
        `.reg .b32 %q<${n}>;\n${lines(n, (i) => `mov.u32 %q${i}, ${i};`)}\n${lines(n, (i) => `bar.sync 0;\nadd.u32 %r1, %r1, %q${i};`)}`,
      ),
  },
  {
    name: 'shuffles',
    size: 100,
    block: 32,
    text: (n) => kernel('shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;\n'.repeat(n)),
  },
  {
    name: 'votes in branches',
    size: 100,
    block: 32,
    text: (n) =>
      kernel(
        lines(n, (i) => `setp.eq.u32 %p1, %r1, ${i + 1};\n@%p1 bra L${i};\nvote.sync.any.pred %p2, %p1, -1;\nL${i}:`),
      ),
  },
  {
    name: 'registers live everywhere',
    size: 300,
    text: (n) =>
      kernel(
        `.reg .b32 %q<${n}>;\n${lines(n, (i) => `mov.u32 %q${i}, ${i};`)}\n${lines(n, branch)}\n${lines(n, (i) => `add.u32 %r1, %r1, %q${i};`)}`,
      ),
  },
  {
    name: 'registers copied backwards',
    size: 500,
    text: (n) =>
      kernel(`.reg .b32 %q<${n + 1}>;\n${lines(n, (i) => `mov.u32 %q${i}, %q${i + 1};`)}\nmov.u32 %q${n}, %tid.x;`),
  },
  {
    name: 'predicates',
    size: 500,
    text: (n) =>
      kernel(
        `.reg .pred %q<${n}>;\n${lines(n, (i) => `setp.eq.u32 %q${i}, %r1, ${i};`)}\n${lines(n, (i) => `@%q${i} add.u32 %r1, %r1, 1;`)}`,
      ),
  },
  {
    name: 'loads into live registers',
    size: 500,
    block: 32,
    text: (n) =>
      kernel(
        `.reg .b32 %q<${n}>;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nmov.u64 %rd1, g;\nadd.u64 %rd1, %rd1, %rd2;\n${lines(n, (i) => `ld.global.u32 %q${i}, [%rd1];`)}\n${lines(n, (i) => `add.u32 %r1, %r1, %q${i};`)}`,
        '.global .align 4 .b32 g[32];',
      ),
  },
  {
    name: 'guarded returns',
    size: 500,
    text: (n) => kernel(lines(n, (i) => `setp.eq.u32 %p1, %r1, ${i + 1};\n@%p1 ret;`)),
  },
  {
    name: 'straight code with live registers',
    size: 500,
    text: (n) =>
      kernel(
        `.reg .b32 %q<${n}>;\n${lines(n, (i) => `mov.u32 %q${i}, ${i};`)}\n${lines(n, (i) => `add.u32 %r1, %r1, %q${i};`)}`,
      ),
  },
  {
    name: 'selections',
    size: 500,
    text: (n) => kernel(lines(n, (i) => `setp.eq.u32 %p1, %r1, ${i}; selp.u32 %r1, %r2, %r3, %p1;`)),
  },
  {
    name: 'switches with tables of their own',
    size: 40,
    text: (n) =>
      kernel(
        lines(
          n,
          (i) =>
            `T${i}: .branchtargets ${Array.from({ length: 16 }, () => `L${i}`).join(', ')};\nbrx.idx %r1, T${i};\nL${i}:`,
        ),
      ),
  },
  {
    name: 'reductions',
    size: 200,
    block: 32,
    text: (n) => kernel(`mov.u64 %rd1, g;\n${'red.global.add.u32 [%rd1], 1;\n'.repeat(n)}`, '.global .b32 g;'),
  },
  {
    name: 'products of matrices',
    size: 50,
    block: 32,
    text: (n) =>
      kernel(
        `.reg .f32 %d<4>;\n${'mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%r1, %r2}, {%r3}, {%d0, %d1, %d2, %d3};\n'.repeat(n)}`,
      ),
  },
  {
    name: 'vector loads',
    size: 500,
    text: (n) =>
      kernel(
        `mov.u64 %rd1, g;\n${'ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n'.repeat(n)}`,
        '.global .align 16 .b32 g[4];',
      ),
  },
  {
    name: 'elements of a shared array',
    size: 200,
    text: (n) =>
      kernel(
        lines(n, (i) => `st.shared.u32 [s+${4 * (i % 1000)}], %r1;`),
        '.shared .align 4 .b32 s[1000];',
      ),
  },
  { name: 'returns', size: 500, text: (n) => kernel('ret;\n'.repeat(n)) },
  {
    name: 'atomics',
    size: 200,
    text: (n) => kernel(`mov.u64 %rd1, g;\n${'atom.global.add.u32 %r1, [%rd1], 1;\n'.repeat(n)}`, '.global .b32 g;'),
  },
];

const calls: readonly Shape[] = [
  { name: 'calls of one function', size: 200, text: (n) => kernel('call f;\n'.repeat(n), '.func f() { ret; }') },
  {
    name: 'calls of many functions',
    size: 100,
    text: (n) =>
      kernel(
        lines(n, (i) => `call f${i};`),
        lines(n, (i) => `.func f${i}() { ret; }`),
      ),
  },
  {
    name: 'calls of functions with nested loops',
    size: 1,
    text: (n) =>
      kernel(
        lines(n, (i) => `call f${i};`),
        lines(n, (i) => `.func f${i}() {\n${registers}\n${nestedLoops(1600)}\nret; }`),
      ),
  },
  {
    name: 'a chain of calls',
    size: 100,
    text: (n) =>
      kernel(
        `call f${n - 1};`,
        `.func f0() { ret; }\n${lines(n - 1, (i) => `.func f${i + 1}() { call f${i}; ret; }`)}`,
      ),
  },
  {
    name: 'a ladder of calls',
    size: 100,
    text: (n) =>
      kernel(
        `call f${n - 1};`,
        `.func f0() { ret; }\n${lines(n - 1, (i) => `.func f${i + 1}() { .reg .pred p; setp.ne.u32 p, 0, 0; @p call f${i}; @p call f${i}; ret; }`)}`,
      ),
  },
  {
    name: 'indirect calls',
    size: 40,
    text: (n) =>
      kernel(
        `P: .callprototype _ ();\nmov.u64 %rd1, f0;\n${lines(n, () => 'call %rd1, (), P;')}`,
        lines(n, (i) => `.func f${i}() { ret; }`),
      ),
  },
  {
    name: 'indirect calls in all functions',
    size: 40,
    text: (n) =>
      kernel(
        'call f0;',
        `${lines(n, (i) => `.func f${i}();`)}\n${lines(n, (i) => `.func f${i}() { .reg .b64 a; .reg .pred p; P: .callprototype _ (); mov.u64 a, f${(i + 1) % n}; @p call a, (), P; ret; }`)}`,
      ),
  },
  { name: 'prototypes', size: 500, text: (n) => kernel(lines(n, (i) => `P${i}: .callprototype _ (.param .b32 a);`)) },
  {
    name: 'lists of call targets',
    size: 100,
    text: (n) =>
      kernel(
        `mov.u64 %rd1, f0;\n${lines(n, (i) => `T${i}: .calltargets f${i};\ncall %rd1, (), T${i};`)}`,
        lines(n, (i) => `.func f${i}() { ret; }`),
      ),
  },
  {
    name: 'one list of call targets',
    size: 500,
    text: (n) =>
      kernel(
        `mov.u64 %rd1, f0;\nT: .calltargets ${lines(n, (i) => `f${i}${i < n - 1 ? ',' : ';'}`)}\ncall %rd1, (), T;`,
        lines(n, (i) => `.func f${i}() { ret; }`),
      ),
  },
  {
    name: 'parameters of a function',
    size: 200,
    text: (n) =>
      kernel(
        `{ ${lines(n, (i) => `.param .b32 a${i};`)}\n${lines(n, (i) => `st.param.b32 [a${i}], 1;`)}\ncall f, (${lines(n, (i) => `a${i}${i < n - 1 ? ',' : ''}`)}); }`,
        `.func f(${lines(n, (i) => `.param .b32 p${i}${i < n - 1 ? ',' : ''}`)}) { ret; }`,
      ),
  },
  {
    name: 'printf formats',
    size: 200,
    text: (n) =>
      kernel(
        lines(
          n,
          (i) =>
            `{ .param .b64 a; .param .b64 b; .param .b32 c; mov.u64 %rd1, s${i}; cvta.global.u64 %rd1, %rd1; st.param.b64 [a], %rd1; st.param.b64 [b], 0; call (c), vprintf, (a, b); }`,
        ),
        `.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n${lines(n, (i) => `.global .align 1 .b8 s${i}[] = {65, 10, 0};`)}`,
      ),
  },
  {
    name: 'heap allocations, all freed',
    size: 5000,
    text: (n) => kernel(`${heapLoop()} st.param.b64 [p], %rd1; call free, (p); }\n${heapEnd(n)}`, heap),
  },
  { name: 'heap allocations, none freed', size: 2000, text: (n) => kernel(`${heapLoop()} }\n${heapEnd(n)}`, heap) },
  {
    name: 'heap allocations, every other freed',
    size: 2000,
    text: (n) =>
      kernel(
        `${heapLoop()} and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; st.param.b64 [p], %rd1; @%p1 call free, (p); }\n${heapEnd(n)}`,
        heap,
      ),
  },
];

const heap = '.extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);';

/** Begins a loop with a scope in which memory is allocated. The address of the memory is in %rd1. */
function heapLoop(): string {
  return 'L: { .param .b64 n; .param .b64 r; .param .b64 p; st.param.b64 [n], 16; call (r), malloc, (n); ld.param.b64 %rd1, [r];';
}

function heapEnd(count: number): string {
  return `add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, ${count}; @%p1 bra L;`;
}

export const shapes: readonly Shape[] = [...declarations, ...text, ...errors, ...flow, ...calls];
