/**
 * Tests invalid textures and surfaces: those that are rejected when they are created, and those that cause a launch to
 * fail.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Device, type DeviceBuffer, type LaunchOptions, type TextureOptions } from '../../src/device.ts';
import { ways } from './run.ts';

const text = readFileSync(new URL('../kernels/textures/textures.sm_90.ptx', import.meta.url), 'utf8');

const plain = { type: 'f32', size: [4, 4] } as const;

const wrong: readonly (readonly [what: string, options: Partial<TextureOptions>, message: string])[] = [
  ['no dimensions', { size: [] }, 'there are 1 to 3 dimensions, not 0'],
  ['a buffer that is too small', { size: [4, 5] }, 'the buffer has 64 bytes, but the texels take 80'],
  ['more levels than sizes', { size: [2, 4], levels: 4 }, 'this size has at most 3 levels, not 4'],
  ['a cube that is not square', { size: [2, 1], cube: true }, 'the width and height of a cube must be equal'],
  ['layers of volumes', { size: [2, 2, 2], layers: 2 }, 'an array cannot consist of volumes'],
  ['rows that overlap', { rowBytes: 12 }, 'rowBytes must be a multiple of 4 that is at least 16, not 12'],
  ['means of integers', { type: 'u8', filter: 'linear' }, 'filtered only if they are normalized (normalizedTexels)'],
  ['normalized floats', { normalizedTexels: true }, 'channels of type f32 cannot be normalized'],
  [
    'levels in the wrong order',
    { leastLevel: 2, greatestLevel: 1 },
    'leastLevel (2) is greater than greatestLevel (1)',
  ],
  ['no address mode', { addressMode: [] }, "must be one of 'clamp', 'border', 'wrap', 'mirror', or a list"],
  ['a negative address', { texels: -4n }, 'the texels are not in allocated memory'],
  ['an address that is not aligned', { texels: 0x1_0002n }, 'must be a multiple of 4, not 0x10002'],
];

test.each(wrong)('refused: %s', async (_, options, message) => {
  const device = await Device.create();
  const given: TextureOptions = { ...plain, texels: device.alloc(64), ...options };
  expect(() => device.texture(given)).toThrow(message);
});

test('refused: memory that is not that of the device', async () => {
  const [device, other] = await Promise.all([Device.create(), Device.create()]);
  const freed = device.alloc(64);
  freed.free();
  expect(() => device.texture({ ...plain, texels: freed })).toThrow('not in allocated memory');
  expect(() => device.texture({ ...plain, texels: other.alloc(64) })).toThrow('the texels belong to another device');
  const texture = device.texture({ ...plain, texels: device.alloc(64) });
  expect(() => device.surface({ ...plain, texels: texture })).toThrow('must be in a buffer, not a texture');
  const foreign = other.texture({ ...plain, texels: other.alloc(64) });
  const launched = device
    .load(text)
    .kernel('sample_1d')
    .launch({ args: [foreign, 0n, 0n, 0] });
  await expect(launched).rejects.toThrow('argument 0 belongs to another device');
});

/** Stores two channels in a texel, after converting them to the format of the surface. */
const storing = `.version 8.0
.target sm_90
.address_size 64
.visible .entry put(.param .u64 surface, .param .s32 x, .param .s32 value)
{
.reg .b64 %s;
.reg .b32 %x, %v, %w;
ld.param.u64 %s, [surface];
ld.param.s32 %x, [x];
ld.param.s32 %v, [value];
neg.s32 %w, %v;
sust.p.1d.v2.b32.trap [%s, {%x}], {%v, %w};
ret;
}
`;

describe.each(Object.entries(ways))('%s', (_, way) => {
  /** Creates an argument that is passed to the kernel instead of a two-dimensional texture. */
  type Make = (device: Device, texels: DeviceBuffer) => { readonly address: bigint };
  const faults: readonly (readonly [what: string, make: Make, message: string])[] = [
    ['another geometry', (device, texels) => device.texture({ ...plain, size: [16], texels }), 'is a 1D texture, but'],
    [
      'a surface',
      (device, texels) => device.surface({ ...plain, texels }),
      'is a surface, but the instruction needs a tex',
    ],
    ['a small buffer', (__, texels) => texels, 'has a handle that was not made by Device.texture or Device.surface'],
    [
      'a large buffer',
      (device) => device.alloc(4096),
      'has a handle that was not made by Device.texture or Device.surf',
    ],
    ['an address far away', () => ({ address: 2n ** 64n - 1n }), 'has a handle that was not made by Device.texture'],
    [
      'a freed texture',
      (device, texels) => {
        const texture = device.texture({ ...plain, texels });
        texture.free();
        return texture;
      },
      'or was freed',
    ],
    [
      'freed texels',
      (device, texels) => {
        const texture = device.texture({ ...plain, texels });
        texels.free();
        return texture;
      },
      'which are not allocated or were freed',
    ],
  ];

  test.each(faults)('a fault: %s', async (__, make, message) => {
    const device = await Device.create();
    const argument = make(device, device.alloc(64));
    const options: LaunchOptions = { args: [argument.address, device.alloc(8), device.alloc(16), 1], ...way };
    const result = await device.load(text).kernel('sample_2d').launch(options);
    expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6037', message: expect.stringContaining(message) } });
  });

  test('the faces of a cube are the layers of its surface', async () => {
    const device = await Device.create();
    const texels = device.alloc(2 * 4 * 4 * 6);
    const cube = device.surface({ texels, type: 's16', size: [4, 4], cube: true });
    const launch: LaunchOptions = { block: [4, 4], args: [cube, 6], ...way };
    expect(await device.load(text).kernel('write_layers').launch(launch)).toMatchObject({ ok: true });
    expect([...texels.read('s16')].slice(-3)).toEqual([531, 532, 533]);
  });

  test('formatted stores clamp integers, and count texels', async () => {
    const device = await Device.create();
    const texels = device.alloc(4 * 3);
    const line = device.surface({ texels, type: 's8', channels: 4, size: [3] });
    const kernel = device.load(storing).kernel('put');
    expect(await kernel.launch({ args: [line, 2, 200], ...way })).toMatchObject({ ok: true });
    expect([...texels.read('s8')].slice(8)).toEqual([127, -128, 0, 0]);
    const message = 'is accessed at {3}, of which the first counts texels, but it has 3 texels of 4 bytes';
    const result = await kernel.launch({ args: [line, 3, 1], ...way });
    expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6037', message: expect.stringContaining(message) } });
  });
});
