/** Special registers (PTX ISA 9.1, chapter 10), read as the reference engine has them: one SM, one grid. */
import { warpSize } from '../machine/launch.ts';
import type { SpecialRead } from '../program/function-program.ts';
import { reservedOffsets, reservedShared } from '../program/reserved-shared.ts';
import { pushField } from './context-field.ts';
import { maskTo } from './arithmetic/integer.ts';
import type { ContextField } from './layout.ts';
import type { Lowering } from './lowering.ts';

const dimensions: readonly string[] = ['.x', '.y', '.z', '.w'];

const extents: Readonly<Record<string, readonly ContextField[]>> = {
  '%ntid': ['threadsX', 'threadsY', 'threadsZ'],
  '%ctaid': ['blockX', 'blockY', 'blockZ'],
  '%clusterid': ['blockX', 'blockY', 'blockZ'],
  '%nctaid': ['blocksX', 'blocksY', 'blocksZ'],
  '%nclusterid': ['blocksX', 'blocksY', 'blocksZ'],
};

const constants: Readonly<Record<string, number>> = {
  '%nsmid': 1,
  '%cluster_nctarank': 1,
  '%smid': 0,
  '%gridid': 0,
  '%cluster_ctarank': 0,
  '%is_explicit_cluster': 0,
  '%current_graph_exec': 0,
  ...reservedOffsets,
};

const fields: Readonly<Record<string, ContextField>> = {
  '%nwarpid': 'warps',
  '%dynamic_smem_size': 'dynamicShared',
  '%envreg2': 'gridWorkspace',
};

/** Clocks that the engine reads: instructions that were executed, and nanoseconds. */
export const clocks = { executed: 0, time: 1 } as const;

export function lowerSpecial({ place, register, width }: SpecialRead, lowering: Lowering): void {
  const { code, values } = lowering;
  if (/^%(clock|globaltimer)/.test(register)) {
    pushClock(register, lowering);
    if (width <= 32) code.op('i32.wrap_i64');
    if (width <= 32) maskTo(code, 'i32', width);
  } else {
    push(register, lowering);
    if (width > 32) code.op('i64.extend_i32_u');
    else maskTo(code, 'i32', width);
  }
  values.setPlace(place, width > 32 ? 'i64' : 'i32');
}

function pushClock(name: string, { code, helpers, locals }: Lowering): void {
  code
    .i32(name.startsWith('%clock') ? clocks.executed : clocks.time)
    .get(locals.fuel)
    .call(helpers.import('clock'));
  if (name.endsWith('_hi')) code.i64(32n).op('i64.shr_u');
}

/** Pushes the value as i32; no other needs more. */
function push(name: string, lowering: Lowering): void {
  const { code } = lowering;
  const dimension = dimensions.indexOf(name.slice(-2));
  const constant = constants[name];
  const held = fields[name];
  if (dimension >= 0) pushElement(name.slice(0, -2), dimension, lowering);
  else if (constant !== undefined) code.i32(constant);
  else if (held !== undefined) pushField(code, lowering.layout, held);
  else if (name === '%total_smem_size') pushSharedSize(lowering, 0);
  else if (name === '%aggr_smem_size') pushSharedSize(lowering, reservedShared);
  else if (/^%(pm|envreg)/.test(name)) code.i32(0);
  else pushLane(name, lowering);
}

/** Pushes the size of a block's shared memory, with so many bytes of the system's. */
function pushSharedSize({ code, layout }: Lowering, reserved: number): void {
  pushField(code, layout, 'sharedSize')
    .i32(reserved - layout.reservedBytes)
    .op('i32.add');
}

function pushElement(base: string, dimension: number, lowering: Lowering): void {
  const { code, locals } = lowering;
  const index = locals.index[dimension];
  const held = extents[base]?.[dimension];
  if (base === '%tid' && index !== undefined) code.get(index);
  else if (held !== undefined) pushField(code, lowering.layout, held);
  else code.i32(/^%n|_nctaid$/.test(base) ? 1 : 0);
}

function pushLane(name: string, { code, locals, helpers, siteOf }: Lowering): void {
  const lane = (): void => {
    code
      .get(locals.thread)
      .i32(warpSize - 1)
      .op('i32.and');
  };
  /** `start` shifted up by the lane. */
  const shifted = (start: number): void => {
    code.i32(start);
    lane();
    code.op('i32.shl');
  };
  switch (name) {
    case '%laneid':
      lane();
      return;
    case '%warpid':
      code.get(locals.thread).i32(Math.log2(warpSize)).op('i32.shr_u');
      return;
    case '%lanemask_eq':
      shifted(1);
      return;
    case '%lanemask_ge':
      shifted(-1);
      return;
    case '%lanemask_gt':
      shifted(-2);
      return;
    case '%lanemask_lt':
      shifted(-1);
      code.i32(-1).op('i32.xor');
      return;
    case '%lanemask_le':
      shifted(-2);
      code.i32(-1).op('i32.xor');
      return;
    default:
      // Nobody knows it: a fault where it is reached.
      code
        .i32(siteOf({ kind: 'unsupported', what: name }))
        .i64(0n)
        .get(locals.thread)
        .get(locals.fuel);
      code.call(helpers.import('raise')).op('unreachable');
  }
}
