/**
 * Arguments for parameters that point to constant or shared memory. OpenCL kernels have such parameters. The host
 * copies buffers to constant memory, after the module's own constants, and passes the addresses of the copies (PTX ISA
 * 9.1, section 5.1.3). Parts of shared memory are placed after the kernel's own variables.
 */
import { PtxlabError } from '../base/error.ts';
import { shown } from '../base/rules.ts';
import { alignUp } from '../base/align.ts';
import { resolveGeneric } from '../machine/memory/address-space.ts';
import type { NamedPart, Placed } from '../program/layout.ts';
import type { ModuleImage } from '../program/module-image.ts';
import { type Argument, isAddressed, type PlacedArgument, type SharedPart } from './arguments.ts';
import { DeviceRange } from './device-range.ts';

/** The alignment of each buffer and each part, in bytes. The largest OpenCL vector type has this alignment. */
const alignment = 128;

/** The maximum size of a buffer in constant memory, in bytes. */
const largest = 2 ** 16;

/** The image of the module and the end of shared memory, before or after the arguments are placed. */
export interface PointedMemory {
  readonly image: ModuleImage;
  readonly sharedEnd: number;
}

export interface PlacedArguments extends PointedMemory {
  readonly args: readonly PlacedArgument[];
}

interface ConstantBuffer extends NamedPart {
  readonly bytes: Uint8Array;
}

/**
 * Returns the arguments with addresses in constant and shared memory, an image that contains copies of the buffers, and
 * the new end of shared memory.
 *
 * @throws PtxlabError `argument-size` if a buffer is larger than 64 KiB; `argument-type` if a part of shared memory has
 *   an invalid size, or if its parameter does not point to shared memory
 */
export function placePointers(
  args: readonly Argument[],
  parameters: readonly Placed[],
  { image, sharedEnd }: PointedMemory,
): PlacedArguments {
  const buffers: ConstantBuffer[] = [];
  let [end, shared] = [image.constants.byteLength, sharedEnd];
  const placed = args.map((argument, i): PlacedArgument => {
    const parameter = parameters[i];
    const space = parameter?.variable.pointer?.space ?? null;
    if (isSharedPart(argument)) {
      checkPart(argument, i, space === '.shared');
      const start = alignUp(shared, alignment);
      shared = start + argument.shared;
      return start;
    }
    if (parameter === undefined || space !== '.const' || !isAddressed(argument)) return argument;
    const found = resolveGeneric(argument.address);
    if (found.space === 'const') return found.offset;
    if (!(argument instanceof DeviceRange)) return argument;
    const bytes = argument.view();
    const { name } = parameter;
    checkSize(bytes.byteLength, i, name);
    const offset = alignUp(end, alignment);
    end = offset + bytes.byteLength;
    buffers.push({ name, offset, size: bytes.byteLength, bytes });
    return offset;
  });
  return { args: placed, image: buffers.length === 0 ? image : withBuffers(image, buffers, end), sharedEnd: shared };
}

function isSharedPart(argument: unknown): argument is SharedPart {
  return typeof argument === 'object' && argument !== null && 'shared' in argument;
}

function withBuffers(image: ModuleImage, buffers: readonly ConstantBuffer[], end: number): ModuleImage {
  const constants = new Uint8Array(end);
  constants.set(image.constants);
  for (const { offset, bytes } of buffers) constants.set(bytes, offset);
  return { ...image, constants, constantLayout: [...image.constantLayout, ...buffers] };
}

function checkPart({ shared }: SharedPart, index: number, isPointer: boolean): void {
  if (!isPointer) {
    const words = 'is a part of shared memory, but the parameter does not point to shared memory';
    throw new PtxlabError('argument-type', `argument ${index} ${words}`);
  }
  if (Number.isSafeInteger(shared) && shared >= 0) return;
  throw new PtxlabError(
    'argument-type',
    `argument ${index}: \`shared\` must be a number of bytes, not ${shown(shared)}`,
  );
}

function checkSize(bytes: number, index: number, name: string): void {
  if (bytes <= largest) return;
  throw new PtxlabError(
    'argument-size',
    `argument ${index} is a buffer of ${bytes} bytes; parameter ${name} points to constant memory, where a buffer can be at most ${largest} bytes`,
  );
}
