/**
 * A valid call to every public function, method and constructor. `wrongCalls` makes variations of these calls. In each
 * variation, a wrong value replaces either one argument, or one member of an argument that is a plain object.
 */
import * as analysis from '../../src/analysis.ts';
import * as arrays from '../../src/arrays.ts';
import * as debug from '../../src/debug.ts';
import * as device from '../../src/device.ts';
import * as node from '../../src/hosts/node-library.ts';
import * as core from '../../src/index.ts';
import * as numbers from '../../src/numbers.ts';
import * as tensors from '../../src/tensors.ts';
import { moduleOf } from '../device/run.ts';

/** The entry points of the package, under their names in package.json. */
export const entryPoints: Readonly<Record<string, object>> = {
  '.': core,
  './analysis': analysis,
  './arrays': arrays,
  './debug': debug,
  './device': device,
  './node': node,
  './numbers': numbers,
  './tensors': tensors,
};

type Callable = (...given: never[]) => unknown;

export interface Call {
  /** The name of an exported function or class. If the call is to a method, the name of the method follows. */
  readonly name: string;
  readonly arguments: readonly unknown[];
  readonly run: (given: readonly unknown[]) => unknown;
}

function call(name: string, target: Callable, ...valid: readonly unknown[]): Call {
  return { name, arguments: valid, run: (given) => Reflect.apply(target, undefined, given) };
}

function method(name: string, self: object, ...valid: readonly unknown[]): Call {
  const target: unknown = Reflect.get(self, name.slice(name.indexOf('.') + 1));
  if (typeof target !== 'function') throw new Error(`${name} is not a method`);
  return { name, arguments: valid, run: (given) => Reflect.apply(target, self, given) };
}

function made(name: string, target: new (...given: never[]) => object, ...valid: readonly unknown[]): Call {
  return { name: `new ${name}`, arguments: valid, run: (given) => Reflect.construct(target, given) };
}

/**
 * Objects that callers get from the library and do not create themselves. The members of such objects are not replaced
 * with wrong values.
 */
const opaque = new WeakSet<object>();

function fromLibrary<T extends object>(value: T): T {
  opaque.add(value);
  return value;
}

const place = { target: 'sm_90', version: '8.0' };
const judge = { ...place, isa: undefined };
const ptx = moduleOf({ body: '', parameters: '' });
const report = { source: new core.SourceText(ptx), diagnostics: core.check('x').diagnostics };
const product = 'mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32';
const dot = { a: [0, 0, 0, 0], b: [0, 0, 0, 0], c: 0, scaleA: undefined, scaleB: undefined };
const dotOptions = { target: undefined, version: undefined, isa: undefined, gpu: 'V100' };

const coreCalls: readonly Call[] = [
  call('check', core.check, ptx, judge),
  made('Checker', core.Checker),
  method('Checker.check', new core.Checker(), ptx, judge),
  made('SourceText', core.SourceText, ptx, 'k.ptx'),
  ...['position', 'line', 'lineStart'].map((name) => method(`SourceText.${name}`, new core.SourceText(ptx), 1)),
  call('diagnosticRecord', core.diagnosticRecord, report.source, report.diagnostics[0]),
  call('renderGithub', core.renderGithub, report),
  call('renderPretty', core.renderPretty, report, { width: 80, style: undefined, repeats: 3 }),
  call('renderPtxas', core.renderPtxas, report),
  call('renderSarif', core.renderSarif, [report], '1.0.0'),
  call('evaluate', core.evaluate, 'add.u32', [1, 2], { ...judge, source: undefined, result: undefined }),
  call('evaluateValues', core.evaluateValues, 'add.u32', [1, 2], { ...judge, source: undefined, result: undefined }),
  call('evaluateDot', core.evaluateDot, product, dot, dotOptions),
  call('evaluateDotValues', core.evaluateDotValues, product, dot, dotOptions),
  call('explainDot', core.explainDot, product, dot, dotOptions),
  call('explainMatrices', core.explainMatrices, product, dotOptions),
  call('products', core.products, place),
  call('explain', core.explain, 'add.u32', judge),
  call('explanationText', core.explanationText, fromLibrary(core.explain('add.u32')), {
    width: 80,
    style: undefined,
    glyphs: undefined,
  }),
  call('forms', core.forms, { ...place, opcode: 'add' }),
  call('isTargetName', core.isTargetName, 'sm_90'),
  call('isVersionName', core.isVersionName, '8.0'),
  call('parse', core.parse, ptx),
  call('print', core.print, core.parse(ptx).items),
];

