/**
 * Buffers for parameters that point to constant memory (`.ptr .const`), as OpenCL kernels have them. As section 5.1.3 of
 * PTX ISA 9.1 describes, the host places such buffers in constant memory, behind the module's own constants, and passes
 * their addresses there.
 */
import { PtxlabError } from '../base/error.ts';
import { alignUp } from '../check/declarations/sizes.ts';
import { resolveGeneric } from '../machine/memory/address-space.ts';
import type { Placed } from '../program/layout.ts';
import type { ModuleImage } from '../program/module-image.ts';
import { type Argument, isAddressed } from './arguments.ts';
import { DeviceRange } from './device-range.ts';

/** The alignment of each buffer in constant memory, and its maximum size, in bytes. */
const alignment = 256;
const largest = 2 ** 16;

export interface PlacedArguments {
  readonly args: readonly Argument[];
  readonly image: ModuleImage;
}

/**
 * Returns the arguments with addresses in constant memory, and an image that contains copies of the buffers.
 *
 * @throws PtxlabError `argument-size` if a buffer has more than 64 KiB
 */
export function placeConstants(
  args: readonly Argument[],
  parameters: readonly Placed[],
  image: ModuleImage,
): PlacedArguments {
  const buffers: { readonly name: string; readonly offset: number; readonly bytes: Uint8Array }[] = [];
  let end = image.constants.byteLength;
  const placed = args.map((argument, i): Argument => {
    const parameter = parameters[i];
    if (parameter?.variable.pointer?.space !== '.const' || !isAddressed(argument)) return argument;
    const { space, offset } = resolveGeneric(argument.address);
    if (space === 'const') return offset;
    if (!(argument instanceof DeviceRange)) return argument;
    const bytes = argument.view();
    checkSize(bytes.byteLength, i, parameter.name);
    const start = alignUp(end, alignment);
    end = start + bytes.byteLength;
    buffers.push({ name: parameter.name, offset: start, bytes });
    return start;
  });
  if (buffers.length === 0) return { args: placed, image };
  const constants = new Uint8Array(end);
  constants.set(image.constants);
  for (const { offset, bytes } of buffers) constants.set(bytes, offset);
  const added = buffers.map(({ name, offset, bytes }) => ({ name, offset, size: bytes.byteLength }));
  return { args: placed, image: { ...image, constants, constantLayout: [...image.constantLayout, ...added] } };
}

function checkSize(bytes: number, index: number, name: string): void {
  if (bytes <= largest) return;
  throw new PtxlabError(
    'argument-size',
    `argument ${index} is a buffer of ${bytes} bytes; parameter ${name} points to constant memory, where a buffer has at most ${largest}`,
  );
}
