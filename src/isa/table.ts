/**
 * The table of all instruction forms, grouped by opcode. A form's syntax line is parsed when its opcode is first
 * requested, so unused opcodes cost nothing at start-up.
 */
import { elementAt } from '../base/element-at.ts';
import type { InstructionForm } from './form.ts';
import { bitFieldForms } from './forms/integer/bit-fields.ts';
import { bitSelectionForms } from './forms/integer/bit-selection.ts';
import { callForms } from './forms/control/calls.ts';
import { carryForms } from './forms/integer/carry.ts';
import { comparisonForms } from './forms/comparison/comparison.ts';
import { controlForms } from './forms/control/control.ts';
import { bulkForms } from './forms/async/bulk.ts';
import { remoteForms } from './forms/async/remote.ts';
import { tensorMapForms } from './forms/async/tensor-map.ts';
import { tensorCopyForms } from './forms/async/tensor-copy.ts';
import { multimemForms } from './forms/memory/multimem.ts';
import { barrierObjectForms } from './forms/async/mbarrier.ts';
import { asyncCopyForms } from './forms/async/async-copy.ts';
import { atomicForms } from './forms/memory/atomic.ts';
import { cacheForms } from './forms/memory/cache-control.ts';
import { clusterForms } from './forms/warp/cluster.ts';
import { cvtForms } from './forms/conversion/cvt.ts';
import { cvtPackForms } from './forms/conversion/cvt-pack.ts';
import { cvtaForms } from './forms/conversion/cvta.ts';
import { floatForms } from './forms/float/arithmetic.ts';
import { floatClassForms } from './forms/float/classes.ts';
import { divisionForms } from './forms/float/division.ts';
import { extremaForms } from './forms/float/extrema.ts';
import { floatFunctionForms } from './forms/float/functions.ts';
import { halfForms } from './forms/float/half-arithmetic.ts';
import { integerForms } from './forms/integer/arithmetic.ts';
import { logicForms } from './forms/comparison/logic.ts';
import { memoryForms } from './forms/memory/memory.ts';
import { matrixMoveForms } from './forms/matrix/moves.ts';
import { denseForms } from './forms/matrix/mma.ts';
import { scaledForms } from './forms/matrix/scaled.ts';
import { sparseMmaForms } from './forms/matrix/sparse.ts';
import { wgmmaForms } from './forms/matrix/wgmma.ts';
import { wmmaForms } from './forms/matrix/wmma.ts';
import { surfaceForms } from './forms/texture/surfaces.ts';
import { textureForms } from './forms/texture/textures.ts';
import { tensorMoveForms } from './forms/tensor/moves.ts';
import { tensorProductForms } from './forms/tensor/products.ts';
import { mixedForms } from './forms/float/mixed-arithmetic.ts';
import { movForms } from './forms/memory/mov.ts';
import { narrowProductForms } from './forms/integer/narrow-products.ts';
import { selectionForms } from './forms/comparison/set.ts';
import { videoMultiplyForms } from './forms/video/multiply.ts';
import { scalarVideoForms } from './forms/video/scalar.ts';
import { stackForms } from './forms/control/stack.ts';
import { simdVideoForms } from './forms/video/simd.ts';
import { warpForms } from './forms/warp/warp.ts';
import { type CompiledForm, compileForm, splitMnemonic } from './notation.ts';
import { opcodesOutside } from './opcodes.ts';

/** All forms; within a family, in the order of the ISA's chapters. */
export const allForms: readonly InstructionForm[] = [
  ...integerForms,
  ...bitFieldForms,
  ...narrowProductForms,
  ...carryForms,
  ...floatClassForms,
  ...floatForms,
  ...divisionForms,
  ...extremaForms,
  ...floatFunctionForms,
  ...halfForms,
  ...mixedForms,
  ...comparisonForms,
  ...selectionForms,
  ...logicForms,
  ...bitSelectionForms,
  ...movForms,
  ...memoryForms,
  ...cacheForms,
  ...asyncCopyForms,
  ...bulkForms,
  ...tensorCopyForms,
  ...tensorMapForms,
  ...remoteForms,
  ...barrierObjectForms,
  ...multimemForms,
  ...clusterForms,
  ...atomicForms,
  ...warpForms,
  ...matrixMoveForms,
  ...wmmaForms,
  ...wgmmaForms,
  ...textureForms,
  ...surfaceForms,
  ...tensorMoveForms,
  ...tensorProductForms,
  ...denseForms,
  ...sparseMmaForms,
  ...scaledForms,
  ...cvtaForms,
  ...cvtForms,
  ...cvtPackForms,
  ...scalarVideoForms,
  ...videoMultiplyForms,
  ...simdVideoForms,
  ...stackForms,
  ...controlForms,
  ...callForms,
];

/** The table by opcode, built once for a list of forms. */
export class FormTable {
  private readonly byOpcode = new Map<string, InstructionForm[]>();
  private readonly compiled = new Map<string, readonly CompiledForm[]>();
  private readonly all: readonly string[];
  /** The opcodes that start with given words, indexed by these words: `mad` leads to `mad.lo` and `mad.hi`. */
  private readonly byStart = new Map<string, string[]>();

  constructor(forms: readonly InstructionForm[]) {
    for (const form of forms) {
      const { opcode } = splitMnemonic(elementAt(form.syntax.split(/[\s{]/, 1), 0));
      const list = this.byOpcode.get(opcode);
      if (list === undefined) this.byOpcode.set(opcode, [form]);
      else list.push(form);
    }
    this.all = [...this.byOpcode.keys()];
    for (const opcode of this.all) {
      for (let end = opcode.indexOf('.'); end >= 0; end = opcode.indexOf('.', end + 1)) {
        const start = opcode.slice(0, end);
        const list = this.byStart.get(start);
        if (list === undefined) this.byStart.set(start, [opcode]);
        else list.push(opcode);
      }
    }
  }

  /** The opcodes in the table, in its order. */
  opcodes(): readonly string[] {
    return this.all;
  }

  /** The opcodes that consist of `opcode` and further words, in the table's order. */
  longerOpcodes(opcode: string): readonly string[] {
    return this.byStart.get(opcode) ?? [];
  }

  /** The forms of an opcode; empty if the table has none. */
  forms(opcode: string): readonly CompiledForm[] {
    const known = this.compiled.get(opcode);
    if (known !== undefined) return known;
    const made = (this.byOpcode.get(opcode) ?? []).map(compileForm);
    if (made.length > 0) this.compiled.set(opcode, made);
    return made;
  }
}

/** The table of the PTX instructions that this version of ptxlab knows. */
export const ptxForms: FormTable = new FormTable(allForms);

/** True for the opcode of any PTX instruction, whether or not it is in the table. */
export function isOpcode(text: string): boolean {
  return opcodesOutside.has(text) || ptxForms.forms(text).length > 0;
}
