import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { demangle, withDemangled } from './demangle.ts';

/** Mangled names from g++ and nvcc, with the corresponding C++ names. */
const names: Readonly<Record<string, string>> = {
  _Z1kPf: 'k(float*)',
  _Z5scaleIfEvPT_i: 'void scale<float>(float*, int)',
  _Z6divideIxEvPKT_PS0_: 'void divide<long long>(long long const*, long long*)',
  _Z2k2PFvifE: 'k2(void (*)(int, float))',
  _Z2k3RA5_i: 'k3(int (&) [5])',
  _Z2u5PA3_A4_i: 'u5(int (*) [3][4])',
  _Z2u6PFPFifEiE: 'u6(int (*(*)(int))(float))',
  _Z2t1IJifN1a1EEEEvDpT_: 'void t1<int, float, a::E>(int, float, a::E)',
  _Z2t1IJEEvDpT_: 'void t1<>()',
  _Z2t2ILin3ELb1ELj4ELl5ELN1a1EE1EEvv: 'void t2<-3, true, 4u, 5l, (a::E)1>()',
  _Z2t5IXadL_Z2k0PfiEEEvv: 'void t5<&(k0(float*, int))>()',
  _ZNK1a1b1VIfLi4EEixEi: 'a::b::V<float, 4>::operator[](int) const',
  _ZN1a1b1VIfLi4EEC2IiEET_: 'a::b::V<float, 4>::V<int>(int)',
  _ZN1a1b1VIfLi4EED1Ev: 'a::b::V<float, 4>::~V()',
  _ZN12_GLOBAL__N_16hiddenEPi: '(anonymous namespace)::hidden(int*)',
  _ZZ9block_sumE4part: 'block_sum::part',
  _ZZ15block_inclusiveIjET_S0_RS0_E5warps: 'block_inclusive<unsigned int>(unsigned int, unsigned int&)::warps',
  _ZZ3usevENKUlifE_clEif: 'use()::{lambda(int, float)#1}::operator()(int, float) const',
  _Z1fSsRKSaIcE: 'f(std::string, std::allocator<char> const&)',
};

describe('demangle', () => {
  it.each(Object.entries(names))('%s is %s', (mangled, name) => {
    expect(demangle(mangled)).toBe(name);
  });

  it.each(['k', '_Z', '_Zx', '_Z3k', '_Z1kP', '_Z1kT_', '_Z1kS0_', '_ZN1a', `_Z1k${'P'.repeat(3000)}i`])(
    '%s is not a name',
    (text) => expect(demangle(text)).toBeNull(),
  );

  it('is put behind each mangled name of a text', () => {
    expect(withDemangled("'_Z1kPf' calls _Zx and _Z1gv.")).toBe("'_Z1kPf (k(float*))' calls _Zx and _Z1gv (g()).");
  });

  it('leaves out the template arguments of long names in messages', () => {
    const deep = `${'1VI'.repeat(40)}i${'E'.repeat(40)}`;
    expect(withDemangled(`_Z6reduceI${deep}EvPT_${deep}`)).toMatch(/ \(void reduce<…>\(V<…>\*, V<…>\)\)$/);
  });

  const hasFilter = spawnSync('c++filt', ['--version']).status === 0;

  it.skipIf(!hasFilter)('agrees with c++filt on the names in real modules (needs c++filt)', () => {
    const folder = new URL('../../../test/kernels/cuda/', import.meta.url);
    const files = readdirSync(folder).filter((name) => name.endsWith('.ptx'));
    const texts = files.map((name) => readFileSync(new URL(name, folder), 'latin1'));
    const mangled = [...new Set(texts.flatMap((text) => text.match(/\b_Z\w+/g) ?? []))];
    const { stdout } = spawnSync('c++filt', { input: mangled.join('\n'), encoding: 'utf8' });
    const expected = stdout
      .trimEnd()
      .split('\n')
      .map((name) => name.replaceAll('> >', '>>'));
    expect(mangled.map((name) => demangle(name) ?? name)).toEqual(expected);
  });
});
