/** Text that is HTML already. */
export interface Html {
  readonly raw: string;
}

/** What may stand in a template: text is escaped, Html is not, lists are joined. */
export type HtmlValue = string | number | Html | readonly Html[];

/** A template literal in which everything that is not Html itself is escaped. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const parts = strings.map((text, index) => {
    const value = values[index];
    return value === undefined ? text : text + toRaw(value);
  });
  return { raw: parts.join('') };
}

function toRaw(value: HtmlValue): string {
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  return 'raw' in value ? value.raw : value.map(({ raw }) => raw).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in HTML, attribute values included. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
