/**
 * A Slurm cluster whose only node is this machine, with a munge daemon of its own. It does not use the files or ports
 * of an installed Slurm.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const path: string = `${process.env['PATH'] ?? ''}:/usr/sbin`;

export class SlurmNode {
  private readonly folder: string;
  private readonly daemons: ChildProcess[] = [];

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Starts the daemons, and resolves when the node accepts jobs. */
  async start(): Promise<void> {
    for (const name of ['state', 'spool']) mkdirSync(join(this.folder, name));
    writeFileSync(join(this.folder, 'munge.key'), randomBytes(1024), { mode: 0o400 });
    const ports = [await freePort(), await freePort()];
    writeFileSync(join(this.folder, 'slurm.conf'), this.configuration(ports));
    const inFolder = (name: string): string => join(this.folder, name);
    this.spawn('munged', [
      '--foreground',
      '--force',
      `--key-file=${inFolder('munge.key')}`,
      `--socket=${inFolder('munge.socket')}`,
      `--pid-file=${inFolder('munged.pid')}`,
      `--log-file=${inFolder('munged.log')}`,
      `--seed-file=${inFolder('munged.seed')}`,
    ]);
    await this.until('munged runs', () => run('munge', ['-S', inFolder('munge.socket'), '-n'], {}) !== '');
    this.spawn('slurmctld', ['-D']);
    this.spawn('slurmd', ['-D']);
    await this.until('the node is idle', () => this.call('sinfo', ['-h', '-o', '%t']).trim() === 'idle');
  }

  private configuration([controller = 0, node = 0]: readonly number[]): string {
    const user = userInfo().username;
    const inFolder = (name: string): string => join(this.folder, name);
    return `ClusterName=ptxlab
SlurmctldHost=${hostname()}(127.0.0.1)
SlurmctldPort=${controller}
SlurmdPort=${node}
SlurmUser=${user}
SlurmdUser=${user}
AuthType=auth/munge
AuthInfo=socket=${inFolder('munge.socket')}
CredType=cred/munge
StateSaveLocation=${inFolder('state')}
SlurmdSpoolDir=${inFolder('spool')}
SlurmctldPidFile=${inFolder('slurmctld.pid')}
SlurmdPidFile=${inFolder('slurmd.pid')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MailProg=/bin/true
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
KillWait=1
NodeName=${hostname()} NodeAddr=127.0.0.1 CPUs=2 RealMemory=2000
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`;
  }

  private spawn(program: string, args: readonly string[]): void {
    const log = openSync(join(this.folder, `${program}.out`), 'w');
    const env = { ...process.env, PATH: path, SLURM_CONF: join(this.folder, 'slurm.conf') };
    this.daemons.push(spawn(program, args, { env, stdio: ['ignore', log, log] }));
    closeSync(log);
  }

  /** The output of a Slurm command; empty if the command fails. */
  call(program: string, args: readonly string[]): string {
    return run(program, args, { SLURM_CONF: join(this.folder, 'slurm.conf') });
  }

  /**
   * Waits until a condition is true. If that takes too long, throws an error that contains the last lines of the
   * daemons' logs.
   */
  async until(what: string, isSo: () => boolean, seconds = 30): Promise<void> {
    for (let waited = 0; !isSo(); waited += 0.25) {
      if (waited >= seconds) throw new Error(`not within ${seconds} s: ${what}\n${this.logs()}`);
      await sleep(250);
    }
  }

  private logs(): string {
    const names = ['munged', 'slurmctld', 'slurmd'];
    const tail = (name: string): string => readFileSync(join(this.folder, `${name}.out`), 'utf8').slice(-1500);
    return names
      .slice(0, this.daemons.length)
      .map((name) => `${name}:\n${tail(name)}`)
      .join('\n');
  }

  /** Cancels all jobs, and stops the daemons in the reverse of the order in which they were started. */
  async stop(): Promise<void> {
    this.call('scancel', [`--user=${userInfo().username}`]);
    await this.until('no job is left', () => this.call('squeue', ['-h']) === '').catch(() => undefined);
    for (const daemon of this.daemons.reverse()) await ended(daemon);
  }
}

async function ended(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return;
  const exit = new Promise<void>((resolve) => daemon.once('exit', () => resolve()));
  daemon.kill('SIGTERM');
  await Promise.race([exit, sleep(5000).then(() => daemon.kill('SIGKILL'))]);
  await exit;
}

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>>): string {
  try {
    return execFileSync(program, args, {
      encoding: 'utf8',
      env: { ...process.env, PATH: path, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
