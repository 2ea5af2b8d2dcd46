import { statusError } from '@fnlet/machinery';
import { type Document, isScalar, Lexer, LineCounter, parseDocument, stringify, visit } from 'yaml';
import { yamlTokensMax } from '../limits.ts';

// Loaded only when a request speaks YAML: parsing the library costs a good part of the start.

/** YAML text as a JSON value, with the keys that appear twice. */
export interface ParsedYaml {
  readonly value: unknown;
  readonly duplicates: readonly { readonly line: number; readonly key: string }[];
  readonly error: string | undefined;
}

// Go's YAML 1.1 knows neither timestamps as JSON values nor sexagesimal numbers.
const foreignTags = /timestamp|binary|omap|pairs|set/;

/**
 * Parses one document; aliases may expand to a bounded number of nodes only.
 *
 * @throws StatusError `RequestEntityTooLarge` for more tokens than anybody writes
 */
export function parseYaml(text: string): ParsedYaml {
  requireFewTokens(text);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    lineCounter: lines,
    strict: true,
    uniqueKeys: false,
    customTags: (tags) =>
      tags.filter(
        (tag) => typeof tag === 'string' || (!foreignTags.test(tag.tag) && !isSexagesimal(tag)),
      ),
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lines.linePos(error.pos[0]);
    const [message = ''] = error.message.split('\n');
    return { value: undefined, duplicates: [], error: `yaml: line ${line}: ${message}` };
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return { value, duplicates: duplicateKeys(document, lines), error: undefined };
  } catch (error) {
    return { value: undefined, duplicates: [], error: `yaml: ${String(error)}` };
  }
}

// The parser's own check compares each key with all before it.
function duplicateKeys(document: Document, lines: LineCounter): ParsedYaml['duplicates'] {
  const duplicates: { line: number; key: string }[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key) || key.value === '<<') continue;
        if (seen.has(key.value)) {
          const { line } = lines.linePos(key.range?.[0] ?? 0);
          duplicates.push({ line, key: key.source ?? String(key.value) });
        }
        seen.add(key.value);
      }
    },
  });
  return duplicates;
}

// The lexer makes a hundredth of what the parser makes of a token.
function requireFewTokens(text: string): void {
  let tokens = 0;
  for (const _ of new Lexer().lex(text)) {
    tokens++;
    if (tokens <= yamlTokensMax) continue;
    const message = `Request entity too large: limit is ${yamlTokensMax} tokens of YAML`;
    throw statusError('RequestEntityTooLarge', message);
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
