/** Textures, samplers and surfaces that instructions refer to by name: variables, and parameters of opaque types. */
import { describe, expect, test } from 'vitest';
import { Device, type DeviceTexture } from '../../src/device.ts';
import { ways } from './run.ts';

const unified = `.version 8.0
.target sm_80
.address_size 64
.global .texref image;
.global .surfref canvas;
.visible .entry copy() {
  .reg .b32 %r<3>; .reg .f32 %f<5>;
  mov.u32 %r1, %tid.x;
  tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, {%r1}];
  shl.b32 %r2, %r1, 2;
  sust.b.1d.b32.trap [canvas, {%r2}], %f1;
  ret;
}`;

const independent = `.version 8.0
.target sm_80, texmode_independent
.address_size 64
.global .texref image;
.global .samplerref nearest = { addr_mode_0 = clamp_to_edge, filter_mode = nearest };
.global .samplerref repeated = { addr_mode_0 = wrap, filter_mode = linear };
.global .samplerref counted = { force_unnormalized_coords = 1 };
.visible .entry sample(.param .u64 out, .param .f32 x, .param .texref given, .param .samplerref way) {
  .reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .f32 %f<6>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [out];
  ld.param.f32 %f1, [x];
  tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, nearest, {%f1}];
  st.global.f32 [%rd1], %f2;
  tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, repeated, {%f1}];
  st.global.f32 [%rd1+4], %f2;
  tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, counted, {%f1}];
  st.global.f32 [%rd1+8], %f2;
  tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [given, way, {%f1}];
  st.global.f32 [%rd1+12], %f2;
  txq.width.b32 %r1, [image];
  st.global.b32 [%rd1+16], %r1;
  ret;
}
.visible .entry kinds(.param .u64 out) {
  .reg .b64 %rd<4>; .reg .b32 %r<3>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [out];
  mov.u64 %rd2, image;
  mov.u64 %rd3, nearest;
  istypep.texref %p1, %rd2;
  istypep.samplerref %p2, %rd3;
  selp.b32 %r1, 1, 0, %p1;
  selp.b32 %r2, 1, 0, %p2;
  st.global.v2.b32 [%rd1], {%r1, %r2};
  ret;
}`;

/** A texture of four texels. */
function textureOf(device: Device, texels: readonly number[], normalizedCoordinates = false): DeviceTexture {
  return device.texture({
    texels: device.alloc(new Float32Array(texels)),
    type: 'f32',
    size: [texels.length],
    normalizedCoordinates,
  });
}

const floats = (bytes: Uint8Array): readonly number[] => [...new Float32Array(bytes.slice().buffer)];

describe.each(Object.entries(ways))('%s', (_, way) => {
  test('a texture and a surface of the module', async () => {
    const device = await Device.create();
    const module = device.load(unified);
    const kernel = module.kernel('copy');
    const canvas = device.alloc(16);
    module.bind('canvas', device.surface({ texels: canvas, type: 'f32', size: [4] }));
    module.bind('image', textureOf(device, [1, 2, 3, 4]));
    await kernel.launch({ ...way, block: 4, args: [] });
    expect(floats(canvas.read())).toEqual([1, 2, 3, 4]);
    const other = textureOf(device, [5, 6, 7, 8]);
    module.bind('image', other);
    other.free();
    await kernel.launch({ ...way, block: 4, args: [] });
    expect(floats(canvas.read())).toEqual([5, 6, 7, 8]);
  });

  test('samplers of the module, and a texture and a sampler as arguments', async () => {
    const device = await Device.create();
    const module = device.load(independent);
    const out = device.alloc(20);
    module.bind('image', textureOf(device, [1, 2, 3, 4], true));
    const args = [out, 1.5625, textureOf(device, [10, 20, 30, 40], true), device.sampler({ addressMode: 'mirror' })];
    await module.kernel('sample').launch({ ...way, args });
    expect(floats(out.read()).slice(0, 4)).toEqual([4, 2.75, 2, 20]);
    expect(new Uint32Array(out.read().slice(16).buffer)).toEqual(Uint32Array.of(4));
  });

  test('istypep tells textures from samplers', async () => {
    const device = await Device.create();
    const out = device.alloc(8);
    await device
      .load(independent)
      .kernel('kinds')
      .launch({ ...way, args: [out] });
    expect(new Uint32Array(out.read().buffer)).toEqual(Uint32Array.of(1, 1));
  });

  test('a texture without texels', async () => {
    const device = await Device.create();
    const result = await device
      .load(unified)
      .kernel('copy')
      .launch({ ...way, args: [] });
    expect(result.ok ? null : result.fault.message).toContain('has no texels yet: LoadedModule.bind');
  });

  test('a sampler in the place of a texture', async () => {
    const device = await Device.create();
    const module = device.load(independent);
    module.bind('image', textureOf(device, [1, 2], true));
    const args = [device.alloc(20), 0, device.sampler(), device.sampler()];
    const result = await module.kernel('sample').launch({ ...way, args });
    expect(result.ok ? null : result.fault.message).toContain('is a sampler, which has no texels');
  });
});

