/**
 * The table of all instruction forms, grouped by opcode. The forms of a family are not created until one of its opcodes
 * is requested for the first time, so opcodes that are not used cost nothing at start-up.
 */
import { append } from '../base/append.ts';
import { elementAt } from '../base/element-at.ts';
import { keysOf } from '../base/records.ts';
import type { InstructionForm } from './form.ts';
import { bitFieldForms } from './forms/integer/bit-fields.ts';
import { bitSelectionForms } from './forms/integer/bit-selection.ts';
import { callForms } from './forms/control/calls.ts';
import { carryForms } from './forms/integer/carry.ts';
import { comparisonForms } from './forms/comparison/comparison.ts';
import { controlForms } from './forms/control/control.ts';
import { bulkForms, multimemCopyForms } from './forms/async/bulk.ts';
import { multimemRemoteForms, remoteForms } from './forms/async/remote.ts';
import { clusterLaunchForms } from './forms/async/cluster-launch.ts';
import { tensorMapForms } from './forms/async/tensor-map.ts';
import { tensorCopyForms } from './forms/async/tensor-copy.ts';
import { multimemForms } from './forms/memory/multimem.ts';
import { barrierObjectForms } from './forms/async/mbarrier.ts';
import { asyncCopyForms } from './forms/async/async-copy.ts';
import { atomicForms } from './forms/memory/atomic.ts';
import { cacheForms } from './forms/memory/cache-control.ts';
import { clusterBarrierForms } from './forms/warp/cluster-barrier.ts';
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
import { carrylessForms } from './forms/integer/carryless.ts';
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
import { alternateForms } from './forms/float/alternate-arithmetic.ts';
import { mixedForms } from './forms/float/mixed-arithmetic.ts';
import { mixedPairForms } from './forms/float/mixed-pairs.ts';
import { movForms } from './forms/memory/mov.ts';
import { narrowProductForms } from './forms/integer/narrow-products.ts';
import { selectionForms } from './forms/comparison/set.ts';
import { videoMultiplyForms } from './forms/video/multiply.ts';
import { scalarVideoForms } from './forms/video/scalar.ts';
import { stackForms } from './forms/control/stack.ts';
import { simdVideoForms } from './forms/video/simd.ts';
import { warpForms } from './forms/warp/warp.ts';
import { type CompiledForm, compileForm, opcodeIn } from './notation.ts';
import { opcodesOutside } from './missing-forms.ts';
import { type FamilyName, familyOpcodes } from './opcodes.ts';

/** A group of related forms, with a list of all their opcodes. */
export interface FormFamily {
  /** The opcodes, in the order in which they first occur in `forms`. */
  readonly opcodes: readonly string[];
  readonly forms: () => readonly InstructionForm[];
}

/**
 * Makes a family whose forms are not created until they are first needed, because creating the forms of all families
 * takes 30 ms.
 *
 * @param opcodes the opcodes, separated by spaces
 */
export function family(opcodes: string, make: FormFamily['forms']): FormFamily {
  let made: readonly InstructionForm[] | null = null;
  return { opcodes: opcodes.split(' '), forms: () => (made ??= make()) };
}

const makers: Readonly<Record<FamilyName, FormFamily['forms']>> = {
  carryless: carrylessForms,
  integer: integerForms,
  bitField: bitFieldForms,
  narrowProduct: narrowProductForms,
  carry: carryForms,
  floatClass: floatClassForms,
  float: floatForms,
  division: divisionForms,
  extrema: extremaForms,
  floatFunction: floatFunctionForms,
  half: halfForms,
  mixed: mixedForms,
  mixedPair: mixedPairForms,
  alternate: alternateForms,
  comparison: comparisonForms,
  selection: selectionForms,
  logic: logicForms,
  bitSelection: bitSelectionForms,
  mov: movForms,
  memory: memoryForms,
  cache: cacheForms,
  asyncCopy: asyncCopyForms,
  bulk: bulkForms,
  tensorCopy: tensorCopyForms,
  tensorMap: tensorMapForms,
  clusterLaunch: clusterLaunchForms,
  remote: remoteForms,
  multimemRemote: multimemRemoteForms,
  barrierObject: barrierObjectForms,
  multimem: multimemForms,
  multimemCopy: multimemCopyForms,
  clusterBarrier: clusterBarrierForms,
  cluster: clusterForms,
  atomic: atomicForms,
  warp: warpForms,
  matrixMove: matrixMoveForms,
  wmma: wmmaForms,
  wgmma: wgmmaForms,
  texture: textureForms,
  surface: surfaceForms,
  tensorMove: tensorMoveForms,
  tensorProduct: tensorProductForms,
  dense: denseForms,
  sparseMma: sparseMmaForms,
  scaled: scaledForms,
  cvta: cvtaForms,
  cvt: cvtForms,
  cvtPack: cvtPackForms,
  scalarVideo: scalarVideoForms,
  videoMultiply: videoMultiplyForms,
  simdVideo: simdVideoForms,
  stack: stackForms,
  control: controlForms,
  call: callForms,
};

