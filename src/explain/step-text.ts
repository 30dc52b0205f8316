/** Prints steps in the notation of the ISA's pseudo-code. */
import type { Conversion } from '../numerics/conversion.ts';
import { type Collective, keyOf } from '../isa/collective.ts';
import type { MatrixProduct } from '../isa/matrix-product.ts';
import { type Ref, refName } from '../isa/steps/ref.ts';
import type { BoxKind } from '../isa/steps/memory.ts';
import type { AsyncKind, MemoryScope } from '../isa/steps/order.ts';
import type { StepKind, StepOf } from '../isa/steps/step.ts';
import type { FloatMode } from '../numerics/operations.ts';

type Text<Kind extends StepKind> = (step: StepOf<Kind>) => string;

const scopeWords: Readonly<Record<MemoryScope, string>> = {
  cta: 'the block',
  cluster: 'the cluster',
  gpu: 'the GPU',
  sys: 'the system',
};

const asyncWords: Readonly<Record<AsyncKind, string>> = {
  copy: 'copies',
  bulk: 'bulk copies',
  wgmma: 'products',
  tcgen05: 'products',
};

const texts: { readonly [Kind in StepKind]: Text<Kind> } = {
  convert: (step) => `${refName(step.to)} = ${convertText(step)}`,
  clamp: (step) => `${refName(step.to)} = clamp to ${step.type}(${refName(step.from)})`,
  unpack: (step) => `{${names(step.to)}} = lanes of ${refName(step.from)}, ${lanes(step)}`,
  pack: (step) => `${refName(step.to)} = lanes {${names(step.from)}}, ${lanes(step)}`,
  extract: (step) => `${refName(step.to)} = ${refName(step.from)}[${step.low + step.width - 1}:${step.low}]`,
  join: (step) =>
    `${refName(step.to)} = low ${step.width} bits of ${refName(step.high)} << ${step.shift} | ${refName(step.low)}`,
  copy: (step) => `${refName(step.to)} = ${refName(step.from)}`,
  constant: (step) => `${refName(step.to)} = ${step.value}`,
  mufu: ({ fn, to, from }) => `${refName(to)} = mufu.${fn}(${refName(from)})`,
  float: (step) => `${refName(step.to)} = ${step.fn}.${step.format}${modeText(step.mode)}(${names(step.from)})`,
  integer: (step) => `${refName(step.to)} = ${step.fn}.${step.type}${step.sat ? '.sat' : ''}(${names(step.from)})`,
  bits: (step) =>
    `${refName(step.to)} = ${step.fn}(${names(step.from)}), ${step.width} ${step.width === 1 ? 'bit' : 'bits'}`,
  compare: (step) =>
    `${refName(step.to)} = ${refName(step.from[0])} ${step.comparison} ${refName(step.from[1])}, as ${step.type}`,
  select: (step) =>
    `${refName(step.to)} = ${refName(step.condition)} ? ${refName(step.from[0])} : ${refName(step.from[1])}`,
  load: (step) => `{${names(step.to)}} = ${step.width} bits each of ${step.space} memory at ${refName(step.address)}`,
  store: (step) => `${step.space} memory at ${refName(step.address)} = {${names(step.from)}}, ${step.width} bits each`,
  transfer: (step) =>
    `${refName(step.size)} bytes of ${step.space} memory at ${refName(step.address)} = ${refName(step.count)} bytes of ${step.sourceSpace} memory at ${refName(step.source)}, then zeros`,
  bulk: (step) =>
    `${refName(step.size)} bytes of ${step.space} memory at ${refName(step.address)} = those of ${step.sourceSpace} memory at ${refName(step.source)}${step.mask === null ? '' : `, where ${refName(step.mask)} has a bit for the byte of its 16`}${step.left === null || step.right === null ? '' : `, without the first ${refName(step.left)} and the last ${refName(step.right)}`}`,
  clear: (step) => `${refName(step.size)} bytes of ${step.space} memory at ${refName(step.address)} = zeros`,
  'bulk-atomic': (step) =>
    `for each ${step.width} bits of ${refName(step.size)} bytes: ${refName(step.value)} = ${step.sourceSpace} memory from ${refName(step.source)} on; ${refName(step.old)} = ${step.space} memory from ${refName(step.address)} on, replaced by ${step.steps.map((one) => stepText(one)).join(', ')}`,
  'load-box': (step) => `${boxInShared(step)} = ${boxInTensor(step)}; ${refName(step.object)} tracks its completion`,
  'store-box': (step) => `${boxInTensor(step)} = ${boxInShared(step)}`,
  'reduce-box': (step) => `${boxInTensor(step)} = ${step.op} of it and ${boxInShared(step)}`,
  'multicast-box': (step) =>
    `${boxInShared(step)}, in each block whose rank is in ${refName(step.mask)}, = ${boxInTensor(step)}; ${refName(step.object)} tracks its completion`,
  'tensor-product': (step) =>
    `D at ${refName(step.d)} = the product of A at ${refName(step.a)} and B at ${refName(step.b)}, as described by ${refName(step.instruction)}; if ${refName(step.adds)}, plus D${step.scale === null ? '' : ` * 2^-${refName(step.scale)}`}${step.metadata === null ? '' : `; the columns of A are those of the metadata at ${refName(step.metadata)}`}${step.zeroColumns === null ? '' : `; the columns of B are those of ${refName(step.zeroColumns)}`}`,
  'tensor-load': ({ space, address, offsets, to }) =>
    `{${names(to)}} = 32 bits each of ${space} memory at ${refName(address)} + {${offsets.join(', ')}}`,
  'tensor-store': ({ space, address, offsets, from }) =>
    `${space} memory at ${refName(address)} + {${offsets.join(', ')}} = {${names(from)}}, 32 bits each`,
  'tensor-copy': (step) =>
    `tensor memory at ${refName(step.to)} = the matrix in shared memory at ${refName(step.source)}`,
  'texture-read': (step) =>
    `{${names(step.to)}} = the texture with the handle ${refName(step.texture)} at {${names(step.coordinates)}}${readText(step)}`,
  'surface-address': (step) =>
    `${refName(step.to)} = the address of the texel at {${names(step.coordinates)}} of the surface with the handle ${refName(step.surface)}`,
  'surface-store': (step) =>
    `the texel at {${names(step.coordinates)}} of the surface with the handle ${refName(step.surface)} = {${names(step.from)}}, converted to its format`,
  window: (step) =>
    step.direction === 'to-generic'
      ? `${refName(step.to)} = ${refName(step.from)} + base of the ${step.space} window`
      : `${refName(step.to)} = ${refName(step.from)} - base of the ${step.space} window`,
  'in-window': (step) => `${refName(step.to)} = ${refName(step.from)} lies in the ${step.space} window`,
  branch: (step) => `go to ${step.target}`,
  switch: (step) => `go to target ${refName(step.index)} of ${step.targets}`,
  call: (step) => (step.indirect ? `call the function at ${step.callee}` : `call ${step.callee}`),
  return: () => 'return',
  exit: () => 'end the thread',
  barrier: barrierText,
  collective: (step) =>
    collectiveText(step.fn) ??
    `${names(step.to)} = ${keyOf(step.fn)}(${names(step.from)}) over ${step.mask === null ? 'the threads that arrive together' : refName(step.mask)}`,
  atomic: (step) =>
    `${names(step.old)} = value at [${refName(step.address)}], replaced by ${step.steps.map((one) => stepText(one)).join(', ')}`,
  trap: () => 'end the launch with a fault',
  require: (step) => `end the launch with a fault unless ${refName(step.condition)}: ${step.what}`,
  'commit-group': ({ of }) => `group the ${asyncWords[of]} started so far`,
  'wait-group': ({ of, pending, onlyReads }) =>
    pending === null
      ? `wait for all ${asyncWords[of]}`
      : `wait until at most ${refName(pending)} groups of ${asyncWords[of]} are ${onlyReads ? 'reading' : 'in progress'}`,
  fence: ({ order }) =>
    `order earlier accesses before later ${order === null ? 'bulk copies' : `ones, for ${scopeWords[order.scope]}`}`,
  yield: () => 'let other threads run',
  'cancel-blocks': (step) =>
    `{${names(step.to)}} = whether a cluster that has not started is taken away from the launch, and its first block`,
  unsupported: (step) => `${step.what}: checked, not executed`,
};

