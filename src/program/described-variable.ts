/**
 * Variables of types `.texref`, `.surfref` and `.samplerref` (PTX ISA 9.1, section 5.3). Such a variable consists of a
 * description, so its address is a handle like those that `Device.texture` creates.
 */
import type { VariableSymbol } from '../check/symbols.ts';
import { addressModeWords } from '../isa/opaque-fields.ts';
import { addressModes, textureFields as fields, type textureTags } from '../isa/texture-fields.ts';
import type { Initializer } from '../syntax/tree.ts';

/** One byte of a description, and its offset. */
export type DescriptionByte = readonly [at: number, byte: number];

const kinds: Readonly<Record<string, keyof typeof textureTags>> = {
  '.texref': 'texture',
  '.surfref': 'surface',
  '.samplerref': 'sampler',
};

/**
 * Returns what a variable describes: a texture, a surface or a sampler. Variables in the state space `.tex` of older
 * PTX versions are textures.
 */
export function describedKind({ variable }: VariableSymbol): keyof typeof textureTags {
  return kinds[variable.type] ?? 'texture';
}

/**
 * The bytes of the description that are set by fields of a variable's initial value, such as `filter_mode = linear`.
 */
export function declaredBytes({ variable }: VariableSymbol): readonly DescriptionByte[] {
  const { initializer } = variable;
  if (initializer?.kind !== 'list') return [];
  return initializer.elements.flatMap((field) => (field.kind === 'field' ? bytesOf(field.name, field.value) : []));
}

function bytesOf(name: string, value: Initializer): readonly DescriptionByte[] {
  const word = value.kind === 'address' ? value.name : '';
  const isSet = value.kind === 'integer' && value.value !== 0n;
  switch (name) {
    case 'addr_mode_0':
    case 'addr_mode_1':
    case 'addr_mode_2': {
      const dimension = Number(name.slice(-1));
      return [[fields.addressModes + dimension, addressModes.indexOf(addressModeWords.get(word) ?? 'clamp')]];
    }
    case 'filter_mode':
      return [[fields.filter, Number(word === 'linear')]];
    case 'force_unnormalized_coords':
      return [[fields.normalizesCoordinates, Number(!isSet)]];
    case 'normalized_coords':
      return [[fields.normalizesCoordinates, Number(isSet)]];
    default:
      return [];
  }
}
