import { type Random, randomName } from '@fnlet/base';

/*
 * The rules of k8s.io/apimachinery's util/validation and api/validation for names, label keys and
 * label values, in Kubernetes' own words. Each rule returns every problem that it finds.
 */

/** Which names a kind's objects may have. */
export type NameRule = 'dns1123Subdomain' | 'dns1123Label' | 'dns1035Label' | 'pathSegment';

const label1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualifiedName = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';

interface Explained {
  readonly text: string;
  readonly examples: readonly string[];
  readonly unit?: 'bytes';
}

interface Pattern {
  readonly regex: RegExp;
  readonly lengthMax: number;
  /** What Kubernetes counts, by its words: it is bytes either way. */
  readonly unit: 'bytes' | 'characters';
  readonly message: string;
}

function pattern(source: string, lengthMax: number, explained: Explained): Pattern {
  const { text, examples, unit = 'characters' } = explained;
  const shown = examples.map((example) => `'${example}'`).join(',  or ');
  return {
    regex: new RegExp(`^${source}$`),
    lengthMax,
    unit,
    message: `${text} (e.g. ${shown}, regex used for validation is '${source}')`,
  };
}

const edges = 'and must start and end with an alphanumeric character';

const patterns = {
  dns1123Subdomain: pattern(subdomain1123, 253, {
    text: `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${edges}`,
    examples: ['example.com'],
  }),
  dns1123Label: pattern(label1123, 63, {
    text: `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${edges}`,
    examples: ['my-name', '123-abc'],
  }),
  dns1035Label: pattern(label1035, 63, {
    text:
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
      'alphabetic character, and end with an alphanumeric character',
    examples: ['my-name', 'abc-123'],
  }),
  labelValue: pattern(labelValue, 63, {
    text: `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${edges}`,
    examples: ['MyValue', 'my_value', '12345'],
    unit: 'bytes',
  }),
  qualifiedName: pattern(qualifiedName, 63, {
    text: `must consist of alphanumeric characters, '-', '_' or '.', ${edges}`,
    examples: ['MyName', 'my.name', '123-abc'],
    unit: 'bytes',
  }),
} as const;

function problemsOf(text: string, rule: Pattern): string[] {
  const problems: string[] = [];
  // Every text that the patterns accept is ASCII, so for a long one bytes and characters agree.
  if (text.length > rule.lengthMax) {
    problems.push(`must be no more than ${rule.lengthMax} ${rule.unit}`);
  }
  if (rule.regex.test(text)) return problems;
  // A good subdomain is no good label for its dots alone.
  const isDotted = rule === patterns.dns1123Label && patterns.dns1123Subdomain.regex.test(text);
  return [...problems, isDotted ? 'must not contain dots' : rule.message];
}

/** Everything that is wrong with an object's name; empty when it is good. */
export function nameProblems(rule: NameRule, name: string): string[] {
  if (rule !== 'pathSegment') return problemsOf(name, patterns[rule]);
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%']
    .filter((text) => name.includes(text))
    .map((text) => `may not contain '${text}'`);
}

/** What is wrong with an object's name, in Kubernetes' words, or undefined when it is good. */
export function validateName(rule: NameRule, name: string): string | undefined {
  const problems = nameProblems(rule, name);
  return problems.length === 0 ? undefined : problems.join('; ');
}

/** Everything that is wrong with a label key, annotation key or finalizer: `[prefix/]name`. */
export function qualifiedNameProblems(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${patterns.qualifiedName.message} with an optional DNS subdomain prefix ` +
        "and '/' (e.g. 'example.com/MyName')",
    ];
  }
  const name = parts.at(-1) ?? '';
  const problems = parts.length === 2 ? prefixProblems(parts[0] ?? '') : [];
  if (name === '') problems.push('name part must be non-empty');
  problems.push(...problemsOf(name, patterns.qualifiedName).map((text) => `name part ${text}`));
  return problems;
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  const rule = { ...patterns.dns1123Subdomain, unit: 'bytes' } as const;
  return problemsOf(prefix, rule).map((text) => `prefix part ${text}`);
}

/** Everything that is wrong with a label value. */
export function labelValueProblems(value: string): string[] {
  return problemsOf(value, patterns.labelValue);
}

const generatedSuffixLength = 5;
const generatedBaseLengthMax = 63 - generatedSuffixLength;

/**
 * A name for an object that asked for one with `generateName`: the base, cut to 58 characters, and
 * five random ones (k8s.io/apiserver, storage/names). Nothing says that the name is still free.
 */
export function generateName(base: string, random: Random): string {
  return base.slice(0, generatedBaseLengthMax) + randomName(random, generatedSuffixLength);
}