/** The families in the order of the table. */
export const families: readonly FormFamily[] = keysOf(familyOpcodes).map((name) =>
  family(familyOpcodes[name], makers[name]),
);

/** Forms by opcode. */
export interface OpcodeTable {
  /** All opcodes, in the order of the table. */
  opcodes(): readonly string[];
  /** The opcodes that consist of `opcode` and additional words, in the order of the table. */
  longerOpcodes(opcode: string): readonly string[];
  /** The forms of an opcode; empty if the table has none. */
  forms(opcode: string): readonly CompiledForm[];
}

export class FormTable implements OpcodeTable {
  private readonly familiesOf = new Map<string, FormFamily[]>();
  private readonly made = new Map<FormFamily, ReadonlyMap<string, readonly InstructionForm[]>>();
  private readonly compiled = new Map<string, readonly CompiledForm[]>();
  private readonly all: readonly string[];
  /**
   * Maps the first words of opcodes to the longer opcodes that start with these words, for example `mad` to `mad.lo`
   * and `mad.hi`.
   */
  private readonly byStart = new Map<string, string[]>();

  constructor(list: readonly FormFamily[]) {
    for (const one of list) for (const opcode of one.opcodes) append(this.familiesOf, opcode, one);
    this.all = [...this.familiesOf.keys()];
    for (const opcode of this.all) {
      for (let end = opcode.indexOf('.'); end >= 0; end = opcode.indexOf('.', end + 1))
        append(this.byStart, opcode.slice(0, end), opcode);
    }
  }

  opcodes(): readonly string[] {
    return this.all;
  }

  longerOpcodes(opcode: string): readonly string[] {
    return this.byStart.get(opcode) ?? [];
  }

  forms(opcode: string): readonly CompiledForm[] {
    const known = this.compiled.get(opcode);
    if (known !== undefined) return known;
    const found = this.familiesOf.get(opcode);
    if (found === undefined) return [];
    const made = found.flatMap((one) => this.formsOf(one).get(opcode) ?? []).map(compileForm);
    this.compiled.set(opcode, made);
    return made;
  }

  private formsOf(one: FormFamily): ReadonlyMap<string, readonly InstructionForm[]> {
    const known = this.made.get(one);
    if (known !== undefined) return known;
    const byOpcode = new Map<string, InstructionForm[]>();
    for (const form of one.forms()) append(byOpcode, opcodeOf(form), form);
    this.made.set(one, byOpcode);
    return byOpcode;
  }
}

/** The opcode of a form's syntax line. */
export function opcodeOf({ syntax }: InstructionForm): string {
  return opcodeIn(elementAt(syntax.split(/[\s{]/, 1), 0));
}

/** The table of the PTX instructions that this version of ptxlab recognizes. */
export const ptxForms: FormTable = new FormTable(families);

/** All forms, in the order of the families. */
export function allForms(): readonly InstructionForm[] {
  return families.flatMap(({ forms }) => forms());
}

/** True for the opcode of any PTX instruction, whether or not it is in the table. */
export function isOpcode(text: string): boolean {
  return opcodesOutside.has(text) || ptxForms.forms(text).length > 0;
}
