import { celError } from './cel-error.ts';
import { isTagged } from './cel-function.ts';
import { formatDuration, formatTimestamp } from './cel-time.ts';
import { type CelValue, celItems, celKind } from './cel-value.ts';

/** `text.format(args)`: %s %d %f %e %b %o %x %X and %% (cel-go, strings extension). */
export function formatText(text: string, args: readonly CelValue[]): string {
  let next = 0;
  return text.replace(/%(?:\.(\d+))?([\s\S]?)/g, (_, digits: string | undefined, verb: string) => {
    if (verb === '%') return '%';
    const value = args[next];
    if (value === undefined) throw celError(`index ${next} out of range`);
    next += 1;
    return formatArgument(verb, value, digits === undefined ? 6 : Number(digits));
  });
}

function formatArgument(verb: string, value: CelValue, digits: number): string {
  switch (verb) {
    case 's':
      return formatAny(value);
    case 'd':
      return formatInteger(value, 10, 'decimal');
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : formatInteger(value, 2, 'binary');
    case 'o':
      return formatInteger(value, 8, 'octal');
    case 'x':
      return formatHex(value);
    case 'X':
      return formatHex(value).toUpperCase();
    case 'f':
      return formatFixed(value, (number) => number.toFixed(Math.min(digits, 100)));
    case 'e':
      return formatFixed(value, (number) =>
        number.toExponential(Math.min(digits, 100)).replace(/e([+-])(\d)$/, 'e$10$2'),
      );
    default:
      throw celError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

/** A value as text: what %s prints. */
export function formatAny(value: CelValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (typeof value !== 'object') return String(value);
  switch (value.kind) {
    case 'uint':
      return String(value.value);
    case 'timestamp':
      return formatTimestamp(value);
    case 'duration':
      return formatDuration(value);
    case 'type':
      return value.name;
    case 'list':
      return `[${celItems(value).map(formatAny).join(', ')}]`;
    case 'map': {
      const entries = value.keys().map((key): [string, string] => {
        const item = value.get(key);
        return [formatAny(key), formatAny(item ?? null)];
      });
      const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
      return `{${sorted.map(([key, item]) => `${key}: ${item}`).join(', ')}}`;
    }
    default:
      throw unsupported('string', value);
  }
}

function unsupported(clause: string, value: CelValue): Error {
  return celError(`error during formatting: ${clause} clause cannot be used on ${celKind(value)}`);
}

function formatInteger(value: CelValue, radix: number, clause: string): string {
  if (typeof value === 'bigint') return value.toString(radix);
  if (isTagged('uint', value)) return value.value.toString(radix);
  if (typeof value === 'number' && radix === 10) return String(value);
  throw unsupported(clause, value);
}

function formatHex(value: CelValue): string {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  if (bytes instanceof Uint8Array) return Buffer.from(bytes).toString('hex');
  return formatInteger(value, 16, 'hex');
}

function formatFixed(value: CelValue, format: (number: number) => string): string {
  if (typeof value === 'bigint') return format(Number(value));
  if (isTagged('uint', value)) return format(Number(value.value));
  if (typeof value !== 'number') throw unsupported('fixed-point', value);
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? format(value) : value > 0 ? 'Infinity' : '-Infinity';
}
