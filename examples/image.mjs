/**
 * Turns and enlarges an image without a GPU: runs a kernel that nvcc compiled (kernels/image.cu) and that reads a texture
 * with filtering and writes a surface, and prints the image before and after.
 *
 *   npm run build && node examples/image.mjs
 */
import { readFileSync } from 'node:fs';
import { Device } from 'ptxlab/device';

const source = readFileSync(new URL('kernels/image_sm75.ptx', import.meta.url), 'utf8');

/** A window with a cross, 24 by 12 pixels. */
const size = [24, 12];
const [width, height] = size;
const image = new Uint8Array(width * height);
for (let y = 0; y < height; y++) {
  for (let x = 0; x < width; x++) {
    const isFrame = x < 2 || x >= width - 2 || y < 1 || y >= height - 1;
    const isCross = Math.abs(2 * x + 1 - width) < 3 || 2 * y + 1 - height === 1;
    image[y * width + x] = isFrame ? 255 : isCross ? 160 : 0;
  }
}

const device = await Device.create({ target: 'sm_75' });
const turned = device.alloc(image.byteLength);
const from = device.texture({
  texels: device.alloc(image),
  type: 'u8',
  size,
  normalizedTexels: true,
  normalizedCoordinates: true,
  filter: 'linear',
  addressMode: 'wrap',
});
const to = device.surface({ texels: turned, type: 'u8', size });
const result = await device
  .load(source)
  .kernel('turn')
  .launch({ grid: [2, 1], block: [16, 16], args: [from, to, width, height, Math.PI / 6, 1.5] });
if (!result.ok) throw new Error(result.fault.message);

const shades = ' .:-=+*#%@';
const after = turned.read();
for (let y = 0; y < height; y++) {
  const row = (pixels) =>
    Array.from(pixels.subarray(y * width, (y + 1) * width), (value) => shades[Math.floor(value / 25.6)]).join('');
  console.log(`${row(image)}    ${row(after)}`.trimEnd());
}
