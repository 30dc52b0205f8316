/**
 * Tests reads of one level of a texture. After the first read of a texture, compiled code performs these reads by
 * itself. Both engines must return the same bits in each format, for each address mode, and for all kinds of
 * coordinates.
 */
import { describe, expect, test } from 'vitest';
import { Device, type DeviceTexture, type TextureOptions } from '../../src/device.ts';
import { texelTypes } from '../../src/isa/texture-fields.ts';
import { ways } from './run.ts';

const axes = ['%x', '%y', '%z'] as const;
const geometries = ['1d', '2d', '3d'] as const;

/** In the kernel `k`, each thread reads a texture at one position and stores the bits of the four channels. */
function reading(dimensions: number, coordinates: 'f32' | 's32'): string {
  const used = dimensions === 3 ? '%x, %y, %z, %z' : axes.slice(0, dimensions).join(', ');
  const loads = axes.map((axis, i) => `ld.global.b32 ${axis}, [%rd3+${4 * i}];`);
  return `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 places, .param .u64 texture, .param .u64 other) {
.reg .b64 %rd<8>; .reg .b32 %r<8>, %x, %y, %z; .reg .pred %p;
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [places]; ld.param.u64 %rd4, [texture]; ld.param.u64 %rd5, [other];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
mad.wide.u32 %rd3, %r1, 12, %rd2; mad.wide.u32 %rd1, %r1, 16, %rd1;
${loads.join(' ')}
and.b32 %r2, %r1, 1; setp.ne.u32 %p, %r2, 0; selp.b64 %rd4, %rd5, %rd4, %p;
tex.${geometries[dimensions - 1] ?? ''}.v4.s32.${coordinates} {%r4, %r5, %r6, %r7}, [%rd4, {${used}}];
st.global.v4.b32 [%rd1], {%r4, %r5, %r6, %r7};
ret; }`;
}

/** Special values, boundary values, and ordinary numbers. */
const numbers: readonly number[] = [
  [0, 2 ** -149, 2 ** -130, 2 ** -126, 2 ** -22, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6.75, 7, 8],
  [1 - 2 ** -24, 1 + 2 ** -23, 3 - 2 ** -22, 5 - 2 ** -21, 2 ** 21 + 0.25, 2 ** 31, 2 ** 40, 1e30],
  [Number.POSITIVE_INFINITY, Number.NaN],
].flatMap((list) => list.flatMap((value) => [value, -value]));

/**
 * Half of the positions use the numbers above, in different combinations for the three axes. The other half are close
 * to the texture. In half of the latter, the coordinates are multiples of 1/32.
 */
const places = Float32Array.from({ length: 3 * 768 }, (_, i) => {
  const [thread, axis] = [Math.floor(i / 3), i % 3];
  const mixed = Math.imul(i + 1, 2654435761);
  const near = (Math.imul(mixed ^ (mixed >>> 15), 2246822519) >>> 8) / 2 ** 24;
  if (thread % 4 === 1) return near * 9 - 2;
  if (thread % 4 === 3) return Math.floor(near * 9 * 32) / 32 - 2;
  return numbers[((thread / 2) * (2 ** (3 * axis) - axis)) % numbers.length] ?? 0;
});
const integers = Int32Array.from(
  places,
  (_, i) => [-5, -1, 0, 1, 2, 3, 4, 5, 7, 2 ** 31 - 1, -(2 ** 31)][(i * 7) % 11] ?? 0,
);

const pattern = (bytes: number): Uint8Array =>
  Uint8Array.from(
    { length: bytes },
    (_, i) => [0x80, 0x7f, 0xff, 0, (Math.imul(i + 1, 2654435761) >>> 13) & 0xff][i % 5] ?? 0,
  );

async function bitsOf(
  options: Omit<TextureOptions, 'texels'>,
  coordinates: Float32Array | Int32Array,
  way: object,
): Promise<Uint32Array> {
  const device = await Device.create({ gpu: 'H100' });
  const textureOf = (changes: Partial<TextureOptions>): DeviceTexture =>
    device.texture({ ...options, texels: device.alloc(pattern(2048)), ...changes });
  const textures = [textureOf({}), textureOf({ addressMode: 'clamp' })];
  const threads = coordinates.length / 3;
  const out = device.alloc(16 * threads);
  const type = coordinates instanceof Int32Array ? 's32' : 'f32';
  const args = [out, device.alloc(coordinates), ...textures];
  const kernel = device.load(reading(options.size.length, type)).kernel('k');
  const result = await kernel.launch({ grid: threads / 64, block: 64, args, ...way });
  if (!result.ok) throw new Error(result.fault.message);
  return out.read('u32');
}

