"use strict";
// Numbers with their units. null is JSON's NaN and infinity.

const digits = (value, count = 3) => {
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  return value.toLocaleString("en", {maximumFractionDigits: Math.min(20, Math.max(0, count - 1 - size))});
};

const scaled = (value, base, units) => {
  if (value === null) return "not finite";
  let unit = 0;
  while (Math.abs(value) >= base && unit + 1 < units.length) value /= base, ++unit;
  return `${digits(value)} ${units[unit]}`.trim();
};

const format = {
  seconds(value) {
    if (value === null) return "not finite";
    if (value === 0) return "0 s";
    const size = Math.abs(value);
    if (size < 1e-6) return `${digits(value * 1e9)} ns`;
    if (size < 1e-3) return `${digits(value * 1e6)} µs`;
    if (size < 1) return `${digits(value * 1e3)} ms`;
    if (size < 120) return `${digits(value)} s`;
    const minutes = Math.round(value / 60);
    return minutes < 120 ? `${digits(value / 60)} min` : `${digits(value / 3600)} h`;
  },
  bytes: (value) => scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]),
  flops: (value) => scaled(value, 1000, ["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"]),
  rate: (value, unit) => scaled(value, 1000, ["", "k", "M", "G", "T", "P"]).replace(/ ?([kMGTP]?)$/, ` $1${unit}`),
  share(value) {
    if (value === null || !Number.isFinite(value)) return "–";
    const percent = value * 100;
    if (percent !== 0 && Math.abs(percent) < 0.1) return percent > 0 ? "< 0.1 %" : "0 %";
    return `${digits(percent, percent >= 99.95 ? 3 : percent < 1 ? 1 : 3)} %`;
  },
  count: (value) => value.toLocaleString("en"),
  metric(value) {
    if (value === null) return "not finite";
    const size = Math.abs(value);
    return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(3) : digits(value, 4);
  },
};

// Round values for an axis from low to high.
const ticks = (low, high, about) => {
  const span = high - low || Math.abs(high) || 1;
  const raw = span / about, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) found.push(i * step);
  return found;
};
