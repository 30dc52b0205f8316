/**
 * Parses the ISA's syntax lines. Each part of a line such as `cvt.rn.satfinite{.relu}.f8x2type.f32 d, a, b` becomes a
 * type slot or a modifier axis. Types must be written in the order of their slots; most modifiers can be written in any
 * order. Each part is the name of a type, of a modifier, of a set that the form defines, or of a set from modifiers.ts.
 * Braces around a part mean that it is optional.
 */
import { elementAt } from '../base/element-at.ts';
import type { InstructionForm, Variant } from './form.ts';
import { literalAxis, modifierSets, orderedKind } from './modifiers.ts';
import { opcodesOutside } from './opcodes.ts';
import { isTypeName, type TypeName, typeOf } from './types.ts';

export interface Slot {
  /** The name in the syntax line: `dtype`, `f8x2type`, or the name of the type itself. */
  readonly name: string;
  readonly types: readonly TypeName[];
}

export interface Axis {
  readonly axis: string;
  readonly name: string;
  readonly values: readonly string[];
  readonly optional: boolean;
}

/** One dot-part of a syntax line. The part is described by the index of a type slot or by the index of an axis. */
export type Part = { readonly slot: number } | { readonly axis: number };

export interface CompiledForm {
  readonly form: InstructionForm;
  readonly opcode: string;
  readonly slots: readonly Slot[];
  readonly axes: readonly Axis[];
  /** The dot-separated parts after the opcode, in order. */
  readonly parts: readonly Part[];
  /** Pairs of axes whose modifiers must be written in this order. */
  readonly ordered: readonly (readonly [before: string, after: string])[];
}

/** Words that count as part of the opcode, because they must come directly after it. */
const subOpcodes: ReadonlySet<string> = new Set([
  'cvt.pack',
  'cvta.to',
  'div.full',
  'mul.lo',
  'mul.hi',
  'mul.wide',
  'mad.lo',
  'mad.hi',
  'mad.wide',
  'bar.cta',
  'brx.idx',
  'bar.arrive',
  'bar.red',
  'bar.warp',
  'barrier.cta',
  'barrier.arrive',
  'barrier.red',
  'cp.async',
  'cp.async.mbarrier.arrive',
  'cp.async.bulk',
  'cp.async.bulk.commit_group',
  'cp.async.bulk.wait_group',
  'cp.async.bulk.prefetch',
  'cp.async.bulk.prefetch.tensor',
  'cp.async.bulk.tensor',
  'cp.reduce.async.bulk',
  'cp.reduce.async.bulk.tensor',
  'fence.proxy',
  'st.async',
  'st.bulk',
  'red.async',
  'multimem.ld_reduce',
  'multimem.red',
  'multimem.st',
  'barrier.cluster.arrive',
  'barrier.cluster.wait',
  'mbarrier.init',
  'mbarrier.inval',
  'mbarrier.pending_count',
  'mbarrier.expect_tx',
  'mbarrier.complete_tx',
  'mbarrier.arrive',
  'mbarrier.arrive.expect_tx',
  'mbarrier.arrive_drop',
  'mbarrier.arrive_drop.expect_tx',
  'mbarrier.test_wait',
  'mbarrier.test_wait.parity',
  'mbarrier.try_wait',
  'mbarrier.try_wait.parity',
  'createpolicy.fractional',
  'createpolicy.range',
  'createpolicy.cvt',
  'pmevent.mask',
  'wmma.load.a',
  'wmma.load.b',
  'wmma.load.c',
  'wmma.store.d',
  'wmma.mma',
  'wgmma.mma_async',
  'wgmma.fence',
  'wgmma.commit_group',
  'wgmma.wait_group',
  'tcgen05.alloc',
  'tcgen05.dealloc',
  'tcgen05.relinquish_alloc_permit',
  'tcgen05.ld',
  'tcgen05.ld.red',
  'tcgen05.st',
  'tcgen05.wait::ld',
  'tcgen05.wait::st',
  'tcgen05.cp',
  'tcgen05.shift',
  'tcgen05.fence::before_thread_sync',
  'tcgen05.fence::after_thread_sync',
  'tcgen05.commit',
  'tcgen05.mma',
  'tcgen05.mma.ws',
  'tex.base',
  'tex.level',
  'tex.grad',
  'txq.level',
  'suld.b',
  'sust.b',
  'sust.p',
  'sured.b',
  'sured.p',
  'tensormap.replace',
  'tensormap.cp_fenceproxy',
  'clusterlaunchcontrol.try_cancel',
  'clusterlaunchcontrol.query_cancel',
  'setmaxnreg.inc',
  'setmaxnreg.dec',
]);

