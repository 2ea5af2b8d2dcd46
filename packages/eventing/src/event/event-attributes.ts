/**
 * What makes attributes those of a CloudEvent: their names, their types, and what the ones that the
 * specification names have to be.
 */
import type { AttributeValue, EventAttributes } from './cloud-event.ts';
import { EventError } from './event-error.ts';
import { eventLimits } from './limits.ts';
import { isMediaType } from './media-type.ts';
import { isTimestamp } from './timestamp.ts';
import { isUri, isUriReference } from './uri-reference.ts';

/** What one attribute has to be, and how that is told. */
interface Rule {
  readonly holds: (text: string) => boolean;
  readonly expected: string;
}

const isGiven = (text: string): boolean => text !== '';
const rules: Readonly<Record<string, Rule>> = {
  id: { holds: isGiven, expected: 'a text that is not empty' },
  source: {
    holds: (text) => isGiven(text) && isUriReference(text),
    expected: 'a URI reference (RFC 3986) that is not empty',
  },
  type: { holds: isGiven, expected: 'a text that is not empty' },
  specversion: { holds: (text) => text === '1.0', expected: '"1.0"' },
  subject: { holds: isGiven, expected: 'a text that is not empty' },
  time: { holds: isTimestamp, expected: 'a time as RFC 3339 writes it' },
  datacontenttype: { holds: isMediaType, expected: 'a media type (RFC 2046)' },
  dataschema: { holds: isUri, expected: 'a URI (RFC 3986) with its scheme' },
};
const required = ['specversion', 'id', 'source', 'type'] as const;
const namePattern = /^[a-z0-9]+$/;
const plain = /^[\x20-\x7e]*$/;
// Control characters, characters that are none, and halves of surrogate pairs.
const forbidden = /[\p{Cc}\p{Noncharacter_Code_Point}\p{Cs}]/u;

/**
 * Reads attributes by name; those that are `null` or `undefined` are not set.
 *
 * @throws EventError `InvalidEvent`, which tells the attribute
 */
export function parseAttributes(given: Iterable<readonly [string, unknown]>): EventAttributes {
  const attributes: Record<string, AttributeValue> = {};
  let count = 0;
  let characters = 0;
  for (const [name, value] of given) {
    if (value === null || value === undefined) continue;
    const known = parseAttribute(name, value);
    attributes[name] = known;
    count += 1;
    characters += name.length + String(known).length;
  }
  const { attributesMax, attributeCharactersMax } = eventLimits;
  if (count > attributesMax || characters > attributeCharactersMax) {
    throw new EventError(
      'InvalidEvent',
      `Cannot read event: found ${count} attributes with ${characters} characters, ` +
        `expected at most ${attributesMax} with ${attributeCharactersMax}`,
    );
  }
  if (isComplete(attributes)) return attributes;
  const missing = required.find((name) => attributes[name] === undefined) ?? 'id';
  throw wrong(missing, 'found none', rules[missing]?.expected ?? 'one');
}

function parseAttribute(name: string, value: unknown): AttributeValue {
  if (!namePattern.test(name) || name.length > eventLimits.nameCharactersMax || name === 'data') {
    const most = eventLimits.nameCharactersMax;
    throw wrong(name, 'found that name', `1 to ${most} lower-case letters a-z and digits`);
  }
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (typeof value === 'string') {
    if (value.length > eventLimits.attributeCharactersMax) {
      const most = eventLimits.attributeCharactersMax;
      throw wrong(name, `found ${value.length} characters`, `at most ${most}`);
    }
    if (!plain.test(value) && forbidden.test(value)) {
      throw wrong(name, `found ${quote(value)}`, 'a text without control characters');
    }
    if (rule !== undefined && !rule.holds(value)) {
      throw wrong(name, `found ${quote(value)}`, rule.expected);
    }
    return value;
  }
  if (rule !== undefined) throw wrong(name, `found ${quote(value)}`, rule.expected);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isInteger(value) && value === (value | 0)) return value;
  throw wrong(name, `found ${quote(value)}`, 'a text, a boolean or a whole number of 32 bits');
}

function isComplete(
  attributes: Readonly<Record<string, AttributeValue | undefined>>,
): attributes is EventAttributes {
  return required.every((name) => attributes[name] !== undefined);
}

function wrong(attribute: string, found: string, expected: string): EventError {
  const message = `Cannot read attribute ${quote(attribute)} of event: ${found}, expected ${expected}`;
  return new EventError('InvalidEvent', message, { attribute });
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  const most = eventLimits.quotedCharactersMax;
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
