/**
 * `ptxlab doctor`: checks whether this machine provides everything that ptxlab can use, and tells the user how to fix
 * what is missing.
 */
import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { delimiter, join } from 'node:path';
import { Device } from '../device.ts';
import { hasVectors } from '../hosts/vectors.ts';
import type { ExitCode } from './exit.ts';
import { write, writeJson } from './output.ts';
import type { Session } from './session.ts';
import { packageVersion } from './version.ts';

export interface DoctorFlags {
  readonly json?: boolean;
}

/** The result of one check. */
interface Examination {
  readonly name: string;
  readonly found: string;
  /** What the user should do; null if nothing is wrong. */
  readonly advice: string | null;
}

export async function doctorCommand({ json }: DoctorFlags, { stdout, env }: Session): Promise<ExitCode> {
  const examinations = [...machine(), await kernelOn(0), await kernelOn(2), tool('ptxas', env['PATH'] ?? '')];
  const isWell = examinations.every(({ advice }) => advice === null);
  if (json === true) await writeJson(stdout, { ok: isWell, examinations });
  else await write(stdout, examinations.map(line).join(''));
  return isWell ? 0 : 1;
}

function machine(): readonly Examination[] {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isNew = major > 20 || (major === 20 && minor >= 19);
  const hasSimd = hasVectors();
  const gibibytes = (totalmem() / 2 ** 30).toFixed(1);
  return [
    { name: 'ptxlab', found: packageVersion(), advice: null },
    { name: 'node', found: node, advice: isNew ? null : 'install Node 20.19 or newer' },
    { name: 'machine', found: `${availableParallelism()} processors, ${gibibytes} GiB of memory`, advice: null },
    {
      name: 'WebAssembly SIMD',
      found: hasSimd ? 'yes' : 'no',
      advice: hasSimd
        ? null
        : 'kernels run on the reference engine, which is far slower: use a newer processor or Node',
    },
  ];
}

const kernel = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .b32 %r<4>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %ctaid.x;
mad.lo.u32 %r2, %r1, 3, 1;
mad.wide.u32 %rd2, %r1, 4, %rd1;
st.global.u32 [%rd2], %r2;
ret;
}
`;

/** Runs a kernel with 64 blocks and checks its results. */
async function kernelOn(workers: number): Promise<Examination> {
  const name = workers === 0 ? 'a kernel' : `a kernel on ${workers} workers`;
  try {
    const device = await Device.create({ workers, memory: 2 ** 22 });
    const out = device.alloc(64 * 4);
    const result = await device
      .load(kernel)
      .kernel('k')
      .launch({ grid: 64, block: 1, args: [out] });
    const isRight = result.ok && out.read('u32').every((value, i) => value === 3 * i + 1);
    const found = result.ok ? (isRight ? 'right results' : 'wrong results') : result.fault.message;
    return { name, found, advice: isRight ? null : 'report this as a bug' };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return { name, found, advice: workers === 0 ? 'report this as a bug' : 'use --workers 0' };
  }
}

/** ptxlab itself does not need this tool. Only ptxlab's tests use it, to compare results. */
function tool(name: string, path: string): Examination {
  const folder = path.split(delimiter).find((one) => one !== '' && existsSync(join(one, name)));
  return { name, found: folder === undefined ? 'not installed, not needed' : join(folder, name), advice: null };
}

function line({ name, found, advice }: Examination): string {
  const mark = advice === null ? 'ok  ' : 'fix ';
  return `${mark} ${name.padEnd(22)} ${found}${advice === null ? '' : `\n     ${' '.repeat(22)} ${advice}`}\n`;
}
