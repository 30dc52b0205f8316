/** Determines how each of the recipes converts a file. */
import {
  type Container,
  type ConversionChoice,
  type ConversionPlan,
  dtypeIn,
  planConversion,
  type TensorEntry,
  type TensorFile,
} from 'ptxlab/tensors';
import { type Recipe, recipes } from './recipe-names.ts';

/**
 * GGUF blocks can be stored only in GGUF files. Other formats are written to the same container as the original if that
 * container has type names for them. numpy has no type names for bf16 and e4m3, so readers of an .npy file could not
 * tell these formats from raw bytes.
 */
export function containerFor(recipe: Recipe, file: TensorFile): Container {
  if (recipe.isBlocks) return 'gguf';
  if (recipe.scale !== null || recipe.plain === null) return 'safetensors';
  const dtype = dtypeIn(file.container, recipe.plain);
  return dtype === null || /V\d$/.test(dtype) ? 'safetensors' : file.container;
}

export function recipeNamed(name: string): Recipe {
  const found = recipes.find((recipe) => recipe.name === name);
  if (found === undefined) throw new Error(`there is no recipe ${name}`);
  return found;
}

/**
 * Returns the conversion options to pass to `planConversion`. The function `takes` receives the name of a tensor and
 * decides whether that tensor is converted.
 */
function choiceOf({ to, scale }: Recipe, takes: (name: string) => boolean): ConversionChoice {
  return { to, takes, ...(scale !== null && { scale }) };
}

/** A view of a file that contains only some of its tensors. */
export function partOf(file: TensorFile, tensors: readonly TensorEntry[]): TensorFile {
  return { ...file, tensors };
}

/** @throws PtxlabError if the recipe does not apply to one of the tensors */
export function planOf(file: TensorFile, recipe: Recipe, takes: (name: string) => boolean): ConversionPlan {
  return planConversion(file, containerFor(recipe, file), choiceOf(recipe, takes));
}

/**
 * Selects the matrices whose rows consist of whole blocks. Vectors are copied, because converting them saves little. A
 * file without matrices is converted as a whole.
 */
export function takesOf({ tensors }: TensorFile, { block }: Recipe): (name: string) => boolean {
  const isMatrix = ({ shape }: TensorEntry): boolean => shape.length > 1;
  if (!tensors.some(isMatrix)) return () => true;
  const taken = tensors.filter((entry) => isMatrix(entry) && (entry.shape.at(-1) ?? 0) % block === 0);
  const names = new Set(taken.map(({ name }) => name));
  return (name) => names.has(name);
}