function barrierText({ barrier, count, waits, reduce, to, from }: StepOf<'barrier'>): string {
  const threads = count === null ? 'all threads' : `${refName(count)} threads`;
  if (!waits) return `arrive at barrier ${refName(barrier)}, which waits for ${threads} of the block`;
  const reduced = reduce === null ? '' : `; ${names(to)} = ${reduce} of ${names(from)} over these threads`;
  return `wait at barrier ${refName(barrier)} for ${threads} of the block${reduced}`;
}

/** A description of a collective that has too many operands and results to list; null for any other collective. */
function collectiveText(fn: Collective): string | null {
  if (fn.form === 'mma') return productText(fn.product);
  if (fn.form !== 'addresses') return null;
  const { accesses } = fn.plan;
  return `address.0 to address.${accesses.length - 1} = where the lane's parts of the matrix are`;
}

/** Describes a matrix product, such as `d = a * b + c over the warp: 16 by 8 by 16, f16 by f16 to f32`. */
function productText({ m, n, k, a, b, d }: MatrixProduct): string {
  return `d = a * b + c over the warp: ${m} by ${n} by ${k}, ${a.format} by ${b.format} to ${d.format}`;
}

function readText({ read, level, offset }: StepOf<'texture-read'>): string {
  const component = read.gathers === null ? '' : `, component ${read.gathers} of the four nearest texels`;
  const levels = { finest: '', given: `, level ${names(level)}`, derivatives: `, level by {${names(level)}}` };
  return `${component}${levels[read.level]}${offset.length === 0 ? '' : `, offset {${names(offset)}}`}`;
}

