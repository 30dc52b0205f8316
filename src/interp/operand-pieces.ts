/**
 * Operands of a prepared instruction: registers, special registers, addresses, and results to be written to registers.
 */
import { chop } from '../base/bits.ts';
import type { VariableSymbol } from '../check/symbols.ts';
import { machineFault } from '../machine/fault.ts';
import type {
  AddressSource,
  ProgramInstruction,
  SpecialRead,
  SymbolAddress,
  Transfer,
} from '../program/function-program.ts';
import { isOnStack } from '../program/layout.ts';
import { readAs, writeAs } from './evaluate.ts';
import type { FunctionContext } from './launch-context.ts';
import { flowing, fresh, type Piece } from './pieces.ts';
import { specialReader } from './specials.ts';
import { allBits, type Flow, upwards } from './undefined-values.ts';
import { type Action, bigintIn, numberIn, valueIn } from './value-steps.ts';

/** Returns the pieces that read the operands of an instruction. They run before its steps. */
export function operandPieces(instruction: ProgramInstruction, context: FunctionContext): readonly Piece[] {
  return [
    ...instruction.symbols.map((source) => fresh(source.place, symbolAction(source, context))),
    ...instruction.specials.map((source) => fresh(source.place, specialAction(source, context))),
    ...instruction.addresses.map((source) => addressPiece(source, context)),
    ...instruction.reads.map(readPiece),
  ];
}

function readPiece({ operand, register, type, negated }: Transfer): Piece {
  const whole = allBits(type.width);
  const flow: Flow = { to: operand, from: [register], through: ([mask = 0n]) => mask & whole };
  if (negated) {
    return flowing(flow, (frame) => {
      frame[operand] = frame[register] === 0 ? 1 : 0;
    });
  }
  return flowing(flow, (frame) => {
    frame[operand] = readAs(type, valueIn(frame, register));
  });
}

/** Writes a result to its register. */
export function writePiece({ operand, register, registerWidth, type }: Transfer): Piece {
  const wide = (mask: bigint): bigint => BigInt(writeAs(type, chop(mask, type.width), registerWidth));
  return flowing({ to: register, from: [operand], through: ([mask = 0n]) => wide(mask) }, (frame) => {
    frame[register] = writeAs(type, valueIn(frame, operand), registerWidth);
  });
}

function specialAction(source: SpecialRead, { cpu, facts }: FunctionContext): Action {
  const { place } = source;
  const read = specialReader(source, cpu, facts);
  return (frame) => {
    frame[place] = read();
  };
}

function symbolAction({ place, base, offset, width }: SymbolAddress, context: FunctionContext): Action {
  if (base.kind === 'function') {
    const value = chop(BigInt(base.address) + offset, width);
    return (frame) => {
      frame[place] = value;
    };
  }
  const { symbol } = base;
  const start = baseOf(symbol, context);
  if (start === null) {
    return () => {
      throw machineFault('PTX6030', { what: `the address of ${symbol.name}` });
    };
  }
  const address = BigInt(start) + offset;
  if (isRelative(symbol, context)) {
    const { cpu } = context;
    return (frame) => {
      frame[place] = chop(address + BigInt(cpu.thread.base), width);
    };
  }
  const value = chop(address, width);
  return (frame) => {
    frame[place] = value;
  };
}

function baseOf(symbol: VariableSymbol, { program, addressOf }: FunctionContext): number | null {
  return program.offsetOf(symbol) ?? addressOf(symbol);
}

/**
 * Whether the address of a variable is relative to the base of the function's activation. For a kernel, the base is 0
 * and need not be added.
 */
function isRelative({ space }: VariableSymbol, { program }: FunctionContext): boolean {
  return !program.entry && isOnStack(space);
}

function addressPiece(source: AddressSource, context: FunctionContext): Piece {
  const { place, base } = source;
  const run = addressAction(source, context);
  if (base.kind !== 'register') return fresh(place, run);
  return flowing({ to: place, from: [base.register], through: upwards(64) }, run);
}

/** Computes the 64-bit effective address, including the immediate offset. Nothing is checked yet. */
function addressAction(source: AddressSource, context: FunctionContext): Action {
  const { place, base, offset } = source;
  switch (base.kind) {
    case 'none':
      return fixedAddress(place, offset);
    case 'variable': {
      const start = baseOf(base.symbol, context);
      if (start === null) throw new Error(`variable '${base.symbol.name}' has no address`);
      const address = BigInt(start) + offset;
      if (!isRelative(base.symbol, context)) return fixedAddress(place, address);
      const { cpu } = context;
      return (frame) => {
        frame[place] = BigInt.asUintN(64, address + BigInt(cpu.thread.base));
      };
    }
    case 'register': {
      const { register } = base;
      // The sum of a 32-bit register and an offset must wrap at 32 bits, because compilers may subtract a number from
      // the register first and add it back as the offset.
      if (base.width <= 32) {
        const low = Number(BigInt.asIntN(32, offset));
        if (base.signed && base.width < 32) {
          const unused = 32 - base.width;
          return (frame) => {
            frame[place] = BigInt((((numberIn(frame, register) << unused) >> unused) + low) >>> 0);
          };
        }
        return (frame) => {
          frame[place] = BigInt((numberIn(frame, register) + low) >>> 0);
        };
      }
      if (offset === 0n) {
        return (frame) => {
          frame[place] = bigintIn(frame, register);
        };
      }
      return (frame) => {
        frame[place] = BigInt.asUintN(64, bigintIn(frame, register) + offset);
      };
    }
  }
}

function fixedAddress(place: number, offset: bigint): Action {
  const address = BigInt.asUintN(64, offset);
  return (frame) => {
    frame[place] = address;
  };
}
