import { type Document, isScalar, Lexer, LineCounter, parseDocument, visit } from 'yaml';

// It knows nothing of the rest of the server: large texts are read in a thread of their own, and
// whatever this imports is loaded there anew.

/** What a text in YAML is; what is refused has more of something than anybody writes. */
export type YamlReading =
  | { readonly kind: 'json'; readonly text: string; readonly duplicates: readonly DuplicateKey[] }
  | { readonly kind: 'malformed'; readonly error: string }
  | { readonly kind: 'refused'; readonly message: string };

interface DuplicateKey {
  readonly line: number;
  readonly key: string;
}

/** What one text may have at most; the numbers and their reasons stand in limits.ts. */
export interface YamlBounds {
  readonly tokensMax: number;
  /** Anchors and aliases. */
  readonly referencesMax: number;
  /** Duplicate keys that are named. */
  readonly duplicatesMax: number;
}

// Go's YAML 1.1 knows neither timestamps as JSON values nor sexagesimal numbers.
const foreignTags = /timestamp|binary|omap|pairs|set/;

/** One document of YAML as JSON text; aliases may expand to a bounded number of nodes only. */
export function parseYaml(text: string, bounds: YamlBounds): YamlReading {
  const refusal = refuseTokens(text, bounds);
  if (refusal !== undefined) return { kind: 'refused', message: refusal };
  try {
    return parseDocumentOf(text, bounds);
  } catch (error) {
    // Nested too deep, or without end.
    return { kind: 'malformed', error: `yaml: ${String(error)}` };
  }
}

function parseDocumentOf(text: string, { duplicatesMax }: YamlBounds): YamlReading {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    lineCounter: lines,
    strict: true,
    uniqueKeys: false,
    // No word in the server's log about what clients send.
    logLevel: 'error',
    customTags: (tags) =>
      tags.filter(
        (tag) => typeof tag === 'string' || (!foreignTags.test(tag.tag) && !isSexagesimal(tag)),
      ),
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lines.linePos(error.pos[0]);
    const [message = ''] = error.message.split('\n');
    return { kind: 'malformed', error: `yaml: line ${line}: ${message}` };
  }
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  const duplicates = duplicateKeys(document, lines, duplicatesMax);
  return { kind: 'json', text: JSON.stringify(value) ?? 'null', duplicates };
}

// The parser's own check compares each key with all before it.
function duplicateKeys(document: Document, lines: LineCounter, max: number): DuplicateKey[] {
  const duplicates: DuplicateKey[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key) || key.value === '<<') continue;
        if (seen.has(key.value)) {
          const { line } = lines.linePos(key.range?.[0] ?? 0);
          duplicates.push({ line, key: key.source ?? String(key.value) });
          if (duplicates.length === max) return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return duplicates;
}

// The lexer makes a hundredth of what the parser makes of a token.
function refuseTokens(text: string, { tokensMax, referencesMax }: YamlBounds): string | undefined {
  let tokens = 0;
  let references = 0;
  for (const token of new Lexer().lex(text)) {
    tokens++;
    if (token.startsWith('&') || token.startsWith('*')) references++;
    if (tokens > tokensMax) return `limit is ${tokensMax} tokens of YAML`;
    if (references > referencesMax) return `limit is ${referencesMax} anchors and aliases of YAML`;
  }
  return undefined;
}

function isSexagesimal(tag: { readonly tag: string; readonly format?: string }): boolean {
  return tag.format === 'TIME';
}
