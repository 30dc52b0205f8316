/**
 * A page that uses every entry point of the package. It writes its results into the document and then sets the title to
 * `done`.
 */
import { check, evaluate } from 'ptxlab';
import { convert } from 'ptxlab/arrays';
import { Device } from 'ptxlab/device';
import { memorySource, openTensorFile, readTensor } from 'ptxlab/tensors';

/** The part of the DOM that this file uses. */
declare const document: { title: string; readonly body: { innerText: string } };

const increment = `.version 8.0
.target sm_80
.address_size 64
.visible .entry increment(.param .u64 data) {
  .reg .b32 %r<5>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r1, %r1, %r2, %r3;
  mul.wide.s32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  ld.global.u32 %r4, [%rd1];
  add.s32 %r4, %r4, 1;
  st.global.u32 [%rd1], %r4;
  ret;
}`;

async function runIncrement(workers: number): Promise<string> {
  const device = await Device.create({ target: 'sm_80', workers });
  const data = device.alloc(Uint32Array.from({ length: 65_536 }, (_, index) => index));
  const result = await device
    .load(increment)
    .kernel('increment')
    .launch({ grid: 256, block: 256, args: [data] });
  const bytes = data.read();
  const values = new Uint32Array(bytes.buffer, bytes.byteOffset, 65_536);
  device.close();
  return `${result.ok} ${values[0]} ${values[65_535]}`;
}

async function report(): Promise<readonly string[]> {
  const codes = convert(Float32Array.of(470, 1), { to: 'e4m3' });
  const raw = { container: 'raw', dtype: 'e2m1', shape: [4], name: 'w' } as const;
  const narrow = await openTensorFile(memorySource(Uint8Array.of(0x72, 0xaf)), raw);
  const refusal = await openTensorFile(memorySource(new Uint8Array(2))).catch((error: Error) => error.message);
  return [
    `check ${check(increment).diagnostics.length}`,
    `evaluate ${evaluate('cvt.rn.satfinite.e4m3x2.f32', [0x43eb0000, 0])[0]}`,
    `convert ${codes.join(' ')}`,
    `tensors ${typeof refusal} ${(await readTensor(narrow, 'w')).join(' ')}`,
    `alone ${await runIncrement(0)}`,
    `workers ${await runIncrement(2)}`,
  ];
}

const lines = await report().catch((error: Error) => [error.message]);
document.body.innerText = lines.join('\n');
document.title = 'done';
