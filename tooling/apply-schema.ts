/**
 * Compares the facts of the builtin kinds with the schema that client-go carries for server-side
 * apply: which lists have keys, which lists and maps are owned as a whole.
 */

/** Message -> field -> text; as in builtin-messages.json. */
type Messages = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What differs, one line each; types that the facts do not have are not looked at. */
export function compareWithApplySchema(messages: Messages, source: string): readonly string[] {
  const stated = readApplySchema(source);
  const differences: string[] = [];
  for (const [name, message] of Object.entries(messages)) {
    const type = stated.get(name);
    if (type === undefined) continue;
    for (const [field, expected] of type) {
      if (field === 'apiVersion' || field === 'kind') continue;
      const text = factOf(messages, message, field);
      const found = text === undefined ? 'absent' : ownership(text, field);
      if (found !== expected) differences.push(`${name} ${field}: ${found}, expected ${expected}`);
    }
  }
  return differences;
}

// Fields of inlined structs are those of the message around them.
function factOf(messages: Messages, message: Messages[string], name: string): string | undefined {
  if (message[name] !== undefined) return message[name];
  for (const [field, text] of Object.entries(message)) {
    const inlined = field.startsWith('(') ? messages[text.split(' ')[1] ?? ''] : undefined;
    const found = inlined === undefined ? undefined : factOf(messages, inlined, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ownership(text: string, field: string): string {
  const words = text.split(' ');
  if (field === '') return words.includes('atomic') ? 'atomic' : '';
  const [, type = ''] = words;
  if (type.startsWith('[]')) {
    const list = words.find((word) => word.startsWith('list='))?.slice(5);
    return list ?? 'atomic';
  }
  const isGranular = words.includes('granular') && !type.startsWith('map');
  return words.includes('atomic') ? 'atomic' : isGranular ? 'granular' : '';
}

/** `core.v1.Pod` -> field -> `map:port,protocol`, `set`, `atomic`, `granular` or nothing. */
function readApplySchema(source: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const types = new Map<string, Map<string, string>>();
  for (const block of source.split(/^- name: /m).slice(1)) {
    const name = /^io\.k8s\.(?:api|apimachinery\.pkg\.apis|\S+\.pkg\.apis)\.(\S+)\n/.exec(
      block,
    )?.[1];
    if (name === undefined) continue;
    const [own = '', ...fields] = block.split(/^ {4}- name: /m);
    const whole = /^ {4}elementRelationship: atomic/m.test(block) ? 'atomic' : '';
    const known = new Map(whole === '' ? [] : [['', whole]]);
    if (!own.includes('map:')) continue;
    for (const text of fields) known.set(/^\S+/.exec(text)?.[0] ?? '', fieldOwnership(text));
    types.set(name, known);
  }
  return types;
}

function fieldOwnership(text: string): string {
  const relationship = /^ {8}(?: {2})?elementRelationship: (\w+)/m.exec(text)?.[1];
  const keys = [...text.matchAll(/^ {10}- (\w+)$/gm)].map(([, key]) => key);
  if (relationship === 'associative') return keys.length === 0 ? 'set' : `map:${keys.join(',')}`;
  if (relationship === 'separable') return /^ {8}namedType/m.test(text) ? 'granular' : '';
  return relationship ?? '';
}
