import { MachineryError } from './machinery-error.ts';

/** One term of a field selector, such as `status.phase!=Running`. */
export interface FieldRequirement {
  /** Path such as `metadata.name`; which ones a kind knows is for the caller to say. */
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Selects the objects whose fields meet every requirement; without any, everything. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
}

/**
 * Reads a selector as kubectl's `--field-selector` writes it: `a.b=c`, `a.b==c`, `a.b!=c`, joined
 * by commas. In a value, a backslash stands before a literal comma, equals sign or backslash.
 *
 * @throws MachineryError `InvalidSelector`, with the text that Kubernetes answers
 */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text)) {
    if (term === '') continue;
    const match = /^((?:\\.|[^\\])*?)(!=|==|=)(.*)$/s.exec(term);
    if (match === null) {
      throw invalidSelector(`invalid selector: '${text}'; can't understand '${term}'`);
    }
    const [, field = '', operator, value = ''] = match;
    requirements.push({
      field,
      operator: operator === '!=' ? '!=' : '=',
      value: unescapeValue(value),
    });
  }
  return { requirements };
}

/** Whether an object meets the selector; `fieldValue` tells its fields, undefined means empty. */
export function matchesFields(
  selector: FieldSelector,
  fieldValue: (field: string) => string | undefined,
): boolean {
  return selector.requirements.every(({ field, operator, value }) => {
    const equal = (fieldValue(field) ?? '') === value;
    return operator === '=' ? equal : !equal;
  });
}

/** Splits at the commas that no backslash protects. */
function splitTerms(text: string): readonly string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescapeValue(value: string): string {
  let plain = '';
  for (let i = 0; i < value.length; i++) {
    const character = value.charAt(i);
    if (character === '=') {
      const code = character.codePointAt(0);
      throw invalidSelector(`invalid field selector: unescaped character in value: ${code}`);
    }
    if (character !== '\\') {
      plain += character;
      continue;
    }
    i++;
    const escaped = value.charAt(i);
    if (!['\\', ',', '='].includes(escaped)) {
      throw invalidSelector(`invalid field selector: invalid escape sequence: \\${escaped}`);
    }
    plain += escaped;
  }
  return plain;
}

function invalidSelector(message: string): MachineryError {
  return new MachineryError('InvalidSelector', message, {
    remedy: 'Write it like metadata.name=a,status.phase!=Running',
  });
}
