/** Methods of the server that convert and quantize arrays. */
import { objectOf, oneOf, type Rule } from '../../base/rules.ts';
import {
  convert,
  dequantize,
  type Granularity,
  type MxRule,
  type Packing,
  quantize,
  type Rounding,
  type Semantics,
} from '../../arrays.ts';
import { layoutOf, codePacking } from '../../arrays/quantized/quantized-array.ts';
import { schemeNamed } from '../../arrays/quantized/block-formats.ts';
import { requireFormat } from '../../arrays/names.ts';
import { bytesOf } from '../../arrays/storage.ts';
import {
  bytesOfData,
  count,
  type DataSource,
  type DataTarget,
  flag,
  giveData,
  type Method,
  method,
  required,
  sourceRule,
  targetRule,
  text,
} from './method.ts';

/** Accepts any string, because the library itself checks whether the name exists. */
function named<Name extends string>(): Rule<Name> {
  return { takes: 'a string', accepts: (value) => typeof value === 'string' };
}

const shape: Rule<readonly number[]> = { takes: 'a list of extents', accepts: Array.isArray };

interface ConvertParams {
  readonly data?: DataSource;
  readonly into?: DataTarget;
  readonly from?: string;
  readonly to?: string;
  readonly rounding?: Rounding;
  readonly saturate?: boolean;
  readonly relu?: boolean;
  readonly ftz?: boolean;
  readonly semantics?: Semantics;
  readonly seed?: number;
  readonly sourcePacking?: Packing;
  readonly packing?: Packing;
  readonly count?: number;
}

const convertMethod = method<ConvertParams>(
  objectOf<ConvertParams>({
    data: sourceRule,
    into: targetRule,
    from: text,
    to: text,
    rounding: named<Rounding>(),
    saturate: flag,
    relu: flag,
    ftz: flag,
    semantics: named<Semantics>(),
    seed: count,
    sourcePacking: named<Packing>(),
    packing: named<Packing>(),
    count,
  }),
  (given, { folder }) => {
    const { data, into, from, to, ...options } = given;
    const source = bytesOfData(required(data, 'data'), folder);
    const result = convert(source, {
      ...options,
      from: requireFormat(required(from, 'from')),
      to: requireFormat(required(to, 'to')),
    });
    return giveData(bytesOf(result), into, folder);
  },
);

interface QuantizeParams {
  readonly data?: DataSource;
  readonly from?: 'f32' | 'f16' | 'bf16';
  readonly to?: string;
  readonly shape?: readonly number[];
  readonly granularity?: Granularity;
  readonly scaleRule?: MxRule;
  readonly packing?: Packing;
  readonly rounding?: 'rn' | 'rs';
  readonly seed?: number;
  readonly codes?: DataTarget;
  readonly scales?: DataTarget;
}

const quantizeMethod = method<QuantizeParams>(
  objectOf<QuantizeParams>({
    data: sourceRule,
    from: oneOf('f32', 'f16', 'bf16'),
    to: text,
    shape,
    granularity: named<Granularity>(),
    scaleRule: named<MxRule>(),
    packing: named<Packing>(),
    rounding: oneOf('rn', 'rs'),
    seed: count,
    codes: targetRule,
    scales: targetRule,
  }),
  (given, { folder }) => {
    const { data, from = 'f32', to, codes, scales, ...options } = given;
    const { buffer } = bytesOfData(required(data, 'data'), folder);
    const source = from === 'f32' ? new Float32Array(buffer) : new Uint16Array(buffer);
    const scheme = schemeNamed(required(to, 'to'));
    const made = quantize(source, { ...options, to: scheme.name, ...(from === 'f32' ? {} : { from }) });
    return {
      scheme: made.scheme.name,
      element: made.scheme.element,
      scale: made.scheme.scale,
      packing: made.packing,
      tensorScale: made.tensorScale,
      scaleShape: [made.layout.scaleRows, made.layout.scaleColumns],
      codes: giveData(made.codes, codes, folder),
      scales: giveData(bytesOf(made.scales), scales, folder),
    };
  },
);

interface DequantizeParams {
  readonly scheme?: string;
  readonly shape?: readonly number[];
  readonly granularity?: Granularity;
  readonly packing?: Packing;
  readonly tensorScale?: number;
  readonly codes?: DataSource;
  readonly scales?: DataSource;
  readonly to?: 'f32' | 'f16' | 'bf16';
  readonly into?: DataTarget;
}

const dequantizeMethod = method<DequantizeParams>(
  objectOf<DequantizeParams>({
    scheme: text,
    shape,
    granularity: named<Granularity>(),
    packing: named<Packing>(),
    tensorScale: { takes: 'a number', accepts: (value) => typeof value === 'number' },
    codes: sourceRule,
    scales: sourceRule,
    to: oneOf('f32', 'f16', 'bf16'),
    into: targetRule,
  }),
  (given, { folder }) => {
    const scheme = schemeNamed(required(given.scheme, 'scheme'));
    const extents = required(given.shape, 'shape');
    const elements = extents.reduce((product, extent) => product * extent, 1);
    const scales = bytesOfData(required(given.scales, 'scales'), folder);
    const values = dequantize(
      {
        scheme,
        layout: layoutOf(scheme, elements, extents, given.granularity),
        packing: codePacking(scheme, given.packing),
        codes: bytesOfData(required(given.codes, 'codes'), folder),
        scales: scheme.scale === 'f32' ? new Float32Array(scales.buffer) : scales,
        tensorScale: given.tensorScale ?? 1,
      },
      { to: given.to ?? 'f32' },
    );
    return giveData(bytesOf(values), given.into, folder);
  },
);

export const arrayMethods: Readonly<Record<string, Method>> = {
  convert: convertMethod,
  quantize: quantizeMethod,
  dequantize: dequantizeMethod,
};
