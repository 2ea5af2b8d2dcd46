import { LettersError } from './letters-error.ts';

/** Who gets dead letters that are replayed, in the namespace of their Trigger. */
export type ReplayTarget =
  | { readonly kind: 'original' }
  | { readonly kind: 'trigger'; readonly name: string }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'broker'; readonly name: string }
  | { readonly kind: 'url'; readonly url: string };

const words = /^(?:(trigger|function|broker)\/)?([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)$/;
const address = /^https?:\/\/[^/?#@ ]+(?:[/?][^# ]*)?$/;

/**
 * Reads it as people write it: `trigger/<name>`, `function/<name>` or the name alone,
 * `broker/<name>`, a URL; `undefined` for the Trigger that gave the events up.
 *
 * @throws LettersError `InvalidTarget`
 */
export function parseReplayTarget(text: string | undefined): ReplayTarget {
  if (text === undefined) return { kind: 'original' };
  if (address.test(text)) return { kind: 'url', url: text };
  const [, kind = 'function', name] = words.exec(text) ?? [];
  if (name !== undefined && (kind === 'trigger' || kind === 'function' || kind === 'broker')) {
    return { kind, name };
  }
  throw new LettersError(
    'InvalidTarget',
    `Cannot replay to "${text}": expected trigger/<name>, function/<name>, broker/<name> or a URL`,
  );
}
