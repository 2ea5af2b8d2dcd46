/** What Go's encoding/json calls the type of a JSON value, in messages about one of another type. */
export function goTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
