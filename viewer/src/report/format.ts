// Numbers and names as a table shows them.
import type { Recording } from './data';

/** Four digits; powers of ten only where zeros would be counted. */
export function digits(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) {
    return '–';
  }
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    return value.toExponential(2).replace('e+', 'e');
  }
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

/** value against reference: "×0.53"; nothing where that says nothing. */
export function ratio(value: number | null | undefined, reference: number | null | undefined): string {
  if (typeof value !== 'number' || typeof reference !== 'number' || reference === 0) {
    return '–';
  }
  const r = value / reference;
  return Number.isFinite(r) ? `×${Math.abs(r) >= 1e-3 && Math.abs(r) < 1e4 ? Number(r.toPrecision(3)) : r.toExponential(1).replace('e+', 'e')}` : '–';
}

/** Columns' names: file names without folder and ending, or the whole path where two are the same. */
export function labels(recordings: Pick<Recording, 'file'>[]): string[] {
  const short = recordings.map((r) => r.file.replace(/^.*\//, '').replace(/\.h5$/, ''));
  return recordings.map((r, k) => {
    if (short.filter((name) => name === short[k]).length === 1) {
      return short[k]!;
    }
    const again = recordings.slice(0, k).filter((other) => other.file === r.file).length;
    return again > 0 ? `${r.file} (${again + 1})` : r.file;
  });
}

/** Seconds are told in ms: steps are short. */
export function inUnit(value: number | null | undefined, unit: string): number | null | undefined {
  return unit === 's' && typeof value === 'number' ? 1e3 * value : value;
}

export function unitName(unit: string): string {
  return unit === 's' ? 'ms' : unit === '1' ? '' : unit;
}

/** "3 free, 1 fixed": what is not zero. */
export function counts(of: Record<string, number>): string {
  const parts = Object.entries(of).filter(([, n]) => n > 0);
  return parts.map(([name, n]) => `${n} ${name}`).join(', ') || 'none';
}
