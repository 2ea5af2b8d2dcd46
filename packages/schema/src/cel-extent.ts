import type { JsonSchema } from '@fnlet/machinery';
import { escapeField, withTypeAndObjectMeta } from './cel-schema.ts';
import { celRequestBytesMax } from './limits.ts';

/** How large the values of a schema can be, as they come in a request (apiserver, cel/common). */
export interface Extent {
  /** Characters, bytes, items or entries at most; 0 for what has none. */
  readonly elementsMax: number;
  /** The fewest bytes that a value takes in JSON. */
  readonly bytesMin: number;
  /** Of an object: by the names that rules use. */
  readonly fields?: ReadonlyMap<string, Extent>;
  /** Of a list or a map. */
  readonly items?: Extent;
  /** Of a map. */
  readonly keys?: Extent;
}

/** The extent of what rules see of a schema; `undefined` where they see nothing. */
export function measureExtent(schema: JsonSchema, isResource = false): Extent | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return { elementsMax: textMax(schema) ?? longestText, bytesMin: 1 };
  }
  switch (schema.type) {
    case 'array':
      return measureList(schema);
    case 'object':
      return typeof schema.additionalProperties === 'object'
        ? measureMap(schema, schema.additionalProperties)
        : measureObject(isResource ? withTypeAndObjectMeta(schema) : schema);
    case 'string':
      return measureText(schema);
    case 'boolean':
      return { elementsMax: 0, bytesMin: 'true'.length };
    case 'integer':
    case 'number':
      return { elementsMax: 0, bytesMin: '0'.length };
    default:
      return undefined;
  }
}

const longestText: number = celRequestBytesMax - '""'.length;
const emptyBytes = '[]'.length;

// A character of JSON Schema takes up to four bytes.
function textMax({ maxLength }: JsonSchema): number | undefined {
  return maxLength === undefined ? undefined : Math.max(0, maxLength) * 4;
}

// The longest times and durations that RFC 3339 knows, with their quotes.
const timeBytes: Readonly<Record<string, Extent>> = {
  duration: { elementsMax: 32, bytesMin: 3 },
  date: { elementsMax: 12, bytesMin: 12 },
  'date-time': { elementsMax: 32, bytesMin: 21 },
};

function measureText(schema: JsonSchema): Extent {
  const { format = '', maxLength, enum: known = [] } = schema;
  const time = timeBytes[format];
  if (time !== undefined) return time;
  const bytesMin = '""'.length;
  if (format === 'byte') return { elementsMax: Math.max(0, maxLength ?? longestText), bytesMin };
  const texts = known.filter((value) => typeof value === 'string');
  const knownMax =
    known.length === 0 ? undefined : Math.max(0, ...texts.map((text) => Buffer.byteLength(text)));
  return { elementsMax: textMax(schema) ?? knownMax ?? longestText, bytesMin };
}

function measureList({ items: inner, maxItems }: JsonSchema): Extent | undefined {
  const items = inner === undefined ? undefined : measureInner(inner);
  if (items === undefined) return undefined;
  const fitting = Math.floor((celRequestBytesMax - emptyBytes) / (items.bytesMin + 1));
  return { elementsMax: Math.max(0, maxItems ?? fitting), bytesMin: emptyBytes, items };
}

function measureMap({ maxProperties }: JsonSchema, inner: JsonSchema): Extent | undefined {
  const items = measureInner(inner);
  if (items === undefined) return undefined;
  // A key of two characters, its quotes, a colon and a comma.
  const fitting = Math.floor((celRequestBytesMax - emptyBytes) / (items.bytesMin + 6));
  const elementsMax = Math.max(0, maxProperties ?? fitting);
  return { elementsMax, bytesMin: emptyBytes, items, keys: { elementsMax: 0, bytesMin: 2 } };
}

function measureObject({ properties = {}, required = [] }: JsonSchema): Extent {
  const fields = new Map<string, Extent>();
  let bytesMin = emptyBytes;
  for (const [name, property] of Object.entries(properties)) {
    const extent = measureInner(property);
    if (extent === undefined) continue;
    const escaped = escapeField(name);
    if (escaped !== undefined) fields.set(escaped, extent);
    const isSent = required.includes(name) && property.default === undefined;
    // Quotes, a colon and a comma.
    if (isSent) bytesMin += Buffer.byteLength(name) + extent.bytesMin + 4;
  }
  return { elementsMax: 0, bytesMin, fields };
}

function measureInner(schema: JsonSchema): Extent | undefined {
  return measureExtent(schema, schema['x-kubernetes-embedded-resource'] === true);
}
