import type { FieldBlock } from '../http1/field-block.ts';

/** One field of a header: its name, and its value as latin1 without control characters. */
export type Field = readonly [name: string, value: string];

/** What a policy changes about the fields of a message. */
export interface FieldChanges {
  /** Names as {@link foldName} gives them; every line of such a name goes. */
  readonly remove: ReadonlySet<string>;
  /** Added at the end; what they replace stands in `remove`. */
  readonly add: readonly Field[];
}

/**
 * A name as those compare it who read it last: in lower case, and with `_` as `-`, because CGI and
 * WSGI, which Python frameworks are built on, do not tell `X_User` from `X-User`.
 */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

/** A message whose fields are changed. */
export function withFieldChanges<T extends { readonly fields: FieldBlock }>(
  message: T,
  changes: FieldChanges,
): T {
  const { kept, known } = message.fields;
  return { ...message, fields: { kept: changeLines(kept, changes), known } };
}

/** Lines of fields, each with its CRLF, with these changes. */
export function changeLines(kept: string, { remove, add }: FieldChanges): string {
  let lines = kept;
  if (remove.size > 0) {
    const stays = (line: string): boolean =>
      !remove.has(foldName(line.slice(0, line.indexOf(':'))));
    lines = kept.split('\r\n').filter(stays).join('\r\n');
  }
  return lines + renderFields(add);
}

/** The lines of these fields, each with its CRLF. */
export function renderFields(fields: readonly Field[]): string {
  return fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
}

/** The values of a field, one per line of that name, without the blanks around them. */
export function fieldValues({ kept, known }: FieldBlock, name: string): readonly string[] {
  const values: string[] = [];
  for (const line of kept.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon !== name.length || line.slice(0, colon).toLowerCase() !== name) continue;
    values.push(line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, ''));
  }
  const joined = values.length === 0 ? known.get(name) : undefined;
  return joined === undefined ? values : [joined];
}
