import { quantityCharactersMax } from './limits.ts';

/** How a quantity was written, which decides how it is written again. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/**
 * A fixed-point number as Kubernetes writes resources: `250m`, `1.5Gi`, `1e3`
 * (k8s.io/apimachinery, api/resource).
 */
export interface Quantity {
  /** The value times 10⁹; finer digits are rounded away from zero. */
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

const nanoPerUnit = 1_000_000_000n;
const nanoMax = (2n ** 63n - 1n) * nanoPerUnit;

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const grammar = /^([+-]?)(\d+\.?\d*|\.\d+)(?:(Ki|Mi|Gi|Ti|Pi|Ei)|([eE][+-]?\d+)|([numkMGTPE]?))$/;

/** The quantity that a text or number means; undefined when it is none. */
export function parseQuantity(text: string | number): Quantity | undefined {
  const written = String(text);
  const match = written.length > quantityCharactersMax ? null : grammar.exec(written);
  if (match === null) return undefined;
  const [, sign, digits = '', binary, exponent, decimal = ''] = match;
  const size =
    binary !== undefined
      ? scale(digits, 0, 1024n ** BigInt(binarySuffixes.indexOf(binary)))
      : scale(digits, exponent === undefined ? decimalPower(decimal) : power(exponent), 1n);
  const capped = size > nanoMax ? nanoMax : size;
  const format =
    binary !== undefined ? 'BinarySI' : exponent !== undefined ? 'DecimalExponent' : 'DecimalSI';
  return { nano: sign === '-' ? -capped : capped, format };
}

function decimalPower(suffix: string): number {
  return (decimalSuffixes.indexOf(suffix) - 3) * 3;
}

// Beyond ±100 every quantity is capped or rounded to the finest digit anyway.
function power(exponent: string): number {
  return Math.max(-100, Math.min(100, Number(exponent.slice(1))));
}

/** Digits times 10^power times factor, in nanos, rounded up. */
function scale(digits: string, tens: number, factor: bigint): bigint {
  const [whole = '', fraction = ''] = digits.split('.');
  const shift = tens - fraction.length + 9;
  const value = BigInt(whole + fraction) * factor;
  if (shift >= 0) return value * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return (value + divisor - 1n) / divisor;
}

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
}

/** The value in whole units (cores, bytes) as a number; exact up to 2⁵³. */
export function quantityValue(quantity: Quantity): number {
  const whole = quantity.nano / nanoPerUnit;
  return Number(whole) + Number(quantity.nano % nanoPerUnit) / Number(nanoPerUnit);
}

/** The one text of a quantity: no fraction, the largest suffix that keeps it exact. */
export function formatQuantity(quantity: Quantity): string {
  const { nano, format } = quantity;
  if (nano === 0n) return '0';
  const sign = nano < 0n ? '-' : '';
  const size = nano < 0n ? -nano : nano;
  // Below one Ki there is no binary suffix to use, and fractions only exist in decimal.
  const binary = format === 'BinarySI' && size >= 1024n * nanoPerUnit;
  return sign + (binary ? formatBinary(size) : formatDecimal(size, format));
}

function formatBinary(size: bigint): string {
  let units = (size + nanoPerUnit - 1n) / nanoPerUnit;
  let step = 0;
  while (step < binarySuffixes.length - 1 && units % 1024n === 0n) {
    units /= 1024n;
    step++;
  }
  return `${units}${binarySuffixes[step]}`;
}

function formatDecimal(size: bigint, format: QuantityFormat): string {
  let units = size;
  let step = 0;
  while (step < decimalSuffixes.length - 1 && units % 1000n === 0n) {
    units /= 1000n;
    step++;
  }
  if (format !== 'DecimalExponent') return `${units}${decimalSuffixes[step]}`;
  return step === 3 ? `${units}` : `${units}e${(step - 3) * 3}`;
}
