/** Tensor maps that kernels create or change (tensormap.replace, tensormap.cp_fenceproxy). */
import { describe, expect, test } from 'vitest';
import { Device, tensorMap, type TensorMapOptions } from '../../src/device.ts';
import { ways } from './run.ts';

const elementTypes = [
  'u8',
  'u16',
  'u32',
  's32',
  'u64',
  's64',
  'f16',
  'f32',
  'f32.ftz',
  'f64',
  'bf16',
  'tf32',
  'tf32.ftz',
  'b4x16',
  'b4x16_p64',
  'b6x16_p32',
];
const atoms = [16, 32, '32-flip-8', 64];

type Given = Omit<TensorMapOptions, 'tensor'> & {
  readonly strides: readonly number[];
  readonly box: readonly number[];
};

/** Replaces every field of a tensor map. */
function replaceAll(space: string, map: Given): string {
  const {
    type,
    dimensions,
    box,
    strides,
    elementStrides = dimensions.map(() => 1),
    swizzle = 0,
    swizzleAtom = 16,
    fill,
  } = map;
  const replace = (field: string, operands: string): string => {
    const width = field === 'global_address' || field === 'global_stride' ? 64 : 32;
    return `tensormap.replace.tile.${field}${space}.b1024.b${width} [%rd4], ${operands};`;
  };
  /** The new values must be in registers, so they are moved into registers first. */
  const numbered = (field: string, values: readonly number[]): string =>
    values
      .map((value, i) => {
        const [type64, register] = field === 'global_stride' ? ['u64', '%rd5'] : ['u32', '%r3'];
        return `mov.${type64} ${register}, ${value}; ${replace(field, `${i}, ${register}`)}`;
      })
      .join('\n');
  return `${replace('global_address', '%rd1')}
${replace('rank', String(dimensions.length - 1))}
${numbered('box_dim', box)}
${numbered('global_dim', dimensions)}
${numbered('global_stride', strides)}
${numbered('element_stride', elementStrides)}
${replace('elemtype', String(elementTypes.indexOf(type)))}
${replace('interleave_layout', '0')}
${replace('swizzle_mode', String({ 0: 0, 32: 1, 64: 2, 128: 3, 96: 4 }[swizzle]))}
${replace('swizzle_atomicity', String(atoms.indexOf(swizzleAtom)))}
${replace('fill_mode', fill === 'nan' ? '1' : '0')}`;
}

/** Clears a tensor map in shared memory, fills in its fields, and copies it to global memory. */
const maker = (map: Given, space: string): string => `.version 8.8
.target sm_103a
.address_size 64
.shared .align 128 .b8 made[128];
.visible .entry k(.param .u64 tensor, .param .u64 out) {
.reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [tensor]; ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x; mov.u32 %r2, made; shl.b32 %r4, %r1, 2; add.u32 %r4, %r4, %r2; st.shared.b32 [%r4], 0;
bar.warp.sync -1; setp.ne.u32 %p1, %r1, 0; @%p1 bra done;
cvt.u64.u32 %rd4, %r2; ${space === '' ? 'cvta.shared.u64 %rd4, %rd4;' : ''}
${replaceAll(space, map)}
done: bar.warp.sync -1; mov.u64 %rd3, made;
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2], [%rd3], 128;
ret; }
`;

const maps: Readonly<Record<string, Given>> = {
  'one dimension': { type: 'u8', dimensions: [512], box: [256], strides: [] },
  'two dimensions with a swizzle': { type: 'bf16', dimensions: [100, 64], strides: [256], box: [32, 8], swizzle: 64 },
  'element strides': {
    type: 'f32',
    dimensions: [64, 9, 5],
    strides: [256, 4096],
    box: [8, 5, 3],
    elementStrides: [1, 2, 3],
  },
  'a swizzle in which 32 bytes stay together': {
    type: 'tf32',
    dimensions: [64, 64],
    strides: [256],
    box: [32, 8],
    swizzle: 128,
    swizzleAtom: 32,
  },
  'four bits, padded': { type: 'b4x16_p64', dimensions: [256, 8], strides: [128], box: [128, 4] },
  'a swizzle of 96 bytes': { type: 'u8', dimensions: [96, 8], strides: [96], box: [96, 4], swizzle: 96 },
  'five dimensions, filled with NaN': {
    type: 'f64',
    dimensions: [4, 3, 2, 5, 70_000],
    strides: [32, 96, 192, 2 ** 33],
    box: [2, 1, 2, 3, 4],
    fill: 'nan',
  },
};

