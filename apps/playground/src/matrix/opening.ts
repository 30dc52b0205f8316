/** The initial example. The results of sm_80 and sm_90 differ in the last place, and neither is the exact sum. */
export const opening = '#inst=mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32';