/**
 * Reads in which some operands are constants. They are compared with reads in which registers take the place of the
 * constants.
 */
const constants: readonly (readonly [instruction: string, ...operands: readonly string[]])[] = [
  ['tex.1d.v4.f32.f32', '{A}'],
  ['tex.2d.v4.f32.f32', '{A, %f9}'],
  ['tex.2d.v4.f32.f32', '{%f9, A}'],
  ['tex.level.2d.v4.f32.f32', '{A, 0d3FF8000000000000}', 'A'],
  ['tex.grad.2d.v4.f32.f32', '{A, %f9}', '{A, %f9}', '{%f9, A}'],
  ['tld4.r.2d.v4.f32.f32', '{%f9, A}'],
];

test.each(constants)('%s with the constants in %s are f32 numbers', async (instruction, coordinates, ...more) => {
  const device = await Device.create();
  const texels = device.alloc(Float32Array.from({ length: 64 + 16 + 4 }, (_one, i) => i));
  const size = instruction.includes('.1d') ? [64] : [8, 8];
  const texture = device.texture({ texels, type: 'f32', size, filter: 'linear', levels: size.length === 1 ? 1 : 3 });
  const read = async (constant: string): Promise<readonly number[]> => {
    const operands = [`[%rd2, ${coordinates}]`, ...more].join(', ').replaceAll('A', constant);
    const out = device.alloc(16);
    const module = device.load(`.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 texture) {
.reg .f32 %f<10>; .reg .b64 %rd<3>;
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [texture]; mov.f32 %f8, 1.25; mov.f32 %f9, 2.75;
${instruction} {%f1, %f2, %f3, %f4}, ${operands};
st.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};
ret; }`);
    const result = await module.kernel('k').launch({ args: [out, texture] });
    expect(result.ok).toBe(true);
    return [...out.read('f32')];
  };
  expect(await read('1.25')).toEqual(await read('%f8'));
  expect(await read('0f3FA00000')).toEqual(await read('%f8'));
});

describe('refused', () => {
  type Wrong = (device: Device) => void;
  const wrong: readonly (readonly [what: string, act: Wrong, code: string, message: string])[] = [
    [
      'a name that the module does not have',
      (device) => device.load(unified).bind('imag', textureOf(device, [1])),
      'unknown-symbol',
      "the module has no texture, surface or sampler 'imag'; did you mean image?",
    ],
    [
      'a texture for a surface',
      (device) => device.load(unified).bind('canvas', textureOf(device, [1])),
      'bad-binding',
      "'canvas' is a surface; it cannot be bound to a texture",
    ],
    [
      'a sampler for a texture',
      (device) => device.load(independent).bind('image', device.sampler()),
      'bad-binding',
      "'image' is a texture; it cannot be bound to a sampler",
    ],
    [
      'a texture as a symbol',
      (device) => device.load(unified).symbol('image'),
      'unknown-symbol',
      "'image' is a texture; use LoadedModule.bind",
    ],
    [
      'an option that samplers do not have',
      (device) => device.sampler(JSON.parse('{"normalizedTexels": true}')),
      'bad-option',
      'normalizedTexels',
    ],
    [
      'a texture that was freed',
      (device) => {
        const texture = textureOf(device, [1]);
        texture.free();
        device.load(unified).bind('image', texture);
      },
      'buffer-freed',
      'freed',
    ],
    [
      'a module that was unloaded',
      (device) => {
        const module = device.load(unified);
        module.unload();
        module.bind('image', textureOf(device, [1]));
      },
      'module-unloaded',
      'the module was unloaded',
    ],
  ];

  test.each(wrong)('%s', async (_, act, code, message) => {
    const device = await Device.create();
    expect(() => act(device)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });

  test('a texture of another device', async () => {
    const [device, other] = await Promise.all([Device.create(), Device.create()]);
    expect(() => device.load(unified).bind('image', textureOf(other, [1]))).toThrow('of this device');
  });
});
