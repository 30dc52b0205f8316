const view: DataView = new DataView(new ArrayBuffer(8));

/** The bits of an f64 number. The bits of a NaN depend on the JavaScript engine. */
export function bitsOfDouble(value: number): bigint {
  view.setFloat64(0, value);
  return view.getBigUint64(0);
}