const sizes = [[5], [5, 3], [5, 3, 2]] as const;
const canMix = ({ type, normalizedTexels = false }: Pick<TextureOptions, 'type' | 'normalizedTexels'>): boolean =>
  normalizedTexels || type === 'f16' || type === 'f32';
const { interp, ...compiled } = ways;

describe.each(Object.entries(compiled))('%s', (_, way) => {
  const formats = texelTypes.flatMap(({ name, kind, bytes }) =>
    kind === 'float' || bytes === 4 ? [{ type: name }] : [{ type: name }, { type: name, normalizedTexels: true }],
  );
  for (const format of formats) {
    for (const channels of [1, 2, 4] as const) {
      const fraction = 'normalizedTexels' in format ? ' as fractions' : '';
      test(`${channels} × ${format.type}${fraction}`, async () => {
        const options = { ...format, channels, size: sizes[1] };
        expect(await bitsOf(options, integers, way)).toEqual(await bitsOf(options, integers, interp ?? {}));
        expect(await bitsOf(options, places, way)).toEqual(await bitsOf(options, places, interp ?? {}));
        if (!canMix(format)) return;
        const mixing = { ...options, filter: 'linear' } as const;
        expect(await bitsOf(mixing, places, way)).toEqual(await bitsOf(mixing, places, interp ?? {}));
      });
    }
  }

  for (const size of sizes) {
    for (const addressMode of ['clamp', 'border', 'wrap', 'mirror'] as const) {
      for (const normalizedCoordinates of [false, true]) {
        const units = normalizedCoordinates ? 'fractions of the size' : 'texels';
        test(`${size.length} dimensions, ${addressMode}, in ${units}`, async () => {
          const common = { size, addressMode, normalizedCoordinates, border: [0.5, 1, 2, 3] } as const;
          for (const filter of ['point', 'linear'] as const) {
            for (const format of [{ type: 'f32' }, { type: 'u8', normalizedTexels: true }] as const) {
              const options = { ...common, ...format, filter };
              expect(await bitsOf(options, places, way)).toEqual(await bitsOf(options, places, interp ?? {}));
            }
          }
        });
      }
    }
  }
});

/** Each thread reads a texture of its own. */
const walking = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 handles) {
.reg .b64 %rd<6>; .reg .b32 %r<8>;
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [handles]; mov.u32 %r1, %tid.x;
mad.wide.u32 %rd3, %r1, 8, %rd2; ld.global.u64 %rd4, [%rd3]; mad.wide.u32 %rd5, %r1, 4, %rd1;
tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd4, {0}];
st.global.u32 [%rd5], %r4;
ret; }`;

test.each(Object.entries(ways))('more textures than the table has entries: %s', async (_, way) => {
  const device = await Device.create({ gpu: 'H100' });
  const numbered = Array.from({ length: 160 }, (_one, i) => i);
  const textures = numbered.map((i) =>
    device.texture({ type: 'u32', size: [1], texels: device.alloc(Uint32Array.of(i)) }),
  );
  const handles = device.alloc(BigUint64Array.from(textures, ({ address }) => address));
  const out = device.alloc(4 * textures.length);
  const result = await device
    .load(walking)
    .kernel('k')
    .launch({ block: textures.length, args: [out, handles], ...way });
  expect(result.ok).toBe(true);
  expect([...out.read('u32')]).toEqual(numbered);
});

/** Threads with even indices read a texture with one sampler, and threads with odd indices read it with another. */
const alternating = `.version 8.0
.target sm_90, texmode_independent
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 texture, .param .u64 first, .param .u64 second) {
.reg .b64 %rd<6>; .reg .b32 %r<8>; .reg .f32 %f<6>; .reg .pred %p;
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [texture]; ld.param.u64 %rd3, [first]; ld.param.u64 %rd4, [second];
mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; setp.ne.u32 %p, %r2, 0; selp.b64 %rd3, %rd4, %rd3, %p;
mad.wide.u32 %rd5, %r1, 4, %rd1;
tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, %rd3, {1.25}];
st.global.f32 [%rd5], %f1;
ret; }`;

test.each(Object.entries(ways))('samplers that take turns: %s', async (_, way) => {
  const device = await Device.create({ gpu: 'H100' });
  const texels = device.alloc(Float32Array.of(1, 2, 3, 4));
  const texture = device.texture({ type: 'f32', size: [4], texels, normalizedCoordinates: true });
  const samplers = (['clamp', 'wrap'] as const).map((addressMode) => device.sampler({ addressMode }));
  const out = device.alloc(4 * 16);
  const result = await device
    .load(alternating)
    .kernel('k')
    .launch({ block: 16, args: [out, texture, ...samplers], ...way });
  expect(result.ok).toBe(true);
  expect([...out.read('f32')]).toEqual(Array.from({ length: 16 }, (_one, i) => (i % 2 === 0 ? 4 : 2)));
});
