/** Describes data races in terms of the program: with the names of variables and the lines of the source. */
import { tensorAddress } from '../../isa/tensor-memory.ts';
import { sourceAt } from '../../program/source-at.ts';
import { formatAddress } from '../memory/address-space.ts';
import type { Launch } from '../engine.ts';
import { machineMessage } from '../fault.ts';
import { blockIndexOf, indexOf } from '../extents.ts';
import { namedRanges } from '../memory/named-ranges.ts';
import { lineOf, wayOf } from './access-kind.ts';
import type { Race, RaceAccess } from './race.ts';
import type { SeenAccess, SeenRace, Touched } from './races.ts';

export function describeRace({ missing, touched, first, second, count }: SeenRace, launch: Launch): Race {
  const { space } = touched;
  const address = formatAddress(space === 'tensor' ? tensorAddress(touched.offset) : touched.offset);
  const name = nameOf(touched, launch);
  const what = name === null ? `${space} memory` : `${name} in ${space} memory`;
  const [earlier, later] = [describeAccess(first, launch), describeAccess(second, launch)];
  const [one, other] = [accessText(earlier), accessText(later)];
  const accesses = one === other ? `${one}, by two threads` : `${one} and ${other}`;
  return {
    code: 'PTX6038',
    message: machineMessage('PTX6038', { what, address, missing, accesses }),
    missing,
    space,
    address,
    name,
    first: earlier,
    second: later,
    count,
  };
}

function describeAccess({ actor, tag }: SeenAccess, { kernel, shape }: Launch): RaceAccess {
  const line = lineOf(tag);
  return {
    access: wayOf(tag),
    isAsynchronous: actor.agent !== 'thread',
    line,
    source: sourceAt(kernel, line),
    block: blockIndexOf(actor.block, shape),
    thread: indexOf(actor.linear, shape.block),
  };
}

function accessText({ access, isAsynchronous, line, source }: RaceAccess): string {
  const what = access === 'atomic' ? 'atomic operation' : access;
  const where = source === null ? `line ${line}` : `line ${line} (${source.file}:${source.line})`;
  return `${isAsynchronous ? 'an asynchronous' : access === 'atomic' ? 'an' : 'a'} ${what} at ${where}`;
}

function nameOf({ space, offset }: Touched, { kernel, memory, shape }: Launch): string | null {
  if (space === 'global') return memory.ownerAt(offset);
  if (space === 'tensor') return null;
  const ranges = namedRanges(kernel.entry.shared);
  const found = ranges.find(({ start, size }) => offset >= start && offset < start + size);
  // The dynamic part of shared memory belongs to a variable without a size.
  const variable = found ?? ranges.find(({ size }) => size === 0 && shape.sharedBytes > 0);
  return variable === undefined ? null : `variable ${variable.name}`;
}
