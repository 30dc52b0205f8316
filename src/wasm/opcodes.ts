/**
 * The opcodes of WebAssembly instructions that have no immediates or that access memory. The keys are the names of the
 * instructions in the text format.
 */

/** Value types with their codes in the binary format. */
export const valueTypes = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b } as const;

export type ValueType = keyof typeof valueTypes;

/** Loads and stores, with the base-2 logarithm of their natural alignment. */
export const memoryOpcodes = {
  'i32.load': [0x28, 2],
  'i64.load': [0x29, 3],
  'f32.load': [0x2a, 2],
  'i32.load8_u': [0x2d, 0],
  'i32.load16_u': [0x2f, 1],
  'i64.load32_u': [0x35, 2],
  'i32.store': [0x36, 2],
  'i64.store': [0x37, 3],
  'i32.store8': [0x3a, 0],
  'i32.store16': [0x3b, 1],
} as const;

export type MemoryOpcode = keyof typeof memoryOpcodes;

/**
 * Atomic accesses. For each access, the first number is the opcode that follows the prefix byte, and the second number
 * is the base-2 logarithm of the required alignment. Compare-exchange returns the old value.
 */
export const atomicOpcodes = {
  'i32.atomic.load': [0x10, 2],
  'i64.atomic.load': [0x11, 3],
  'i32.atomic.load8_u': [0x12, 0],
  'i32.atomic.load16_u': [0x13, 1],
  'i32.atomic.store': [0x17, 2],
  'i64.atomic.store': [0x18, 3],
  'i32.atomic.store8': [0x19, 0],
  'i32.atomic.store16': [0x1a, 1],
  'i32.atomic.rmw.cmpxchg': [0x48, 2],
  'i64.atomic.rmw.cmpxchg': [0x49, 3],
  'i32.atomic.rmw8.cmpxchg_u': [0x4a, 0],
  'i32.atomic.rmw16.cmpxchg_u': [0x4b, 1],
} as const;

export type AtomicOpcode = keyof typeof atomicOpcodes;

export const plainOpcodes = {
  unreachable: 0x00,
  return: 0x0f,
  drop: 0x1a,
  select: 0x1b,
  'i32.eqz': 0x45,
  'i32.eq': 0x46,
  'i32.ne': 0x47,
  'i32.lt_s': 0x48,
  'i32.lt_u': 0x49,
  'i32.gt_s': 0x4a,
  'i32.gt_u': 0x4b,
  'i32.le_s': 0x4c,
  'i32.le_u': 0x4d,
  'i32.ge_s': 0x4e,
  'i32.ge_u': 0x4f,
  'i64.eqz': 0x50,
  'i64.eq': 0x51,
  'i64.ne': 0x52,
  'i64.lt_s': 0x53,
  'i64.lt_u': 0x54,
  'i64.gt_s': 0x55,
  'i64.gt_u': 0x56,
  'i64.le_s': 0x57,
  'i64.le_u': 0x58,
  'i64.ge_s': 0x59,
  'i64.ge_u': 0x5a,
  'f32.eq': 0x5b,
  'f32.ne': 0x5c,
  'f32.lt': 0x5d,
  'f32.gt': 0x5e,
  'f32.le': 0x5f,
  'f32.ge': 0x60,
  'f64.eq': 0x61,
  'f64.ne': 0x62,
  'f64.lt': 0x63,
  'f64.gt': 0x64,
  'f64.le': 0x65,
  'f64.ge': 0x66,
  'i32.clz': 0x67,
  'i32.ctz': 0x68,
  'i32.popcnt': 0x69,
  'i32.add': 0x6a,
  'i32.sub': 0x6b,
  'i32.mul': 0x6c,
  'i32.div_s': 0x6d,
  'i32.div_u': 0x6e,
  'i32.rem_s': 0x6f,
  'i32.rem_u': 0x70,
  'i32.and': 0x71,
  'i32.or': 0x72,
  'i32.xor': 0x73,
  'i32.shl': 0x74,
  'i32.shr_s': 0x75,
  'i32.shr_u': 0x76,
  'i32.rotl': 0x77,
  'i64.clz': 0x79,
  'i64.ctz': 0x7a,
  'i64.popcnt': 0x7b,
  'i64.add': 0x7c,
  'i64.sub': 0x7d,
  'i64.mul': 0x7e,
  'i64.div_s': 0x7f,
  'i64.div_u': 0x80,
  'i64.rem_s': 0x81,
  'i64.rem_u': 0x82,
  'i64.and': 0x83,
  'i64.or': 0x84,
  'i64.xor': 0x85,
  'i64.shl': 0x86,
  'i64.shr_s': 0x87,
  'i64.shr_u': 0x88,
  'i64.rotr': 0x8a,
  'f32.ceil': 0x8d,
  'f32.floor': 0x8e,
  'f32.trunc': 0x8f,
  'f32.nearest': 0x90,
  'f32.sqrt': 0x91,
  'f32.add': 0x92,
  'f32.sub': 0x93,
  'f32.mul': 0x94,
  'f32.div': 0x95,
  'f64.abs': 0x99,
  'f64.ceil': 0x9b,
  'f64.floor': 0x9c,
  'f64.trunc': 0x9d,
  'f64.nearest': 0x9e,
  'f64.sqrt': 0x9f,
  'f64.add': 0xa0,
  'f64.sub': 0xa1,
  'f64.mul': 0xa2,
  'f64.div': 0xa3,
  'f64.min': 0xa4,
  'f64.max': 0xa5,
  'f64.copysign': 0xa6,
  'i32.wrap_i64': 0xa7,
  'i64.extend_i32_s': 0xac,
  'i64.extend_i32_u': 0xad,
  'i64.trunc_f64_s': 0xb0,
  'f32.convert_i32_s': 0xb2,
  'f32.convert_i32_u': 0xb3,
  'f32.convert_i64_s': 0xb4,
  'f32.convert_i64_u': 0xb5,
  'f32.demote_f64': 0xb6,
  'f64.convert_i32_s': 0xb7,
  'f64.convert_i32_u': 0xb8,
  'f64.convert_i64_s': 0xb9,
  'f64.convert_i64_u': 0xba,
  'f64.promote_f32': 0xbb,
  'i32.reinterpret_f32': 0xbc,
  'i64.reinterpret_f64': 0xbd,
  'f32.reinterpret_i32': 0xbe,
  'f64.reinterpret_i64': 0xbf,
  'i32.extend8_s': 0xc0,
  'i32.extend16_s': 0xc1,
  'i64.extend8_s': 0xc2,
  'i64.extend16_s': 0xc3,
  'i64.extend32_s': 0xc4,
} as const;

export type PlainOpcode = keyof typeof plainOpcodes;

/**
 * Conversions from float to integer that truncate, clamp to the range of the integer, and convert NaN to 0. The opcodes
 * follow the same prefix byte as those of bulk memory instructions.
 */
export const saturatingOpcodes = {
  'i32.trunc_sat_f32_s': 0,
  'i32.trunc_sat_f32_u': 1,
  'i32.trunc_sat_f64_s': 2,
  'i32.trunc_sat_f64_u': 3,
  'i64.trunc_sat_f32_s': 4,
  'i64.trunc_sat_f32_u': 5,
  'i64.trunc_sat_f64_s': 6,
  'i64.trunc_sat_f64_u': 7,
} as const;

export type SaturatingOpcode = keyof typeof saturatingOpcodes;
