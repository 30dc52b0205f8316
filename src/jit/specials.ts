/** Reads special registers (PTX ISA 9.1, chapter 10). The values are the same as in the reference engine. */
import { rankOfFirst, rankShift } from '../isa/spaces.ts';
import { type LaunchValue, reservedSharedBytes } from '../isa/registers.ts';
import { warpSize } from '../machine/launch.ts';
import type { SpecialRead } from '../program/function-program.ts';
import type { ValueType } from '../wasm/opcodes.ts';
import { maskTo } from './arithmetic/integer.ts';
import { pushField } from './context-field.ts';
import type { ContextField } from './layout.ts';
import type { Lowering } from './lowering.ts';

/** The clocks that the engine reads: the number of executed instructions, and the time in nanoseconds. */
export const clocks = { executed: 0, time: 1 } as const;

export function lowerSpecial({ place, register, part, width }: SpecialRead, lowering: Lowering): void {
  const { code, values } = lowering;
  const { value } = register;
  const pushed = typeof value === 'number' ? pushNumber(value)(lowering, part) : writers[value](lowering, part);
  const held = width > 32 ? 'i64' : 'i32';
  if (pushed === 'i32' && held === 'i64') code.op('i64.extend_i32_u');
  if (pushed === 'i64' && held === 'i32') code.op('i32.wrap_i64');
  if (held === 'i32') maskTo(code, 'i32', width);
  values.setPlace(place, held);
}

const clusterFields = ['clusterX', 'clusterY', 'clusterZ'] as const;

/** Pushes a value and returns its type. */
type Writer = (lowering: Lowering, part: number) => Extract<ValueType, 'i32' | 'i64'>;

const writers: Readonly<Record<LaunchValue, Writer>> = {
  threadIndex: (lowering, part) => {
    const index = lowering.locals.index[part];
    if (index === undefined) return pushNumber(0)(lowering, part);
    lowering.code.get(index);
    return 'i32';
  },
  blockSize: fieldOfPart(['threadsX', 'threadsY', 'threadsZ'], 1),
  blockIndex: fieldOfPart(['blockX', 'blockY', 'blockZ'], 0),
  gridSize: fieldOfPart(['blocksX', 'blocksY', 'blocksZ'], 1),
  lane: pushLane,
  warp: ({ code, locals }) => {
    code.get(locals.thread).i32(Math.log2(warpSize)).op('i32.shr_u');
    return 'i32';
  },
  lanesEqual: shiftedByLane(1),
  lanesFrom: shiftedByLane(-1),
  lanesGreater: shiftedByLane(-2),
  lanesLess: complement(shiftedByLane(-1)),
  lanesUpTo: complement(shiftedByLane(-2)),
  clock: clock('executed'),
  clockHigh: upperHalf(clock('executed')),
  timer: clock('time'),
  timerHigh: upperHalf(clock('time')),
  sharedBytes: sharedBytes(0),
  allSharedBytes: sharedBytes(reservedSharedBytes),
  dynamicSharedBytes: field('dynamicShared'),
  hasClusters: field('hasClusters'),
  clusterIndex: byCluster(['blockX', 'blockY', 'blockZ'], 'i32.div_u', 0),
  gridClusters: byCluster(['blocksX', 'blocksY', 'blocksZ'], 'i32.div_u', 1),
  indexInCluster: byCluster(['blockX', 'blockY', 'blockZ'], 'i32.rem_u', 0),
  clusterSize: fieldOfPart(clusterFields, 1),
  rankInCluster: field('rank'),
  blocksPerCluster: field('blocksPerCluster'),
  threadsPerCluster: ({ code, layout }) => {
    pushField(code, layout, 'blocksPerCluster');
    pushField(code, layout, 'threads').op('i32.mul');
    return 'i32';
  },
  startInCluster: ({ code, layout }) => {
    pushField(code, layout, 'rank').i32(rankOfFirst).op('i32.add').i32(rankShift).op('i32.shl');
    return 'i32';
  },
  gridWorkspace: field('gridWorkspace'),
};

/**
 * Reads the field for a part of the register (`.x`, `.y` or `.z`), and divides it by the cluster size in the same
 * dimension. `operation` determines whether the result is the quotient or the remainder.
 */
function byCluster(fields: readonly ContextField[], operation: 'i32.div_u' | 'i32.rem_u', beyond: number): Writer {
  return (lowering, part) => {
    const [name, extent] = [fields[part], clusterFields[part]];
    if (name === undefined || extent === undefined) return pushNumber(beyond)(lowering, part);
    pushField(lowering.code, lowering.layout, name);
    pushField(lowering.code, lowering.layout, extent).op(operation);
    return 'i32';
  };
}

function pushNumber(value: number): Writer {
  return ({ code }) => {
    code.i32(value);
    return 'i32';
  };
}

function field(name: ContextField): Writer {
  return ({ code, layout }) => {
    pushField(code, layout, name);
    return 'i32';
  };
}

/**
 * Reads the field for a part of the register, such as `.x`. Parts without a field, such as `.w`, have the value
 * `beyond`.
 */
function fieldOfPart(fields: readonly ContextField[], beyond: number): Writer {
  return (lowering, part) => {
    const name = fields[part];
    return (name === undefined ? pushNumber(beyond) : field(name))(lowering, part);
  };
}

function pushLane({ code, locals }: Lowering): 'i32' {
  code
    .get(locals.thread)
    .i32(warpSize - 1)
    .op('i32.and');
  return 'i32';
}

function shiftedByLane(start: number): Writer {
  return (lowering) => {
    lowering.code.i32(start);
    pushLane(lowering);
    lowering.code.op('i32.shl');
    return 'i32';
  };
}

function complement(writer: Writer): Writer {
  return (lowering, part) => {
    writer(lowering, part);
    lowering.code.i32(-1).op('i32.xor');
    return 'i32';
  };
}

function clock(kind: keyof typeof clocks): Writer {
  return ({ code, helpers, locals }) => {
    code.i32(clocks[kind]).get(locals.fuel).call(helpers.import('clock'));
    return 'i64';
  };
}

function upperHalf(writer: Writer): Writer {
  return (lowering, part) => {
    writer(lowering, part);
    lowering.code.i64(32n).op('i64.shr_u');
    return 'i64';
  };
}

/** Pushes the size of a block's shared memory, including the bytes reserved for the system. */
function sharedBytes(reserved: number): Writer {
  return ({ code, layout }) => {
    pushField(code, layout, 'sharedSize')
      .i32(reserved - layout.uncountedBytes)
      .op('i32.add');
    return 'i32';
  };
}
