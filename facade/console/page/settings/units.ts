import { language } from '../words.ts';

/** Returns dollars as they are typed: `10.00`. */
export function dollarsOf(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** Returns the cents of `10`, `10.5` or `10,50`, at most `most`; null if it is no such amount. */
export function centsOf(dollars: string, most: number): number | null {
  if (!/^\s*\d+([.,]\d{0,2})?\s*$/.test(dollars)) return null;
  const cents = Math.round(Number(dollars.replace(',', '.')) * 100);
  return cents <= most ? cents : null;
}

/** `$10.00`, as the reader writes it. */
export function money(cents: number): string {
  const locale = language.value === 'en' ? 'en-US' : language.value;
  return new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' }).format(cents / 100);
}

/** `5 minutes`, of seconds. */
export function pauseOf(seconds: number): string {
  const [value, unit] =
    seconds % 3_600 === 0
      ? [seconds / 3_600, 'hour']
      : seconds % 60 === 0
        ? [seconds / 60, 'minute']
        : [seconds, 'second'];
  return new Intl.NumberFormat(language.value, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

/** Returns milliseconds as people say them, short: `8.4 ms`, `12 sec`. */
export function spanOf(ms: number): string {
  const [size, unit] = SPANS.find(([size]) => ms >= size) ?? SPANS.at(-1)!;
  const value = ms / size;
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(value);
}

const SPANS = [
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
  [1, 'millisecond'],
] as const;

/** `November 2026`, of `2026-11`. */
export function monthOf(month: string): string {
  const at = new Date(`${month}-01T00:00:00Z`);
  return new Intl.DateTimeFormat(language.value, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(at);
}

/** `23 Nov`, of `2026-11-23`. */
export function dayOf(day: string): string {
  const locale = language.value === 'en' ? 'en-GB' : language.value;
  const at = new Date(`${day}T00:00:00Z`);
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(at);
}

/** `30 days`. */
export function daysOf(days: number): string {
  return new Intl.NumberFormat(language.value, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(days);
}

/** `1.4 MB`. */
export function sizeOf(bytes: number): string {
  const [size, unit] = SIZES.find(([size]) => bytes >= size) ?? SIZES.at(-1)!;
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: bytes < 10 * size ? 1 : 0,
  }).format(bytes / size);
}

const SIZES = [
  [1e9, 'gigabyte'],
  [1e6, 'megabyte'],
  [1e3, 'kilobyte'],
] as const;