async function deviceCalls(): Promise<readonly Call[]> {
  const owner = await device.Device.create({ memory: 2 ** 16 });
  const module = owner.load(ptx.replace('.visible', '.global .b32 g;\n.visible'));
  const buffer = owner.alloc(16);
  const kernel = module.kernel('k');
  const texels = { texels: buffer, type: 'u8', channels: 1, size: [4, 4], layers: 1, cube: false, rowBytes: 4 };
  const texture = {
    ...texels,
    levels: 1,
    addressMode: 'clamp',
    filter: 'point',
    levelFilter: 'point',
    normalizedCoordinates: true,
    normalizedTexels: true,
    border: [0, 0, 0, 0],
    levelBias: 0,
    leastLevel: 0,
    greatestLevel: 0,
  };
  const launch = { grid: 1, block: 1, sharedBytes: 0, args: [], trace: undefined, timeout: 1, onPrint: undefined };
  const recording = await debug.recordWarp(kernel);
  const memory = { target: 'sm_90', memory: 2 ** 16, workers: 0, simd: true, gpu: undefined, isa: undefined };
  return [
    call('Device.create', (...given) => device.Device.create(...given), memory),
    method('Device.load', owner, ptx),
    method('Device.alloc', owner, 16),
    ...['texture', 'surface'].map((name) => method(`Device.${name}`, owner, name === 'texture' ? texture : texels)),
    ...['symbol', 'kernel'].map((name) => method(`LoadedModule.${name}`, module, name === 'symbol' ? 'g' : 'k')),
    ...['DeviceBuffer', 'ModuleSymbol'].flatMap((name) => {
      const range = name === 'DeviceBuffer' ? buffer : module.symbol('g');
      return [
        method(`${name}.read`, range, 'f32'),
        method(`${name}.view`, range, 0, 4),
        method(`${name}.write`, range, new Uint8Array(4), 0),
      ];
    }),
    method('DeviceTexture.free', owner.texture({ texels: buffer, type: 'u8', size: [16] })),
    method('Kernel.launch', kernel, launch),
    call('tensorMap', device.tensorMap, {
      tensor: buffer,
      type: 'f16',
      dimensions: [8, 1],
      strides: [16],
      box: [8, 1],
      elementStrides: [1, 1],
      swizzle: 0,
      fill: 'zeros',
    }),
    call('recordWarp', debug.recordWarp, kernel, { grid: 1, block: 1, args: [], of: 0, warp: 0, limit: 100 }),
    method('Recording.registersAfter', recording, 0),
    method('Recording.writerOf', recording, '%r1', 0, 0),
  ];
}

function analysisCalls(): readonly Call[] {
  const open = (): analysis.Document => new analysis.Document(ptx);
  const document = open();
  const places = ['signatures', 'completions', 'functionAt', 'sourceAt', 'position'];
  const questions = ['selections', 'places', 'uses', 'declarations', 'renameable', 'roleAt'];
  const view = document.functionAt(ptx.indexOf('ret'));
  if (view === null) throw new Error('the module has a function');
  return [
    call('demangle', analysis.demangle, '_Z1kPf'),
    call('flowGraphSvg', analysis.flowGraphSvg, fromLibrary(view.flowGraph()), 'a kernel'),
    call('diffModules', analysis.diffModules, fromLibrary(document), fromLibrary(open()), { takes: () => true }),
    made('Document', analysis.Document, ptx, judge),
    method('Document.edit', open(), 0, 0, ' '),
    method('Document.slice', document, 0, 1),
    method('Document.fixes', document, report.diagnostics[0]),
    method('Document.offset', document, { line: 1, column: 1 }),
    ...places.map((name) => method(`Document.${name}`, document, 1)),
    method('Navigation.tokens', document.navigation, 0, 10),
    method('Navigation.rename', document.navigation, 1, 'b'),
    ...questions.map((name) => method(`Navigation.${name}`, document.navigation, 1)),
    ...['occurrences', 'register', 'hover'].map((name) => method(`FunctionView.${name}`, view, 1)),
  ];
}

