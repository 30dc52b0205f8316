import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import type { CheckOptions } from '../check/check.ts';
import type { EnclosingLanguage } from './asm-statement.ts';
import { asmStatements, longestFile, checkEmbedded, enclosingLanguage } from './check-embedded.ts';
import { constraintRows } from './constraints.ts';

/** The findings in a file, each with the text at its span. */
function findings(source: string, language: EnclosingLanguage = 'cuda', options: CheckOptions = {}): readonly string[] {
  return checkEmbedded(source, language, options).diagnostics.map(
    ({ code, span }) => `${code} ${source.slice(span.start, span.end)}`,
  );
}

function inKernel(statement: string): string {
  return `__global__ void k(float *p, float x, unsigned n) {\n  unsigned r; float f; unsigned long long l;\n  ${statement}\n}\n`;
}

describe('legal asm statements of CUDA C++ have no findings', () => {
  test.each([
    ['an output and an input', 'asm("cvt.rn.f16x2.f32 %0, %1, %1;" : "=r"(r) : "f"(x));'],
    ['the word volatile and clobbers', 'asm volatile("bar.sync 0;" ::: "memory");'],
    [
      'adjacent literals with escapes',
      'asm volatile("{\\n\\t"\n    ".reg .pred p;\\n\\t" /* p */\n    "setp.ne.u32 p, %1, 0;\\n" "@p mov.u32 %0, 1;}" : "+r"(r) : "r"(n));',
    ],
    ['a raw string', 'asm volatile(R"ptx(\n  mov.u32 %0, %%tid.x; // "x"\n)ptx" : "=r"(r));'],
    ['special registers with a doubled percent sign', 'asm("mov.u32 %0, %%laneid;" : "=r"(r));'],
    ['special registers without operands', 'asm volatile("{.reg .u32 t; mov.u32 t, %tid.x;}");'],
    ['a constant', 'asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" :: "r"(r), "l"(p), "n"(16));'],
    [
      'a constant of unknown value',
      'asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" :: "r"(r), "l"(p), "n"(sizeof(T)));',
    ],
    ['named operands', 'asm("add.u32 %[sum], %[a], 1;" : [sum] "=r"(r) : [a] "r"(n));'],
    [
      'an operand with a scope and a call',
      'asm("mov.b64 %0, %1;" : "=l"(l) : "l"(std::bit_cast<unsigned long long>(f(1, 2))));',
    ],
    ['a number that differs in each copy', 'asm volatile("{ L%=: bra L%=; }" ::);\n'.replace('::', ':: "r"(n)')],
    ['a feature of one target', 'asm volatile("wgmma.fence.sync.aligned;");'],
    ['a variable of the program', 'asm("mov.u64 %0, counter;" : "=l"(l));'],
    [
      'a register that another statement declares',
      'asm volatile(".reg .u32 shared_by_two;"); asm("add.u32 %0, shared_by_two, 1;" : "=r"(r));',
    ],
    [
      'assembly for the host',
      'asm volatile("cpuid" : "=a"(r) : "a"(0)); asm volatile("pause"); asm("movl %0, %%eax" :: "m"(r));',
    ],
    ['an empty text', 'asm volatile("" ::: "memory");'],
    ['a word that is no opcode', 'asm volatile("pause"); asm volatile("nop;");'],
    [
      'a comment and a string that mention asm',
      '// asm("add %0;")\n const char *s = "asm(\\"add;\\")"; char c = \'"\';',
    ],
  ])('%s', (_, statement) => {
    expect(findings(inKernel(statement))).toEqual([]);
  });
});

describe('statements without a legal opcode', () => {
  test.each([
    'clusterlaunchcontrol.try_cancel %0, %1;',
    'wgmma.commit.sync.aligned;',
    'mbarier.init.shared::cta.b64 [%0], %1;',
    'mbarrier.trywait.shared.b64 %0, [%1];',
    'cp.asynch.commit_group;',
    'ld_matrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];',
    'setmaxnreg.increase.sync.aligned.u32 64;',
    'membar;',
    '@%0 add %0, %1, 3;',
  ])('%s is PTX', (text) => {
    expect(findings(inKernel(`asm volatile("${text}" : "+r"(r) : "r"(n));`))).not.toEqual([]);
  });

  test.each([
    ['a function for the host', 'void f(int r) {'],
    ['a function for the host after one for the device', '__device__ int g() { return 1; }\nvoid f(int r) { if (r) {'],
    ['a function for both', '__host__ __device__ void f(int r) {'],
  ])('the name of an instruction alone is not taken for PTX in %s', (_, start) => {
    expect(findings(`${start} asm("add %0, %1" : "+r"(r) : "r"(r));`)).toEqual([]);
  });
});

