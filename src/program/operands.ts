/**
 * Groups the operands of an instruction by how an engine handles them, and assigns each operand a slot in the frame.
 */
import { chop } from '../base/bits.ts';
import type { Binding } from '../check/binding/bind.ts';
import type { Ref } from '../isa/steps/ref.ts';
import type { FrameBuilder } from './frame.ts';
import type { AddressSource, RegisterOperand, SpecialRead, SymbolAddress, Transfer } from './function-program.ts';

interface SortedOperands {
  readonly reads: readonly Transfer[];
  readonly writes: readonly Transfer[];
  readonly addresses: readonly AddressSource[];
  readonly symbols: readonly SymbolAddress[];
  readonly specials: readonly SpecialRead[];
  readonly registers: readonly RegisterOperand[];
}

/**
 * Assigns a slot to every operand. An operand that is exactly as wide as its register uses the register's slot. There
 * is one exception: if the instruction has several steps (`staged`) and a register is both a source and a result, the
 * source gets its own slot, because the result may be written before the source is read for the last time.
 */
export function sortOperands(
  operands: readonly Binding[],
  staged: boolean,
  frame: FrameBuilder,
  places: Map<Ref, number>,
  functionAddress: (name: string) => number,
): SortedOperands {
  const reads: Transfer[] = [];
  const writes: Transfer[] = [];
  const addresses: AddressSource[] = [];
  const symbols: SymbolAddress[] = [];
  const specials: SpecialRead[] = [];
  const registers: RegisterOperand[] = [];
  const written = staged ? writtenRegisters(operands, frame) : noRegisters;
  for (const operand of operands) {
    switch (operand.kind) {
      case 'register': {
        const register = frame.register(operand);
        registers.push({ register, type: operand.type.name, role: operand.role });
        const clobbered = operand.role === 'read' && written.has(register);
        const transfer = clobbered || !sharesSlot(operand) ? transferOf(operand, register, frame.temporary()) : null;
        places.set(operand.name, transfer?.operand ?? register);
        if (transfer !== null) (operand.role === 'write' ? writes : reads).push(transfer);
        break;
      }
      case 'constant': {
        const bits = operand.negated ? 1 - Number(operand.bits) : operand.bits;
        places.set(operand.name, frame.constant(chop(bits, operand.type.width)));
        break;
      }
      case 'special': {
        const place = frame.temporary();
        places.set(operand.name, place);
        specials.push({ place, register: operand.register, part: operand.part, width: operand.type.width });
        break;
      }
      case 'sink':
        places.set(operand.name, frame.temporary());
        break;
      case 'symbol-address': {
        const place = frame.temporary();
        places.set(operand.name, place);
        const base = symbolBase(operand.symbol, functionAddress);
        symbols.push({ place, width: operand.type.width, base, offset: operand.offset });
        break;
      }
      case 'address': {
        const place = frame.temporary();
        places.set(operand.name, place);
        addresses.push({ place, base: addressBase(operand.base, frame), offset: operand.offset });
        break;
      }
      case 'label':
      case 'labels':
        break;
    }
  }
  return { reads, writes, addresses, symbols, specials, registers };
}

const noRegisters: ReadonlySet<number> = new Set();

function writtenRegisters(operands: readonly Binding[], frame: FrameBuilder): ReadonlySet<number> {
  const results = operands.flatMap((operand) =>
    operand.kind === 'register' && operand.role === 'write' ? [frame.register(operand)] : [],
  );
  return new Set(results);
}

type RegisterBinding = Extract<Binding, { kind: 'register' }>;

/** True if the operand's value is the whole, unchanged contents of the register. */
function sharesSlot({ symbol, type, negated }: RegisterBinding): boolean {
  return symbol.type.width === type.width && !negated;
}

function transferOf({ symbol, type, negated }: RegisterBinding, register: number, operand: number): Transfer {
  return { operand, register, registerWidth: symbol.type.width, type, negated };
}

function symbolBase(
  symbol: Extract<Binding, { kind: 'symbol-address' }>['symbol'],
  functionAddress: (name: string) => number,
): SymbolAddress['base'] {
  return symbol.kind === 'variable'
    ? { kind: 'variable', symbol }
    : { kind: 'function', address: functionAddress(symbol.name) };
}

function addressBase(base: Extract<Binding, { kind: 'address' }>['base'], frame: FrameBuilder): AddressSource['base'] {
  if (base === null) return { kind: 'none' };
  if ('space' in base) return { kind: 'variable', symbol: base };
  const { width, class: kind } = base.symbol.type;
  return { kind: 'register', register: frame.register(base), width, signed: kind === 'signed' };
}
