import { isJsonObject } from '@fnlet/base';
import {
  labelValueProblems,
  type NameRule,
  nameProblems,
  parseQuantity,
  qualifiedNameProblems,
} from '@fnlet/machinery';
import { formatCidr, maskedCidr, parseCidr, parseIp } from '@fnlet/schema';
import { invalid } from './refusal.ts';
import {
  all,
  always,
  atLeast,
  between,
  entriesOf,
  isUnset,
  must,
  oneOf,
  problemFree,
  type Rule,
} from './rule.ts';

// The forms of values that fields of many kinds have (k8s.io/apimachinery, util/validation).

/** A name that obeys one of the rules for names. */
export function named(rule: NameRule): Rule {
  return problemFree((text) => nameProblems(rule, text));
}

/** A label key, annotation key or anything else of the form `[prefix/]name`. */
export const qualifiedName: Rule = problemFree(qualifiedNameProblems);

/** As `qualifiedName`, of what must be there. */
export const labelKey: Rule = (value, path) =>
  qualifiedNameProblems(String(value ?? '')).map((problem) => invalid(path, value ?? '', problem));

/** The value of a label. */
export const labelValue: Rule = problemFree(labelValueProblems);

/** A map of labels; unlike elsewhere, problems are told at the map, not at the key. */
export const labels: Rule = (value, path) =>
  Object.entries(isJsonObject(value) ? value : {}).flatMap(([key, label]) => [
    ...qualifiedNameProblems(key).map((problem) => invalid(path, key, problem)),
    ...labelValue(label, path),
  ]);

/** A map of annotations; their values are free. */
export const annotations: Rule = (value, path) =>
  Object.keys(isJsonObject(value) ? value : {}).flatMap((key) =>
    qualifiedNameProblems(key.toLowerCase()).map((problem) => invalid(path, key, problem)),
  );

const dataKeyPattern = /^[-._a-zA-Z0-9]+$/;
const dataKeyBytesMax = 253;

/** A key of a ConfigMap or Secret, which becomes the name of a file: none is empty. */
export const dataKey: Rule = (value, path) =>
  dataKeyProblems(String(value ?? '')).map((problem) => invalid(path, value ?? '', problem));

function dataKeyProblems(key: string): readonly string[] {
  const problems: string[] = [];
  if (key.length > dataKeyBytesMax)
    problems.push(`must be no more than ${dataKeyBytesMax} characters`);
  if (!dataKeyPattern.test(key)) {
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. " +
        "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === '.') problems.push("must not be '.'");
  if (key === '..') problems.push("must not be '..'");
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}

const urlPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const urlPathPattern = new RegExp(`^${urlPath}$`);

/** A name with the domain of who gives it before, such as `acme.io/foo`. */
export const domainPrefixedPath: Rule = (value, path) => {
  if (isUnset(value)) return [];
  const [, host = '', rest = ''] = /^([^/]*)\/(.*)$/s.exec(String(value)) ?? [];
  if (host === '' || rest === '') {
    return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = named('dns1123Subdomain')(host, path);
  if (urlPathPattern.test(rest)) return errors;
  return [
    ...errors,
    invalid(path, rest, `Invalid path (regex used for validation is '${urlPath}')`),
  ];
};

/** The name of an environment variable; since Kubernetes 1.34 nearly everything is one. */
export const variableName: Rule = must(
  (name) => typeof name === 'string' && /^[ -<>-~]+$/.test(name),
  "a valid environment variable name must consist only of printable ASCII characters other than '='",
);

/** The name of an HTTP header. */
export const headerName: Rule = always(
  '',
  (name) => typeof name === 'string' && /^[-A-Za-z0-9]+$/.test(name),
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex " +
    "used for validation is '[-A-Za-z0-9]+')",
);

const portNameBytesMax = 15;

/** The name of a port, as IANA has it. */
export const portName: Rule = problemFree((name) => {
  const problems: string[] = [];
  if (name.length > portNameBytesMax) {
    problems.push(`must be no more than ${portNameBytesMax} characters`);
  }
  if (!/^[-a-z0-9]+$/.test(name)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (/^-|-$/.test(name)) problems.push('must not begin or end with a hyphen');
  return problems;
});

/** The number of a port. */
export const portNumber: Rule = between(1, 65_535);

/** A port by number or by name; the empty name is none. */
export const port: Rule = (value, path) =>
  value === ''
    ? [invalid(path, '', 'must contain at least one letter (a-z)')]
    : typeof value === 'string'
      ? portName(value, path)
      : portNumber(value, path);

/** As `port`, of what must be there. */
export const givenPort: Rule = (value, path) => port(value ?? 0, path);

/** As `portNumber`, of what must be there. */
export const givenPortNumber: Rule = (value, path) => portNumber(value ?? 0, path);

/** The protocol of a port. */
export const protocol: Rule = oneOf('SCTP', 'TCP', 'UDP');

const percent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or " +
  "'93%', regex used for validation is '[0-9]+%')";

/** A number of Pods, or a part of them. */
export const countOrPercent: Rule = (value, path) =>
  typeof value === 'string'
    ? must((text) => typeof text === 'string' && /^[0-9]+%$/.test(text), percent)(value, path)
    : atLeast(0)(value, path);

/** Not more than all. */
export const atMostAll: Rule = must(
  (value) => percentOf(value) === undefined || Number(percentOf(value)) <= 100,
  'must not be greater than 100%',
);

/** The number before the `%`; undefined for anything that is no percentage. */
export function percentOf(value: unknown): number | undefined {
  const digits = typeof value === 'string' ? /^([0-9]+)%$/.exec(value)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

const notAnAddress = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** An IPv4 or IPv6 address. */
export const ipAddress: Rule = must(
  (text) => typeof text === 'string' && parseIp(text) !== undefined,
  notAnAddress,
);

/** As `ipAddress`, of what must be there. */
export const givenIpAddress: Rule = (value, path) =>
  isUnset(value) ? [invalid(path, '', notAnAddress)] : ipAddress(value, path);

/** An IPv4 or IPv6 network, by its first address (KEP-4858). */
export const network: Rule = all(
  must(
    (text) => typeof text === 'string' && parseCidr(text) !== undefined,
    'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ),
  must((text) => {
    const cidr = parseCidr(String(text));
    return cidr === undefined || formatCidr(cidr) === formatCidr(maskedCidr(cidr));
  }, 'must not have bits set beyond the prefix length'),
);

/** A map of resources to what there is of them. */
export function quantities(name: Rule): Rule {
  return entriesOf(name, quantity);
}

/** A quantity of nothing or more. */
export const quantity: Rule = must(
  (value) => sign(value) >= 0,
  'must be greater than or equal to 0',
);

/** A quantity of something. */
export const positiveQuantity: Rule = must((value) => sign(value) > 0, 'must be greater than zero');

function sign(value: unknown): number {
  const parsed =
    typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
  return parsed === undefined || parsed.nano === 0n ? 0 : parsed.nano > 0n ? 1 : -1;
}
