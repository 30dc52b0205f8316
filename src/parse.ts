/** Library functions that parse modules into trees. */
import { requireArgument } from './base/require.ts';
import { requireText } from './base/require-text.ts';
import { type Rule, shaped, text } from './base/rules.ts';
import { parseModule, type ParsedModule } from './syntax/parser.ts';
import { printModule } from './syntax/printer.ts';
import type { Item } from './syntax/tree.ts';

const iterable: Rule<Iterable<Item>> = {
  takes: 'a list of items',
  accepts: (value) => typeof value === 'object' && value !== null && Symbol.iterator in value,
};

const item = shaped<Item>('an item of a module', { kind: text });

/** Returns all items of a module and all its syntax errors. Invalid text never makes this function throw an error. */
export function parse(source: string): ParsedModule {
  requireText(source, 'the text of a module');
  return parseModule(source);
}

/**
 * Prints the items of a module in one canonical layout: one statement per line, constants evaluated, debugging sections
 * unchanged. Parsing the printed text produces the same items, except for their offsets.
 */
export function print(items: Iterable<Item>): string {
  requireArgument('what is printed', items, iterable);
  return printModule(checked(items));
}

function* checked(items: Iterable<Item>): Generator<Item> {
  for (const one of items) {
    requireArgument('what is printed', one, item);
    yield one;
  }
}
