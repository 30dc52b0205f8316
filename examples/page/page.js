/** Converts an array in the page: on the main thread, and on Web Workers if the page may share memory. */
import { convert, convertAsync, Workspace } from 'ptxlab/arrays';

const count = 2 ** 22;
const values = Float32Array.from({ length: count }, (_, i) => Math.sin(i) * 2 ** ((i % 16) - 8));
const shared = typeof SharedArrayBuffer === 'function';
document.querySelector('#where').textContent = shared
  ? 'The page is cross-origin isolated, so worker threads can share the work.'
  : 'The page is not cross-origin isolated, so this thread works alone.';

const select = document.querySelector('#to');
for (const name of ['e4m3', 'e5m2', 'e2m3', 'e3m2', 'e2m1', 'f16', 'bf16']) select.add(new Option(name));
select.addEventListener('change', show);
await show();

async function show() {
  const to = select.value;
  const codes = timed(() => convert(values, { to }));
  const back = timed(() => convert(codes.result, { from: to, to: 'f32', count }));
  const rows = [
    ['bytes', `${values.byteLength} → ${codes.result.byteLength}`],
    ['convert', `${codes.milliseconds.toFixed(1)} ms`],
    ['and back', `${back.milliseconds.toFixed(1)} ms`],
    ['largest error', Math.max(...errors(back.result)).toPrecision(4)],
  ];
  if (shared) {
    rows.push(['with workers, which must start', `${(await onWorkers(to)).toFixed(1)} ms`]);
    rows.push(['with workers again', `${(await onWorkers(to)).toFixed(1)} ms`]);
  }
  const table = document.querySelector('#figures');
  table.replaceChildren(...rows.map(rowOf));
}

function* errors(found) {
  for (let i = 0; i < count; i += 97) yield Math.abs(found[i] - values[i]);
}

async function onWorkers(to) {
  const workspace = new Workspace(8 * count);
  const source = workspace.array('f32', count);
  source.set(values);
  const out = workspace.array(to, count);
  const started = performance.now();
  await convertAsync(source, { to, out });
  return performance.now() - started;
}

function timed(run) {
  const started = performance.now();
  const result = run();
  return { result, milliseconds: performance.now() - started };
}

function rowOf([name, figure]) {
  const row = document.createElement('tr');
  const head = document.createElement('th');
  const cell = document.createElement('td');
  head.textContent = name;
  cell.textContent = figure;
  row.append(head, cell);
  return row;
}