describe('findings stand at their place in the file', () => {
  test.each([
    ['a modifier', 'asm("cvt.rz.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));', ['PTX2012 .rn']],
    ['behind escapes', 'asm("{\\n\\t.reg .pred p;\\n\\tsetp.nee.u32 p, %0, 0; }" :: "r"(n));', ['PTX2010 .nee']],
    ['in the second literal', 'asm("mov.u32 %0, 1;\\n" "mov.u3 %0, 2;" : "=r"(r));', ['PTX2010 .u3']],
    ['in a raw string', 'asm(R"(\n  mov.u3 %0, 2;)" : "=r"(r));', ['PTX2010 .u3']],
    ['an operand', 'asm("add.u32 %0, %1, 1;" : "=r"(r) : "f"(x));', ['PTX3004 %1']],
    ['a special register', 'asm("mov.u32 %0, %%tidd.x;" : "=r"(r));', ['PTX3001 %%tidd.x']],
    ['a register that nothing declares', 'asm("add.u32 %0, t, 1;" : "=r"(r));', ['PTX3001 t']],
    [
      'a constant that the instruction does not take',
      'asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" :: "r"(r), "l"(p), "n"(8));',
      ['PTX3003 %2'],
    ],
    ['no such operand', 'asm("add.u32 %0, %1, %2;" : "=r"(r) : "r"(n));', ['PTX7001 %2']],
    [
      'doubled percent signs that nvcc does not replace',
      'asm("{.reg .u32 t; mov.u32 t, %%tid.x;}" ::);',
      ['PTX1001 %'],
    ],
    ['a missing semicolon', 'asm("mov.u32 %0, 1" : "=r"(r));', ['PTX1001 ']],
    [
      'registers with one percent sign, each once',
      'asm("{.reg .pred %p1; setp.ne.u32 %p1, %0, 0; @%p1 mov.u32 %0, %r10;}" : "+r"(r));',
      ['PTX7003 %p1', 'PTX7003 %r10'],
    ],
  ])('%s', (_, statement, expected) => {
    const found = findings(inKernel(statement));
    expect(found.map((one) => one.slice(8))).toEqual(expected.map((one) => one.slice(8)));
    expect(found[0]?.slice(0, 5)).toBe(expected[0]?.slice(0, 5));
  });
});

describe('messages mention only what is in the file', () => {
  test.each([
    ['mov.u32 %0, 1', "unexpected end of the asm text; expected ';'"],
    ['mov.u32 %0, 1 // one', "unexpected end of the asm text; expected ';'"],
    ['add.u32 %0, %0,', 'unexpected end of the asm text; expected an operand'],
    ['{ mov.u32 %0, 1 }', "unexpected '}'; expected ';'"],
    ['bar.sync 0; membar.gl', "unexpected end of the asm text; expected ';'"],
  ])('%s', (text, message) => {
    const { diagnostics } = checkEmbedded(inKernel(`asm("${text}\\n" : "=r"(r));`), 'cuda');
    expect(diagnostics.map((found) => found.message)).toEqual([message]);
  });
});