describe.each(Object.entries(ways))('%s', (_, options) => {
  describe.each(['.shared::cta', ''])('in the space "%s"', (space) => {
    test.each(Object.entries(maps))('%s: a kernel makes the same map as tensorMap', async (__, map) => {
      const device = await Device.create({ gpu: 'B300' });
      const out = device.alloc(128);
      const args = [0x1000n, out];
      const result = await device
        .load(maker(map, space))
        .kernel('k')
        .launch({ block: 32, args, ...options });
      expect(result).toMatchObject({ ok: true });
      // The bytes after the first 64 are not read, and tensormap.replace does not change them.
      const read = 64;
      expect([...out.read().subarray(0, read)]).toEqual([...tensorMap({ tensor: 0x1000n, ...map }).subarray(0, read)]);
    });
  });

  test('a map in global memory is changed and used', async () => {
    const device = await Device.create({ gpu: 'B200' });
    const [first, second] = [1, 2].map((value) => device.alloc(new Uint32Array(64 * 16).fill(value)));
    const out = device.alloc(4 * 64);
    if (first === undefined || second === undefined) throw new Error('no tensors');
    const map = device.alloc(tensorMap({ tensor: first, type: 'u32', dimensions: [64, 16], box: [8, 4] }));
    const result = await device
      .load(changer)
      .kernel('k')
      .launch({ args: [map, second, out], ...options });
    expect(result).toMatchObject({ ok: true });
    // The tensor ends after 3 columns and 2 rows, and the box has 8 columns and 6 rows.
    const rows = Array.from({ length: 6 }, (__, y) => Array.from({ length: 8 }, (___, x) => (x < 3 && y < 2 ? 2 : 0)));
    expect([...new Uint32Array(out.read().buffer)].slice(0, 48)).toEqual(rows.flat());
  });

  test.each([
    ['elemtype', 14, 'has 3 elements of type b4x16_p64 in a row, but needs a multiple of 128'],
    ['interleave_layout', 1, 'has an interleaved layout, which ptxlab does not copy'],
    ['swizzle_atomicity', 1, 'has swizzling mode 0 with atomicity 1, which do not go together'],
  ] as const)('a map is not copied because of its %s', async (field, value, words) => {
    const device = await Device.create({ gpu: 'B200' });
    const tensor = device.alloc(4096);
    const map = device.alloc(tensorMap({ tensor, type: 'u32', dimensions: [64, 16], box: [8, 4] }));
    const change = `tensormap.replace.tile.${field}.global.b1024.b32 [%rd1], ${value};`;
    const text = changer.replace('/* more */', change);
    const result = await device
      .load(text)
      .kernel('k')
      .launch({ args: [map, tensor, tensor], ...options });
    const message = `the tensor map ${words}`;
    expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6035', message } });
  });
});

const changer = `.version 8.7
.target sm_100a
.address_size 64
.shared .align 128 .b8 tile[256];
.shared .align 8 .b64 object;
.visible .entry k(.param .u64 map, .param .u64 tensor, .param .u64 out) {
.reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [map]; ld.param.u64 %rd2, [tensor]; ld.param.u64 %rd3, [out];
mov.u32 %r1, 3; mov.u32 %r2, 2; mov.u32 %r3, 6;
tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;
tensormap.replace.tile.global_dim.global.b1024.b32 [%rd1], 0, %r1;
tensormap.replace.tile.global_dim.global.b1024.b32 [%rd1], 1, %r2;
tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 1, %r3;
/* more */
fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;
mbarrier.init.shared::cta.b64 [object], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [object], 192;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd1, {0, 0}], [object];
wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [object], 0; @!%p1 bra wait;
mov.u32 %r4, 0; mov.u32 %r5, tile;
copy: ld.shared.b32 %r6, [%r5]; st.global.b32 [%rd3], %r6; add.u64 %rd3, %rd3, 4; add.u32 %r5, %r5, 4;
add.u32 %r4, %r4, 4; setp.lt.u32 %p1, %r4, 192; @%p1 bra copy;
ret; }
`;