const values = Float32Array.of(1, 2, 3, 4);
const conversion = { from: 'f32', to: 'e4m3', rounding: 'rn', saturate: true, relu: false, ftz: false };
const storage = {
  semantics: undefined,
  seed: undefined,
  firstElement: undefined,
  rbits: undefined,
  packing: undefined,
};
const quantization = { to: 'nvfp4', from: 'f32', shape: [1, 4], granularity: undefined, scaleRule: undefined, amax: 1 };
const rounding = { rounding: 'rn', seed: undefined, firstElement: undefined, engine: undefined, packing: undefined };

function arrayCalls(): readonly Call[] {
  const whole = { ...conversion, ...storage, sourcePacking: undefined, count: 4, out: undefined };
  return [
    call('convert', arrays.convert, values, whole),
    call('convertAsync', arrays.convertAsync, values, { ...whole, workers: 0, signal: undefined }),
    call('quantize', arrays.quantize, values, { ...quantization, ...rounding, statistics: true }),
    call('dequantize', arrays.dequantize, arrays.quantize(values, { to: 'nvfp4' }), {
      to: 'f32',
      out: undefined,
      engine: 'plain',
    }),
    call('largestMagnitude', arrays.largestMagnitude, values, { from: 'f32', engine: 'plain' }),
    call('compareSemantics', arrays.compareSemantics, 1, {
      from: 'f32',
      to: 'e4m3',
      rounding: undefined,
      saturate: undefined,
    }),
    call('formatNamed', arrays.formatNamed, 'e4m3'),
    call('spelling', arrays.spelling, 'e4m3', 'torch'),
    made('Workspace', arrays.Workspace, 1024),
    method('Workspace.array', new arrays.Workspace(1024), 'f32', 4, undefined),
  ];
}

const numberCalls: readonly Call[] = [
  call('conversions', numbers.conversions, place),
  call('explainEvaluation', numbers.explainEvaluation, 'cvt.rn.f16.f32', [1], judge),
  call('isFormatName', numbers.isFormatName, 'f32'),
  call('nextNumber', numbers.nextNumber, 'f32', 1, true),
  call('numberAt', numbers.numberAt, 'f32', 1n),
  ...[numbers.numberRank, numbers.numberText, numbers.numberValue].map((fn) => call(fn.name, fn, 'f32', 1)),
  call('readNumber', numbers.readNumber, '1', 'f32'),
];

async function tensorCalls(): Promise<readonly Call[]> {
  const layout = tensors.layoutFile('npy', [{ name: 'w', dtype: '<f4', shape: [4] }]);
  const bytes = new Uint8Array(layout.size);
  bytes.set(layout.header);
  const source = tensors.memorySource(bytes);
  const file = await tensors.openTensorFile(source, { name: 'w.npy' });
  const [tensor] = tensors.modelOf(file).tensors;
  const plan = fromLibrary(tensors.planConversion(file, 'npy', { to: 'f16' }));
  const sink = { ...source, ...tensors.memorySink(new Uint8Array(layout.size)) };
  const choice = {
    to: 'f16',
    scale: undefined,
    layout: undefined,
    scaleRule: undefined,
    rounding: 'rn',
    seed: undefined,
  };
  const modes = { saturate: undefined, semantics: undefined, takes: undefined, shards: undefined };
  const open = { name: 'w.npy', container: 'npy', dtype: 'f32', shape: [4], packing: 'whole', openBeside: undefined };
  const watch = { progress: undefined, signal: undefined };
  return [
    call('memorySource', tensors.memorySource, bytes),
    call('memorySink', tensors.memorySink, bytes),
    call('openTensorFile', tensors.openTensorFile, source, { ...open, readBeside: undefined }),
    call('openTensorFile', tensors.openTensorFile, source, {
      ...open,
      container: 'raw',
      dtype: 'u8',
      shape: [layout.size],
      readBeside: undefined,
    }),
    call('layoutFile', tensors.layoutFile, 'npy', [{ name: 'w', dtype: '<f4', shape: [4] }], {
      metadata: {},
      fields: [],
    }),
    call('layoutFile', tensors.layoutFile, 'safetensors', [], { metadata: {}, fields: undefined }),
    call('layoutFile', tensors.layoutFile, 'gguf', [], { metadata: undefined, fields: [] }),
    call('dtypeIn', tensors.dtypeIn, 'npy', 'f32'),
    call('modelOf', tensors.modelOf, file),
    call('readTensor', tensors.readTensor, file, 'w', { offset: 0, count: 4, as: 'number' }),
    call('readTensor', tensors.readTensor, file, file.tensors[0]),
    call('summarizeTensor', tensors.summarizeTensor, file, tensor, watch),
    call('compareFiles', tensors.compareFiles, file, file, {
      ...watch,
      takes: undefined,
      worst: 1,
      withExponents: true,
      names: ['a', 'b'],
    }),
    call('planConversion', tensors.planConversion, file, 'npy', { ...choice, ...modes }),
    call('planConversion', tensors.planConversion, file, 'safetensors', { ...choice, ...modes, to: 'nvfp4' }),
    call('convertFile', tensors.convertFile, plan, file, sink, {
      signal: undefined,
      from: undefined,
      onProgress: undefined,
    }),
  ];
}