/** Prints one step as a line. */
export function stepText<Kind extends StepKind>(step: StepOf<Kind>): string {
  return texts[step.kind](step);
}

function names(refs: readonly Ref[]): string {
  return refs.map(refName).join(', ');
}

function lanes({ lane, stride }: { readonly lane: number; readonly stride: number }): string {
  const apart = stride === lane ? '' : ` in ${stride}`;
  return `${lane} bits${apart} each, topmost first`;
}

function convertText({ conversion: c, from, random, scale }: StepOf<'convert'>): string {
  const source = scale !== null && c.scaled === 'divide' ? `${refName(from)} / ${refName(scale)}` : refName(from);
  const last = random === null ? '' : `, ${refName(random)}`;
  const product = scale !== null && c.scaled === 'multiply' ? ` * ${refName(scale)}` : '';
  return `${conversionText(c)}(${source}${last})${product}`;
}

/** A conversion with its rounding and clamping: `f32 to e4m3.rn.satfinite`. */
export function conversionText(c: Conversion): string {
  const words = [
    c.rounding === null ? '' : `.${c.rounding}${c.integral ? 'i' : ''}`,
    c.flush ? '.ftz' : '',
    c.sat ? '.sat' : '',
    c.satfinite ? '.satfinite' : '',
    c.relu ? '.relu' : '',
    c.positiveZero ? '.pzo' : '',
  ];
  return `${c.from} to ${c.to}${words.join('')}`;
}

function modeText({ rounding, flush, sat, approximate, nan, xorSign }: FloatMode): string {
  const words = [
    approximate ? '.approx' : `.${rounding}`,
    flush ? '.ftz' : '',
    sat ? '.sat' : '',
    nan ? '.NaN' : '',
    xorSign ? '.xorsign.abs' : '',
  ];
  return words.join('');
}

type BoxStep = StepOf<BoxKind>;

function boxInShared({ space, address }: BoxStep): string {
  return `${space} memory at ${refName(address)}`;
}

function boxInTensor(step: BoxStep): string {
  const { mode, coordinates, tensor } = step;
  const [column = '$', ...rows] = coordinates;
  const whole = `of the tensor at ${refName(tensor)}`;
  switch (mode) {
    case 'rows':
      return `the rows {${names(rows)}} from column ${refName(column)} on ${whole}`;
    case 'im2col': {
      const moved = 'offsets' in step ? `, moved by {${names(step.offsets)}},` : '';
      return `the pixels from {${names(coordinates)}} on${moved} ${whole}`;
    }
    case 'tile':
      return `the box at {${names(coordinates)}} ${whole}`;
  }
}
