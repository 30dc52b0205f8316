/**
 * Writes a syntax tree as text. Each statement or item takes one line. Names and signed integers are written as in PTX,
 * and any other node is written as `kind(value)` or `kind(name: value)`.
 */

/**
 * Names of fields that are left out of the text because every node has them. Fields with default values are left out,
 * too.
 */
const hidden = /^(kind|start|end|span|\w+Start|\w+End)$/;

function isDefault(value: unknown): boolean {
  return value === null || value === false || value === undefined || (Array.isArray(value) && value.length === 0);
}

/**
 * Returns a string with one line per node. The statements of a body are indented below the line of the function or
 * block.
 */
export function treeText(nodes: readonly object[], indent = ''): string {
  return nodes.map((node) => indent + nodeLines(node, indent)).join('\n');
}

function nodeLines(node: object, indent: string): string {
  const lists = Object.entries(node).filter(
    ([key, value]) => key === 'body' || (key === 'statements' && value !== null),
  );
  const [, nested] = lists[0] ?? ['', null];
  const line = valueText(node, true);
  if (!Array.isArray(nested) || nested.length === 0) return line;
  return `${line}\n${treeText(nested as readonly object[], `${indent}  `)}`;
}

function valueText(value: unknown, top = false): string {
  if (Array.isArray(value)) return `[${value.map((element) => valueText(element)).join(', ')}]`;
  if (value === null || typeof value !== 'object') return scalarText(value);
  const kind = 'kind' in value ? String(value.kind) : '';
  if (kind === 'name' && 'name' in value) return String(value.name);
  if (kind === 'integer' && 'value' in value && !('unsigned' in value && value.unsigned))
    return scalarText(value.value);
  const fields = Object.entries(value).filter(([key, field]) => {
    return (
      !hidden.test(key) &&
      !isDefault(field) &&
      !(key === 'offset' && field === 0n) &&
      !(top && (key === 'body' || key === 'statements'))
    );
  });
  const [only] = fields;
  if (fields.length === 1 && only !== undefined && kind !== '') return `${kind}(${valueText(only[1])})`;
  return `${kind}(${fields.map(([key, field]) => `${key}: ${valueText(field)}`).join(', ')})`;
}

function scalarText(value: unknown): string {
  return typeof value === 'bigint' && value > 0xffffffffn ? `0x${value.toString(16)}` : String(value);
}