const nodeCalls: readonly Call[] = [
  call('openFile', node.openFile, '/nowhere'),
  call('openBeside', node.openBeside, '/nowhere'),
  call('openTensors', node.openTensors, '/nowhere', { name: 'w.npy', container: 'npy' }),
  call('createFile', node.createFile, '/nowhere/a', {
    size: 1,
    replace: false,
    temporary: '/nowhere/b',
    resume: false,
  }),
];

export async function allCalls(): Promise<readonly Call[]> {
  return [
    ...coreCalls,
    ...(await deviceCalls()),
    ...analysisCalls(),
    ...arrayCalls(),
    ...numberCalls,
    ...(await tensorCalls()),
    ...nodeCalls,
  ];
}

/** Classes whose constructors are called only by the library. */
const constructedInside: ReadonlySet<string> = new Set([
  'DeviceRange',
  'PtxlabError',
  'RefusedModuleError',
  'TensorFileError',
  'UnsupportedInstructionsError',
]);

/** Whether a call is to the given exported function or class, or to a method of that class. */
export function isCalled({ name }: Call, exported: string): boolean {
  const [first] = name.replace('new ', '').split('.');
  return first === exported || constructedInside.has(exported);
}

export const wrongValues: readonly unknown[] = [
  undefined,
  null,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -1,
  1.5,
  2 ** 60,
  7n,
  '',
  'x',
  true,
  [],
  [null],
  {},
  Object.create(null),
  Symbol('s'),
  () => null,
  new Date(0),
];

/** Whether a call that is made without options is slow because it returns a whole table. */
function isSlow(name: string): boolean {
  return name === 'forms' || name === 'products' || name === 'conversions';
}

export interface WrongCall {
  /** `check(1: {target})`. */
  readonly what: string;
  readonly arguments: readonly unknown[];
}

/**
 * All variations of a call in which one argument, or one member of an argument, is replaced by the given wrong value.
 */
export function wrongCalls({ name, arguments: valid }: Call, value: unknown): readonly WrongCall[] {
  if (isSlow(name) && (value === undefined || typeof value === 'object')) return [];
  return valid.flatMap((given, i) => [
    { what: `${name}, argument ${i}`, arguments: valid.with(i, value) },
    ...membersOf(given).flatMap(([member, own]) => {
      // If a callback is expected, any function is accepted, because callbacks may return anything. A function is
      // therefore not a wrong value for a callback.
      if (typeof own === 'function' && typeof value === 'function') return [];
      return [
        { what: `${name}, argument ${i}, ${member}`, arguments: valid.with(i, { ...Object(given), [member]: value }) },
      ];
    }),
  ]);
}

function membersOf(given: unknown): readonly (readonly [string, unknown])[] {
  if (typeof given !== 'object' || given === null || opaque.has(given)) return [];
  return Object.getPrototypeOf(given) === Object.prototype ? Object.entries(given) : [];
}
