import { readFileSync } from 'node:fs';
import { parseApiVersion } from '@fnlet/machinery';
import {
  isMessageTexts,
  type MessageFact,
  type MessageText,
  parseMessage,
} from './message-fact.ts';

/**
 * The structural facts of Kubernetes' own types (tooling/builtin-facts.ts writes them).
 *
 * I1. The file is read when the first message is asked for, and a message is parsed when it is
 *     asked for: a start pays for neither.
 * I2. Nothing here changes: a message is the same whenever it is asked for.
 */
export class BuiltinFacts {
  readonly #read: () => Readonly<Record<string, MessageText>>;
  readonly #messages = new Map<string, MessageFact>();
  #texts: Readonly<Record<string, MessageText>> | undefined;

  constructor(read: () => Readonly<Record<string, MessageText>>) {
    this.#read = read;
  }

  /** @throws Error for a name that is not there: the facts are complete in themselves. */
  message(name: string): MessageFact {
    const known = this.#messages.get(name);
    if (known !== undefined) return known;
    this.#texts ??= this.#read();
    const text = this.#texts[name];
    if (text === undefined) throw new Error(`Broken facts: there is no message "${name}"`);
    const message = parseMessage(name, text, (inlined) => this.message(inlined));
    this.#messages.set(name, message);
    return message;
  }

  has(name: string): boolean {
    this.#texts ??= this.#read();
    return Object.hasOwn(this.#texts, name);
  }
}

/** The facts of Kubernetes 1.36. */
export const builtinFacts: BuiltinFacts = new BuiltinFacts(() => {
  const text = readFileSync(new URL('builtin-messages.json', import.meta.url), 'utf8');
  const value: unknown = JSON.parse(text);
  if (!isMessageTexts(value)) throw new Error('Broken facts: not texts by message and field');
  return value;
});

/** Whether Kubernetes has such a kind without a definition, lists and what goes with requests too. */
export function isBuiltinKind(stated: {
  readonly apiVersion: string;
  readonly kind: string;
}): boolean {
  const { apiVersion, kind } = stated;
  if (apiVersion === 'v1' && kind === 'List') return true;
  const item = kind.replace(/List$/, '');
  const own = messageName({ ...parseApiVersion(apiVersion), kind: item });
  return [own, `meta.v1.${kind}`].some(
    (name) => builtinFacts.has(name) && builtinFacts.message(name).isKind,
  );
}

/** The name of a kind's message: `apps` and `Deployment` in v1 give `apps.v1.Deployment`. */
export function messageName(type: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}): string {
  const [label] = type.group.split('.');
  return `${label === '' ? 'core' : label}.${type.version}.${type.kind}`;
}