describe('what cannot be known is not checked, and says so', () => {
  test.each([
    ['a macro in the text', 'asm("mov." TYPE " %0, 1;" : "=r"(r));'],
    ['a macro as a constraint', 'asm("mov.b64 %0, 1;" : POINTER(p));'],
    ['an operand that inserts text', 'asm("add.%1 %0, %0, 1;" : "+r"(r) : "C"(type));'],
    ['braces that another statement closes', 'asm volatile("{ .reg .pred p;");'],
    ['a declaration of the module', 'asm(".global .u32 counter;");'],
    [
      'a text with preprocessor conditions inside',
      'asm(\n#if X\n"ld.relaxed.gpu.global.u32"\n#else\n"ld.volatile.global.u32"\n#endif\n" %0, [%1];" : "=r"(r) : "l"(p));',
    ],
  ])('%s', (_, statement) => {
    expect(findings(inKernel(statement))).toEqual(['PTX7002 asm']);
  });

  test('names of registers that are not read as operands', () => {
    const names = inKernel('asm("{.reg .pred %p, %%p1; .reg .b64 %rd1; mov.b64 %rd1, 0;}" : "+r"(r));');
    expect(findings(names)).toEqual([]);
    expect(findings(inKernel('asm("{.reg .pred %p1;}");'))).toEqual([]);
    const operands = 'asm("mov.u32 %0, 1;" :\n#if X\n"=r"(a)\n#else\n"=r"(b)\n#endif\n);';
    expect(findings(inKernel(operands))).toEqual([]);
  });

  test('a file that is too long', () => {
    const statement = 'asm("mov.u3 %0, 1;" : "=r"(r));';
    expect(findings(inKernel(statement) + ' '.repeat(longestFile))).toEqual(['PTX7002 ']);
  });

  test('in the body of a macro, whose parameters are text', () => {
    expect(findings('#define ADD(type) \\\n  asm("add." #type " %0, %0, 1;" : "+r"(x))\n')).toEqual(['PTX7002 asm']);
  });
});

describe('targets', () => {
  const statement = 'asm volatile("griddepcontrol.wait;" ::: "memory");';

  it('are judged only if one is chosen', () => {
    expect(findings(inKernel(statement))).toEqual([]);
    expect(findings(inKernel(statement), 'cuda', { target: 'sm_80' })).toEqual(['PTX4002 griddepcontrol.wait']);
  });

  it('are not judged where the preprocessor decides', () => {
    const guarded = inKernel(`\n#if __CUDA_ARCH__ >= 900\n${statement}\n#endif\n`);
    expect(findings(guarded, 'cuda', { target: 'sm_80' })).toEqual([]);
    const header = `#ifndef SYNC_H\n#define SYNC_H\n${inKernel(statement)}\n#endif\n`;
    expect(findings(header, 'cuda', { target: 'sm_80' })).toHaveLength(1);
  });

  it('that accept the whole file are those that accept every statement', () => {
    const both = inKernel(`asm volatile("griddepcontrol.wait;"); asm volatile("wgmma.fence.sync.aligned;");`);
    const { targets } = checkEmbedded(both, 'cuda').requirements;
    expect(targets.map(({ target }) => target)).toEqual(['sm_90a']);
    expect(checkEmbedded(both, 'cuda').requirements.target).toBe('sm_90a');
  });
});

describe('whole files', () => {
  const folder = 'test/kernels/';
  const files = ['inline/inline.cu', 'inline/tensor-cores.cu', 'cuda/halves.cu', 'cuda/quantise.cu'];

  test.each(files)('%s has no findings but for what is not checked', (name) => {
    const found = findings(readFileSync(folder + name, 'utf8'));
    expect(found.filter((one) => !one.startsWith('PTX7002'))).toEqual([]);
  });

  test('tensor-cores.cu is for sm_90a alone, and says so for another target', () => {
    const source = readFileSync(`${folder}inline/tensor-cores.cu`, 'utf8');
    expect(asmStatements(source, 'cuda')).toHaveLength(7);
    expect(checkEmbedded(source, 'cuda').requirements.targets).toEqual([{ target: 'sm_90a', since: '8.0' }]);
    expect(new Set(findings(source, 'cuda', { target: 'sm_80' }).map((one) => one.slice(0, 7)))).toEqual(
      new Set(['PTX4002']),
    );
  });
});

