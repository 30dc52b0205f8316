/**
 * The table of all instruction forms, grouped by opcode. The forms of a family are not created until one of its opcodes
 * is requested for the first time, so opcodes that are not used cost nothing at start-up.
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
import { type CompiledForm, compileForm, splitMnemonic } from './notation.ts';
import { opcodesOutside } from './opcodes.ts';

/** A group of related forms, with a list of all their opcodes. */
export interface FormFamily {
  /** The opcodes, in the order in which they first occur in `forms`. */
  readonly opcodes: readonly string[];
  /**
   * Creates the forms. The function is called only when the forms are first needed, because creating the forms of all
   * families takes 30 ms.
   */
  readonly forms: () => readonly InstructionForm[];
}

/** @param opcodes the opcodes, separated by spaces */
export function family(opcodes: string, make: FormFamily['forms']): FormFamily {
  let made: readonly InstructionForm[] | null = null;
  return { opcodes: opcodes.split(' '), forms: () => (made ??= make()) };
}

/** The families in the order of the ISA's chapters. */
export const families: readonly FormFamily[] = [
  family('clmad', carrylessForms),
  family('add sub mul.lo mul.hi mul.wide mad.lo mad.hi mad.wide div rem sad abs neg min max', integerForms),
  family('popc clz brev bfind fns bfe bfi szext bmsk', bitFieldForms),
  family('mul24 mad24 dp4a dp2a', narrowProductForms),
  family('add addc sub subc mad.lo madc mad.hi', carryForms),
  family('testp copysign', floatClassForms),
  family('add sub mul fma mad', floatForms),
  family('div div.full rcp', divisionForms),
  family('abs neg min max', extremaForms),
  family('sqrt rsqrt sin cos lg2 ex2 tanh', floatFunctionForms),
  family('add sub mul fma neg abs min max', halfForms),
  family('add sub fma', mixedForms),
  family('add sub fma mul', mixedPairForms),
  family('add sub mul fma', alternateForms),
  family('setp selp', comparisonForms),
  family('set slct', selectionForms),
  family('and or xor not shl shr', logicForms),
  family('cnot lop3 shf prmt', bitSelectionForms),
  family('mov', movForms),
  family('ld ldu st', memoryForms),
  family(
    'prefetch prefetchu applypriority discard createpolicy.fractional createpolicy.range createpolicy.cvt',
    cacheForms,
  ),
  family('cp.async', asyncCopyForms),
  family(
    'cp.async.bulk cp.async.bulk.prefetch cp.reduce.async.bulk cp.async.bulk.commit_group cp.async.bulk.wait_group st.bulk',
    bulkForms,
  ),
  family('cp.async.bulk.tensor cp.async.bulk.prefetch.tensor cp.reduce.async.bulk.tensor', tensorCopyForms),
  family('tensormap.replace tensormap.cp_fenceproxy', tensorMapForms),
  family('clusterlaunchcontrol.try_cancel clusterlaunchcontrol.query_cancel', clusterLaunchForms),
  family('st.async red.async', remoteForms),
  family(
    'mbarrier.init mbarrier.inval mbarrier.pending_count mbarrier.expect_tx mbarrier.complete_tx mbarrier.arrive mbarrier.arrive.expect_tx mbarrier.arrive_drop mbarrier.arrive_drop.expect_tx mbarrier.test_wait mbarrier.test_wait.parity mbarrier.try_wait mbarrier.try_wait.parity cp.async.mbarrier.arrive',
    barrierObjectForms,
  ),
  family('multimem.ld_reduce multimem.red multimem.st', multimemForms),
  family('barrier.cluster.arrive barrier.cluster.wait', clusterBarrierForms),
  family('mapa getctarank griddepcontrol setmaxnreg.inc setmaxnreg.dec pmevent pmevent.mask', clusterForms),
  family('atom red', atomicForms),
  family('shfl vote match redux activemask elect', warpForms),
  family('ldmatrix stmatrix movmatrix', matrixMoveForms),
  family('wmma.load.a wmma.load.b wmma.load.c wmma.store.d wmma.mma', wmmaForms),
  family('wgmma.mma_async wgmma.fence wgmma.commit_group wgmma.wait_group', wgmmaForms),
  family('tex tex.base tex.level tex.grad tld4 txq txq.level istypep', textureForms),
  family('suld.b sust.b sust.p sured.b sured.p suq', surfaceForms),
  family(
    'tcgen05.alloc tcgen05.dealloc tcgen05.relinquish_alloc_permit tcgen05.ld tcgen05.st tcgen05.ld.red tcgen05.wait::ld tcgen05.wait::st tcgen05.cp tcgen05.shift tcgen05.fence::before_thread_sync tcgen05.fence::after_thread_sync tcgen05.commit',
    tensorMoveForms,
  ),
  family('tcgen05.mma tcgen05.mma.ws', tensorProductForms),
  family('mma', denseForms),
  family('mma', sparseMmaForms),
  family('mma', scaledForms),
  family('cvta cvta.to isspacep', cvtaForms),
  family('cvt', cvtForms),
  family('cvt.pack', cvtPackForms),
  family('vadd vsub vabsdiff vmin vmax vshl vshr vset', scalarVideoForms),
  family('vmad', videoMultiplyForms),
  family(
    'vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4',
    simdVideoForms,
  ),
  family('alloca stacksave stackrestore', stackForms),
  family(
    'bra ret exit membar fence fence.proxy nanosleep trap brkpt bar bar.arrive bar.red bar.cta barrier barrier.arrive barrier.red barrier.cta bar.warp',
    controlForms,
  ),
  family('call brx.idx', callForms),
];

/** The table by opcode. */
export class FormTable {
  private readonly familiesOf = new Map<string, FormFamily[]>();
  private readonly made = new Map<FormFamily, ReadonlyMap<string, readonly InstructionForm[]>>();
  private readonly compiled = new Map<string, readonly CompiledForm[]>();
  private readonly all: readonly string[];
  /**
   * Maps the first words of opcodes to the longer opcodes that start with these words: `mad` to `mad.lo` and `mad.hi`.
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

  /** All opcodes, in the order of the table. */
  opcodes(): readonly string[] {
    return this.all;
  }

  /** The opcodes that consist of `opcode` and additional words, in the order of the table. */
  longerOpcodes(opcode: string): readonly string[] {
    return this.byStart.get(opcode) ?? [];
  }

  /** The forms of an opcode; empty if the table has none. */
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

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** The opcode of a form's syntax line. */
export function opcodeOf({ syntax }: InstructionForm): string {
  return splitMnemonic(elementAt(syntax.split(/[\s{]/, 1), 0)).opcode;
}

/** The table of the PTX instructions that this version of ptxlab knows. */
export const ptxForms: FormTable = new FormTable(families);

/** All forms, in the order of the families. */
export function allForms(): readonly InstructionForm[] {
  return families.flatMap(({ forms }) => forms());
}

/** True for the opcode of any PTX instruction, whether or not it is in the table. */
export function isOpcode(text: string): boolean {
  return opcodesOutside.has(text) || ptxForms.forms(text).length > 0;
}
