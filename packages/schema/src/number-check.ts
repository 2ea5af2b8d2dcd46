import type { JsonSchema } from '@fnlet/machinery';
import { formatNumber, invalidField } from './field-message.ts';
import type { PlainCheck } from './value-check.ts';

/** Compiles the rules for numbers; `undefined` when the schema has none. */
export function compileNumberCheck(schema: JsonSchema): PlainCheck<number> | undefined {
  const checks = [
    compileRange(schema),
    compileMultipleOf(schema.multipleOf),
    compileMinimum(schema),
    compileMaximum(schema),
  ].filter((check) => check !== undefined);
  if (checks.length === 0) return undefined;
  return (value, path, errors) => {
    for (const check of checks) check(value, path, errors);
  };
}

const int32Max = 2 ** 31 - 1;
const float32Max = 3.4028234663852886e38;
const int64Limit = 2 ** 63;

function compileRange(schema: JsonSchema): PlainCheck<number> | undefined {
  const { type, format } = schema;
  const fits = numberRange(schema);
  if (fits === undefined) return undefined;
  const named = format === 'int32' || format === 'int64' || format === 'float';
  const limits = named ? `with format ${format}` : '(default format)';
  return (value, path, errors) => {
    if (fits(value)) return;
    // Upstream reports a number that does not fit its format without naming the field.
    const detail = `Checked value must be of type ${type} ${limits} in ${path}`;
    errors.push(invalidField('', '', detail));
  };
}

function numberRange(schema: JsonSchema): ((value: number) => boolean) | undefined {
  if (schema.type === 'integer') {
    return schema.format === 'int32'
      ? (value) => value >= -int32Max - 1 && value <= int32Max
      : (value) => value >= -int64Limit && value < int64Limit;
  }
  return schema.type === 'number' && schema.format === 'float'
    ? (value) => Math.abs(value) <= float32Max
    : undefined;
}

function compileMultipleOf(factor: number | undefined): PlainCheck<number> | undefined {
  if (factor === undefined) return undefined;
  return (value, path, errors) => {
    if (factor <= 0) {
      const text = `factor MultipleOf declared for ${path} must be positive: `;
      errors.push(invalidField(path, factor, `${text}${formatNumber(factor)}`));
    } else if (!isNearInteger(value / factor)) {
      const detail = `${path} in body should be a multiple of ${formatNumber(factor)}`;
      errors.push(invalidField(path, value, detail));
    }
  };
}

// 0.3 is a multiple of 0.1 although 0.3 / 0.1 is not an integer in floating point.
function isNearInteger(quotient: number): boolean {
  const distance = Math.abs(quotient - Math.round(quotient));
  return distance <= 1e-9 * Math.max(1, Math.abs(quotient)) && Number.isFinite(quotient);
}

function compileMaximum(schema: JsonSchema): PlainCheck<number> | undefined {
  const { maximum, exclusiveMaximum } = schema;
  if (maximum === undefined) return undefined;
  const relation = exclusiveMaximum === true ? 'less than' : 'less than or equal to';
  return (value, path, errors) => {
    if (exclusiveMaximum === true ? value < maximum : value <= maximum) return;
    const detail = `${path} in body should be ${relation} ${formatNumber(maximum)}`;
    errors.push(invalidField(path, value, detail));
  };
}

function compileMinimum(schema: JsonSchema): PlainCheck<number> | undefined {
  const { minimum, exclusiveMinimum } = schema;
  if (minimum === undefined) return undefined;
  const relation = exclusiveMinimum === true ? 'greater than' : 'greater than or equal to';
  return (value, path, errors) => {
    if (exclusiveMinimum === true ? value > minimum : value >= minimum) return;
    const detail = `${path} in body should be ${relation} ${formatNumber(minimum)}`;
    errors.push(invalidField(path, value, detail));
  };
}