const mostWords = 5;

/** The first words of all opcodes that consist of several words. */
const firstWords: ReadonlySet<string> = new Set(
  [...subOpcodes, ...opcodesOutside.keys()].map((opcode) => elementAt(opcode.split('.', 1), 0)),
);

/**
 * Splits a mnemonic into opcode and dot-separated parts; opcodes can consist of several words, such as `cvt.pack` or
 * `mul.wide`.
 */
export function splitMnemonic(mnemonic: string): { readonly opcode: string; readonly parts: readonly string[] } {
  const [first = '', ...rest] = mnemonic.split('.');
  const parts = rest.map((part) => `.${part}`);
  if (!firstWords.has(first)) return { opcode: first, parts };
  for (let words = Math.min(mostWords, rest.length + 1); words > 1; words--) {
    const opcode = [first, ...rest.slice(0, words - 1)].join('.');
    if (subOpcodes.has(opcode) || opcodesOutside.has(opcode)) return { opcode, parts: parts.slice(words - 1) };
  }
  return { opcode: first, parts };
}

/**
 * Parses the form's syntax line. Throws an error if the syntax line is malformed, because this means that there is a
 * mistake in the table.
 */
export function compileForm(form: InstructionForm): CompiledForm {
  const mnemonic = elementAt(form.syntax.split(/\s/, 1), 0);
  const words: readonly string[] = mnemonic.match(/\{\.[^}]+\}|\.?[^.{}]+/g) ?? [];
  const bare = words.map((word) => word.replace(/[{}]/g, ''));
  const { opcode, parts: names } = splitMnemonic(bare.join(''));
  const slots: Slot[] = [];
  const axes: Axis[] = [];
  const parts: Part[] = [];
  for (const name of names) {
    const optional = words.includes(`{${name}}`);
    const types = slotTypes(form, name.slice(1));
    if (types !== null) {
      parts.push({ slot: slots.length });
      slots.push({ name: name.slice(1), types });
    } else {
      parts.push({ axis: axes.length });
      const made = makeAxis(form, name, optional);
      // If two axes would have the same name, the second one is named after its set, so that the two remain separate
      // choices.
      axes.push(axes.some(({ axis }) => axis === made.axis) ? { ...made, axis: made.name } : made);
    }
  }
  return { form, opcode, slots, axes, parts, ordered: orderedPairs(axes) };
}

function orderedPairs(axes: readonly Axis[]): readonly (readonly [before: string, after: string])[] {
  return axes.flatMap((after, i) => {
    const kind = orderedKind(after.values);
    const before = kind === null ? [] : axes.slice(0, i).filter(({ values }) => orderedKind(values) === kind);
    return before.map(({ axis }) => [axis, after.axis] as const);
  });
}

function slotTypes(form: InstructionForm, name: string): readonly TypeName[] | null {
  const own = form.sets?.[name];
  if (own !== undefined) return own.every((value) => isTypeName(value)) ? own : null;
  if (modifierSets[name] !== undefined) return null;
  const type = `.${name}`;
  return isTypeName(type) ? [type] : null;
}

function makeAxis(form: InstructionForm, name: string, optional: boolean): Axis {
  const word = name.slice(1);
  const own = form.sets?.[word];
  if (own !== undefined) return { axis: literalAxis(own[0] ?? name), name: word, values: own, optional };
  const shared = modifierSets[word];
  if (shared !== undefined) return { axis: shared.axis, name: word, values: shared.values, optional };
  return { axis: literalAxis(name), name: word, values: [name], optional };
}

/**
 * Makes the variant for these choices, which the caller must already have checked. The keys of `modifiers` are the
 * names of the axes; an axis without a modifier has no entry.
 */
export function makeVariant(
  compiled: CompiledForm,
  types: readonly TypeName[],
  modifiers: Readonly<Record<string, string>>,
): Variant {
  return {
    form: compiled.form,
    mnemonic: printMnemonic(compiled, types, modifiers),
    types: types.map(typeOf),
    modifiers,
  };
}

/** The mnemonic for these choices, with modifiers in the order of the syntax line. */
export function printMnemonic(
  compiled: CompiledForm,
  types: readonly TypeName[],
  modifiers: Readonly<Record<string, string>>,
): string {
  let text = compiled.opcode;
  for (const part of compiled.parts) {
    if ('slot' in part) text += types[part.slot] ?? '';
    else text += modifiers[elementAt(compiled.axes, part.axis).axis] ?? '';
  }
  return text;
}
