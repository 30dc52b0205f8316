const view: DataView = new DataView(new ArrayBuffer(8));

/** The bits of an f64 number. Those of a NaN are any that the engine gives it. */
export function bitsOfDouble(value: number): bigint {
  view.setFloat64(0, value);
  return view.getBigUint64(0);
}
