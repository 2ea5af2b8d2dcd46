/**
 * One item of an async iterable as one server-sent event (WHATWG HTML, 9.2).
 *
 * - a string is the data, each of its lines a `data:` line;
 * - an object with no keys but `event`, `id`, `retry` and `data` is taken apart into these fields;
 * - anything else is sent as JSON data.
 */
export function formatServerSentEvent(item: unknown): string {
  if (typeof item === 'string') return `${dataLines(item)}\n`;
  if (!isEventFields(item)) return `${dataLines(JSON.stringify(item) ?? '')}\n`;
  const { event, id, retry, data } = item;
  return [
    event === undefined ? '' : `event: ${singleLine(event)}\n`,
    id === undefined ? '' : `id: ${singleLine(id)}\n`,
    retry === undefined ? '' : `retry: ${singleLine(retry)}\n`,
    data === undefined ? '' : dataLines(typeof data === 'string' ? data : JSON.stringify(data)),
    '\n',
  ].join('');
}

interface EventFields {
  readonly event?: unknown;
  readonly id?: unknown;
  readonly retry?: unknown;
  readonly data?: unknown;
}

const fieldNames: ReadonlySet<string> = new Set(['event', 'id', 'retry', 'data']);

function isEventFields(item: unknown): item is EventFields {
  if (typeof item !== 'object' || item === null) return false;
  const keys = Object.keys(item);
  return keys.length > 0 && keys.every((key) => fieldNames.has(key));
}

function dataLines(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join('');
}

// A line break inside one of these fields would start another field.
function singleLine(value: unknown): string {
  return String(value).replace(/[\r\n\0]/g, ' ');
}
