/**
 * Tests which values the public types accept and which they reject. These tests are performed by tsc when it checks
 * this file; vitest only runs the file.
 */
import { describe, expectTypeOf, test } from 'vitest';
import type { ConvertOptions, FormatName, FormatSpelling, QuantizeOptions } from '../../src/arrays.ts';
import type { DeviceBuffer, DeviceOptions, LaunchOptions, ModuleSymbol } from '../../src/device.ts';
import {
  type CheckOptions,
  type EvaluateOptions,
  type Requirements,
  explain,
  type FormsOptions,
  isTargetName,
  isVersionName,
  type TargetName,
  type VersionName,
} from '../../src/index.ts';
import type { ConversionChoice, OpenOptions } from '../../src/tensors.ts';

describe('targets and versions', () => {
  test('are those in the table', () => {
    expectTypeOf<'sm_90' | 'sm_90a' | 'sm_100f' | 'sm_10'>().toExtend<TargetName>();
    expectTypeOf<'sm_91'>().not.toExtend<TargetName>();
    expectTypeOf<'sm_90f'>().not.toExtend<TargetName>();
    expectTypeOf<'sm_80a'>().not.toExtend<TargetName>();
    expectTypeOf<string>().not.toExtend<TargetName>();
    expectTypeOf<'8.1'>().toExtend<VersionName>();
    expectTypeOf<'8.9' | '81'>().not.toExtend<VersionName>();
  });

  test('are options of everything that checks', () => {
    interface Place {
      readonly target: 'sm_90a';
      readonly version: '8.1';
    }
    expectTypeOf<Place>().toExtend<CheckOptions & EvaluateOptions & FormsOptions & DeviceOptions>();
    expectTypeOf<Place>().toExtend<NonNullable<Parameters<typeof explain>[1]>>();
    expectTypeOf<{ readonly target: string }>().not.toExtend<CheckOptions>();
    expectTypeOf<{ readonly version: 8.1 }>().not.toExtend<FormsOptions>();
  });

  test('are distinguished from other strings', () => {
    expectTypeOf(isTargetName).guards.toEqualTypeOf<TargetName>();
    expectTypeOf(isVersionName).guards.toEqualTypeOf<VersionName>();
  });
});

describe('formats', () => {
  test('have the names that the stacks use', () => {
    expectTypeOf<
      'e4m3' | '.e4m3' | 'float8_e4m3fn' | 'torch.float8_e4m3fn' | 'F8_E4M3' | 'fp16'
    >().toExtend<FormatSpelling>();
    expectTypeOf<'e4m4'>().not.toExtend<FormatSpelling>();
    expectTypeOf<string>().not.toExtend<ConvertOptions['to']>();
    expectTypeOf<'float8_e4m3fn'>().not.toExtend<FormatName>();
    expectTypeOf<'mxfp4' | 'mxfp8' | 'int8'>().toExtend<QuantizeOptions['to']>();
    expectTypeOf<'f16'>().not.toExtend<QuantizeOptions['to']>();
  });
});

describe('options that name an item of a list', () => {
  test('take no other text', () => {
    expectTypeOf<'sm_90' | 'H100'>().toExtend<DeviceOptions['gpu']>();
    expectTypeOf<'sm_90a' | 'H1000'>().not.toExtend<DeviceOptions['gpu']>();
    expectTypeOf<'mxfp4' | 'q4_0' | 'float8_e4m3fn'>().toExtend<ConversionChoice['to']>();
    expectTypeOf<'q4_k'>().not.toExtend<ConversionChoice['to']>();
    expectTypeOf<string>().not.toExtend<ConversionChoice['to']>();
    expectTypeOf<'bf16' | 'BF16'>().toExtend<OpenOptions['dtype']>();
    expectTypeOf<string>().not.toExtend<OpenOptions['dtype']>();
    expectTypeOf<Requirements['version']>().toEqualTypeOf<VersionName>();
  });
});

describe('device memory', () => {
  test('reads return the array type of the format', () => {
    const read = (from: DeviceBuffer | ModuleSymbol) => ({
      bytes: from.read(),
      f16: from.read('f16'),
      e4m3: from.read('e4m3'),
      s32: from.read('s32'),
      u64: from.read('u64'),
    });
    expectTypeOf<ReturnType<typeof read>>().toEqualTypeOf<{
      bytes: Uint8Array;
      f16: Float32Array;
      e4m3: Float32Array;
      s32: Int32Array;
      u64: BigUint64Array;
    }>();
    expectTypeOf<'float'>().not.toExtend<Parameters<DeviceBuffer['read']>[0]>();
  });

  test('writes accept views and buffers, but not lists', () => {
    type Source = Parameters<DeviceBuffer['write']>[0];
    expectTypeOf<Float32Array | DataView | BigInt64Array | ArrayBuffer>().toExtend<Source>();
    expectTypeOf<readonly number[]>().not.toExtend<Source>();
  });

  test('modes are unions', () => {
    expectTypeOf<LaunchOptions['engine']>().toEqualTypeOf<'interp' | 'jit' | undefined>();
    expectTypeOf<LaunchOptions['unsupported']>().toEqualTypeOf<'refuse' | 'fault' | undefined>();
    expectTypeOf<ModuleSymbol['space']>().toEqualTypeOf<'.global' | '.const'>();
  });
});