describe('inline_asm_elementwise of Triton', () => {
  const call = (text: string, constraints = '"=r,r,r"'): string =>
    `import triton.language as tl\ndef f(x, y):\n    return tl.inline_asm_elementwise(${text}, ${constraints}, [x, y], dtype=tl.int32, is_pure=True, pack=1)\n`;

  test.each([
    ['a text', call('"add.u32 $0, $1, $2;"')],
    [
      'named arguments in another order',
      'tl.inline_asm_elementwise(constraints="=r,r", args=[x], pack=1, asm="""\n{\n  .reg .b32 t;\n  mov.b32 t, $1;\n  mov.b32 $0, t;\n}\n""", dtype=tl.int32, is_pure=True)',
    ],
    ['a text in a name', `ASM: tl.constexpr = (\n    "add.u32 $0, "  # sum\n    "$1, $2;"\n)\n${call('ASM')}`],
    ['outputs that are written early, and clobbers', call("'add.u32 $0, $1, $2;'", '"=&r,r,r,~{memory}"')],
    ['a special register', call('"mov.u32 $0, %tid.x;"')],
    ['floats as bits', call('"xor.b32 $0, $1, $2;"', '"=f,f,f"')],
    ['its definition', 'def inline_asm_elementwise(asm: str, constraints: str):\n    pass\n'],
  ])('accepts %s', (_, source) => {
    expect(findings(source, 'triton')).toEqual([]);
  });

  test.each([
    ['a modifier', call('"add.u3 $0, $1, $2;"'), ['PTX2010 .u3']],
    ['an operand', call('"add.u32 $0, $1, $5;"'), ['PTX7001 $5']],
    ['behind an escape', call(String.raw`"\n\tadd.u3 $0, $1, $2;"`), ['PTX2010 .u3']],
    ['in a name', `ASM = r"""\nadd.u3 $0, $1, $2;\n"""\n${call('ASM')}`, ['PTX2010 .u3']],
    ['an f-string', call('f"add.{kind} $0, $1, $2;"'), ['PTX7002 inl']],
    ['a name that is assigned twice', `ASM = "a"\nASM = "b"\n${call('ASM')}`, ['PTX7002 inl']],
    ['constraints from elsewhere', call('"add.u32 $0, $1, $2;"', 'constraints_of(x)'), ['PTX7002 inl']],
  ])('reports %s', (_, source, expected) => {
    const found = findings(source, 'triton');
    expect(found.map((one) => one.slice(8))).toEqual(expected.map((one) => one.slice(8)));
  });
});

describe('constraints', () => {
  test.each(constraintRows.filter(({ language, type }) => language !== 'triton' && type !== null))(
    '$constraint is a $type register',
    ({ constraint, type }) => {
      const move = type === '.b128' ? 'mov.b128' : `mov.${type?.replace(/^\./, '').replace('f', 'b')}`;
      expect(findings(inKernel(`asm("${move} %0, %1;" : "=${constraint}"(a) : "${constraint}"(b));`))).toEqual([]);
      const other = type === '.b64' || type === '.f64' ? 'mov.b32' : 'mov.b64';
      expect(findings(inKernel(`asm("${other} %0, %1;" : "=${constraint}"(a) : "${constraint}"(b));`))).not.toEqual([]);
    },
  );
});

test('files are recognized by their extensions', () => {
  expect(['a.cu', 'b/c.cuh', 'd.HPP', 'e.py', 'f.ptx', 'noextension', '<stdin>'].map(enclosingLanguage)).toEqual([
    'cuda',
    'cuda',
    'cuda',
    'triton',
    null,
    null,
    null,
  ]);
});

test('lines and literals may be of any length', () => {
  const long = 'a'.repeat(5_000_000);
  const source = `// ${long}\n#pragma ${long}\nconst char *s = "${long}";\n${inKernel('asm("mov.u3 %0, 2;" : "=r"(r));')}`;
  expect(findings(source)).toEqual(['PTX2010 .u3']);
  expect(findings(`s = "${long}"\ntl.inline_asm_elementwise("mov.u3 $0, $1;", "=r,r", [s])`, 'triton')).toEqual([
    'PTX2010 .u3',
  ]);
});

test('statements are found in any text without an exception', () => {
  const parts = [
    'asm',
    '(',
    ')',
    '"',
    "'",
    'R"(',
    ')"',
    '\\',
    '\n',
    '#if',
    '#define',
    '%0',
    ':',
    '{',
    '}',
    '/*',
    '*/',
    '//',
    'inline_asm_elementwise',
    '"""',
    'volatile',
    '[',
    ']',
    ',',
  ];
  let seed = 1;
  const next = (): number => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: 30 }, () => parts[Math.floor(next() * parts.length)] ?? '').join(
      next() < 0.5 ? ' ' : '',
    );
    for (const language of ['cuda', 'triton'] as const) {
      for (const { start, end } of asmStatements(text, language)) expect(end).toBeGreaterThan(start);
      for (const { span } of checkEmbedded(text, language).diagnostics)
        expect(span.end).toBeLessThanOrEqual(text.length);
    }
  }
});
