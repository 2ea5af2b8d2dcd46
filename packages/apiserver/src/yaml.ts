import { LineCounter, parseDocument, stringify } from 'yaml';

// Loaded only when a request speaks YAML: parsing the library costs a good part of the start.

/** YAML text as a JSON value, with the keys that appear twice. */
export interface ParsedYaml {
  readonly value: unknown;
  readonly duplicates: readonly { readonly line: number; readonly key: string }[];
  readonly error: string | undefined;
}

// Go's YAML 1.1 knows neither timestamps as JSON values nor sexagesimal numbers.
const foreignTags = /timestamp|binary|omap|pairs|set/;

/** Parses one document; aliases may expand to a bounded number of nodes only. */
export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    lineCounter: lines,
    strict: true,
    customTags: (tags) =>
      tags.filter(
        (tag) => typeof tag === 'string' || (!foreignTags.test(tag.tag) && !isSexagesimal(tag)),
      ),
  });
  const duplicates: { line: number; key: string }[] = [];
  for (const error of document.errors) {
    const { line } = lines.linePos(error.pos[0]);
    if (error.code !== 'DUPLICATE_KEY') {
      const [message = ''] = error.message.split('\n');
      return { value: undefined, duplicates: [], error: `yaml: line ${line}: ${message}` };
    }
    const key = /^[^\s:]+/.exec(text.slice(error.pos[0]))?.[0] ?? '';
    duplicates.push({ line, key });
  }
  try {
    return { value: document.toJS({ maxAliasCount: 100 }), duplicates, error: undefined };
  } catch (error) {
    return { value: undefined, duplicates: [], error: `yaml: ${String(error)}` };
  }
}

function isSexagesimal(tag: { readonly tag: string; readonly format?: string }): boolean {
  return tag.format === 'TIME';
}

/** A JSON value as YAML text, keys sorted as Go writes them. */
export function formatYaml(value: unknown): string {
  return stringify(value, {
    version: '1.1',
    sortMapEntries: true,
    lineWidth: 0,
    indentSeq: false,
    aliasDuplicateObjects: false,
  });
}
