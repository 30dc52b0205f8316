/**
 * Mutants of real modules, chosen by a seed. A mutant differs from the original either in one or two tokens, or in its
 * version and target.
 */
import { elementAt } from '../../src/base/element-at.ts';
import { check } from '../../src/check/check.ts';
import { formatVersion, targets, versions } from '../../src/isa/targets.ts';
import { randomSource } from '../kernels/reference.ts';

/** A valid module. */
export interface RealModule {
  readonly file: string;
  readonly header: string;
  readonly body: string;
}

export interface Mutant {
  readonly text: string;
  /** The change, such as `line 7: add -> sub`. */
  readonly what: string;
}

/** The maximum size of a module in characters. The size is limited because ptxas runs thousands of times. */
const longest = 14_000;

/**
 * Splits a file into functions, and returns each function that is valid on its own as a separate module. A short file
 * is not split.
 */
export function modulesOf(file: string, source: string): readonly RealModule[] {
  const text = source.replace(/^\s*\/\/.*$/gm, '');
  const header = /\.version[^\n]*\s*\.target[^\n]*\s*(\.address_size[^\n]*\s)?/.exec(text)?.[0] ?? '';
  const behind = text.slice(text.indexOf(header) + header.length);
  const parts = text.length < longest ? [behind] : behind.split(/(?=^\.(?:visible|weak|extern|func|entry)[^;]*?\()/m);
  const modules = parts.map((body) => ({ file, header, body }));
  return modules.filter(({ body }) => body.length < longest && /^}/m.test(body) && isLegal(header + body));
}

function isLegal(text: string): boolean {
  return check(text).diagnostics.every(({ severity }) => severity !== 'error');
}

const token = /\/\/[^\n]*|"[^"\n]*"|[.%$_A-Za-z][\w$]*|\d[\w.]*|\s+|./g;
const dotted =
  '.u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .b8 .b16 .b32 .b64 .b128 .f16 .f16x2 .bf16 .f32 .f64 .pred .rn .rz .ftz .sat .lo .hi .wide .global .shared .local .param .const .volatile .v2 .v4 .relaxed .acquire .gpu .sys .cta .approx .to .uni .sync .x .y .aligned .relu .satfinite .noreturn .align .visible .weak .extern .common .reg .maxntid .pragma .unified'.split(
    ' ',
  );
const plain =
  '0 1 -1 2 7 32 33 64 256 65536 4294967295 0x7fffffff 0x80000000 1.0 0f3F800000 0d3FF0000000000000 1U 017 08 %r1 %rd1 %f1 %p1 %rs1 %tid.x %clock64 %cluster_ctarank WARP_SZ _ {} {%r1,%r2} [%rd1] [%rd1+4] !%p1 -%r1 %r1|%p1 %r1.x'.split(
    ' ',
  );

/** Creates mutants. The same seed and the same modules always produce the same mutants. */
export class ModuleMutator {
  private readonly random: () => number;
  private readonly modules: readonly RealModule[];

  constructor(modules: readonly RealModule[], seed: number) {
    if (modules.length === 0) throw new Error('no module to start from: name some PTX files');
    this.modules = modules;
    this.random = randomSource(seed);
  }

  next(): Mutant & { readonly file: string } {
    const module = this.pick(this.modules);
    return { file: module.file, ...(this.random() < 0.8 ? this.mutated(module) : this.moved(module)) };
  }

  pick<T>(values: readonly T[]): T {
    return elementAt(values, Math.floor(this.random() * values.length));
  }

  private mutated({ header, body }: RealModule): Mutant {
    const tokens = (header + body).match(token) ?? [];
    const solid = tokens.filter((text) => /\S/.test(text) && !text.startsWith('//'));
    const notes: string[] = [];
    for (let left = this.random() < 0.8 ? 1 : 2; left > 0; left--) {
      const at = Math.floor(this.random() * tokens.length);
      const old = tokens[at] ?? '';
      if (!/\S/.test(old)) continue;
      tokens[at] = this.changed(old, solid);
      notes.push(`line ${tokens.slice(0, at).join('').split('\n').length}: ${old} -> ${tokens[at]}`);
    }
    return { text: tokens.join(''), what: notes.join('; ') };
  }

  private changed(old: string, solid: readonly string[]): string {
    const roll = this.random();
    if (roll < 0.12) return '';
    if (roll < 0.2) return `${old} ${old}`;
    if (roll < 0.5) return this.pick(solid);
    if (old.startsWith('.')) return this.pick(dotted);
    return roll < 0.6 ? old + this.pick(dotted) : this.pick(plain);
  }

  /** Returns the same module with a different version and target in its header. */
  private moved({ body }: RealModule): Mutant {
    const target = this.pick(targets.filter(({ sm }) => sm >= 75));
    const version = formatVersion(this.pick(versions.filter((one) => one >= 500 && one <= 900)));
    return {
      text: `.version ${version}\n.target ${target.name}\n.address_size 64\n${body}`,
      what: `${version} ${target.name}`,
    };
  }
}
