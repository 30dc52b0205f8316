/**
 * The opcodes of the table, by family of forms. An opcode includes the words that must come directly after its first
 * word: `mul.wide`, `cp.async.bulk`.
 */

/** The families in the order of the table. Opcodes are in the order in which they first occur in the forms. */
export const familyOpcodes = {
  carryless: 'clmad',
  integer: 'add sub mul.lo mul.hi mul.wide mad.lo mad.hi mad.wide div rem sad abs neg min max',
  bitField: 'popc clz brev bfind fns bfe bfi szext bmsk',
  narrowProduct: 'mul24.lo mad24.lo mul24.hi mad24.hi dp4a dp2a.lo dp2a.hi',
  carry: 'add addc sub subc mad.lo madc.lo mad.hi madc.hi',
  floatClass: 'testp copysign',
  float: 'add sub mul fma mad',
  division: 'div div.full rcp',
  extrema: 'abs neg min max',
  floatFunction: 'sqrt rsqrt sin cos lg2 ex2 tanh',
  half: 'add sub mul fma neg abs min max',
  mixed: 'add sub fma',
  mixedPair: 'add sub fma mul',
  alternate: 'add sub mul fma',
  comparison: 'setp selp',
  selection: 'set slct',
  logic: 'and or xor not shl shr',
  bitSelection: 'cnot lop3 shf.l shf.r prmt',
  mov: 'mov',
  memory: 'ld ldu st',
  cache: 'prefetch prefetchu applypriority discard createpolicy.fractional createpolicy.range createpolicy.cvt',
  asyncCopy: 'cp.async',
  bulk: 'cp.async.bulk cp.async.bulk.prefetch cp.reduce.async.bulk cp.async.bulk.commit_group cp.async.bulk.wait_group st.bulk',
  tensorCopy: 'cp.async.bulk.tensor cp.async.bulk.prefetch.tensor cp.reduce.async.bulk.tensor',
  tensorMap: 'tensormap.replace tensormap.cp_fenceproxy',
  clusterLaunch: 'clusterlaunchcontrol.try_cancel.async clusterlaunchcontrol.query_cancel',
  remote: 'st.async red.async',
  multimemRemote: 'multimem.st.async multimem.red.async',
  barrierObject:
    'mbarrier.init mbarrier.inval mbarrier.pending_count mbarrier.check_layout mbarrier.expect_tx mbarrier.complete_tx mbarrier.arrive mbarrier.arrive.expect_tx mbarrier.arrive_drop mbarrier.arrive_drop.expect_tx mbarrier.test_wait mbarrier.test_wait.parity mbarrier.try_wait mbarrier.try_wait.parity cp.async.mbarrier.arrive',
  multimem: 'multimem.ld_reduce multimem.red multimem.st',
  multimemCopy: 'multimem.cp.async.bulk multimem.cp.reduce.async.bulk',
  clusterBarrier: 'barrier.cluster.arrive barrier.cluster.wait',
  cluster: 'mapa getctarank griddepcontrol setmaxnreg.inc setmaxnreg.dec pmevent pmevent.mask',
  atomic: 'atom red',
  warp: 'shfl vote match redux activemask elect',
  matrixMove: 'ldmatrix stmatrix movmatrix',
  wmma: 'wmma.load.a wmma.load.b wmma.load.c wmma.store.d wmma.mma',
  wgmma: 'wgmma.mma_async wgmma.fence wgmma.commit_group wgmma.wait_group',
  texture: 'tex tex.base tex.level tex.grad tld4 txq txq.level istypep',
  surface: 'suld.b sust.b sust.p sured.b sured.p suq',
  tensorMove:
    'tcgen05.alloc tcgen05.dealloc tcgen05.relinquish_alloc_permit tcgen05.ld tcgen05.st tcgen05.ld.red tcgen05.wait::ld tcgen05.wait::st tcgen05.cp tcgen05.shift tcgen05.fence::before_thread_sync tcgen05.fence::after_thread_sync tcgen05.commit',
  tensorProduct: 'tcgen05.mma tcgen05.mma.ws',
  dense: 'mma',
  sparseMma: 'mma',
  scaled: 'mma',
  cvta: 'cvta cvta.to isspacep',
  cvt: 'cvt',
  cvtPack: 'cvt.pack',
  scalarVideo: 'vadd vsub vabsdiff vmin vmax vshl vshr vset',
  videoMultiply: 'vmad',
  simdVideo: 'vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4',
  stack: 'alloca stacksave stackrestore',
  control:
    'bra ret exit membar fence fence.proxy membar.proxy nanosleep trap brkpt bar bar.arrive bar.red bar.cta bar.cta.arrive bar.cta.red barrier barrier.arrive barrier.red barrier.cta barrier.cta.arrive barrier.cta.red bar.warp',
  call: 'call brx.idx',
} as const;

export type FamilyName = keyof typeof familyOpcodes;
