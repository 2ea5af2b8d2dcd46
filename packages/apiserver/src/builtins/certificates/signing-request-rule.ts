import { isJsonObject, type JsonObject, jsonEqual } from '@fnlet/base';
import { type FieldError, type KubeObject, nameProblems } from '@fnlet/machinery';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { duplicate, forbidden, invalid, missing, notSupported, tooLong } from '../refusal.ts';
import { all, each, fields, must, oneOf, type Rule, required } from '../rule.ts';

// What may stand in a CertificateSigningRequest, and what may change (pkg/apis/certificates,
// validation).

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

const once: Rule = (value, path) => {
  if (!Array.isArray(value)) return [];
  return value.flatMap((usage: unknown, index) =>
    value.indexOf(usage) < index ? [duplicate(`${path}[${index}]`, usage)] : [],
  );
};

// A domain and, as the longest path, the namespace and name of an object.
const domainBytesMax = 253;
const signerBytesMax: number = domainBytesMax + 1 + 63 + 1 + 253;

const signerName: Rule = (value, path) => {
  const name = String(value);
  if (name === 'kubernetes.io/legacy-unknown') {
    return [invalid(path, name, 'the legacy signerName is not allowed via this API version')];
  }
  const [domain = '', signer, ...rest] = name.split('/');
  if (signer === undefined || rest.length > 0) {
    const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalid(path, name, form)];
  }
  const labels = domain.split('.');
  const short = 'should be a domain with at least two segments separated by dots';
  return [
    ...(domain.length > domainBytesMax ? [tooLong(path, domainBytesMax)] : []),
    ...firstProblems(path, domain, 'dns1123Label'),
    ...(labels.length < 2 ? [invalid(path, domain, short)] : []),
    ...firstProblems(path, signer, 'dns1123Subdomain'),
    ...(name.length > signerBytesMax ? [tooLong(path, signerBytesMax)] : []),
  ];
};

/** What is wrong with the first bad one of the labels between the dots. */
function firstProblems(
  path: string,
  text: string,
  rule: 'dns1123Label' | 'dns1123Subdomain',
): readonly FieldError[] {
  const label = text.split('.').find((part) => nameProblems(rule, part).length > 0);
  if (label === undefined) return [];
  return nameProblems(rule, label).map((problem) =>
    invalid(path, text, `validating label ${JSON.stringify(label)}: ${problem}`),
  );
}

const certificateRequest: Rule = (value, path) => {
  const isRequest = /-----BEGIN CERTIFICATE REQUEST-----[^-]+-----END/.test(pemOf(value));
  return isRequest ? [] : [invalid(path, value, 'PEM block type must be CERTIFICATE REQUEST')];
};

/** The text of a field of bytes. */
export function pemOf(value: unknown): string {
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('latin1') : '';
}

/** The rules of `spec`. */
export const signingRequestSpecRule: Rule = fields({
  request: certificateRequest,
  usages: required(all(each(oneOf(...usages)), once)),
  signerName: required(signerName),
  expirationSeconds: must(
    (seconds) => typeof seconds !== 'number' || seconds >= 600,
    'may not specify a duration less than 600 seconds (10 minutes)',
  ),
});

const approved = 'Approved';
const denied = 'Denied';
const failed = 'Failed';

/** The rules of `status.conditions`: a request is approved or denied, once and for all. */
export const signingRequestConditionsRule: Rule = (value, path) => {
  const conditions = listField({ value }, 'value');
  const types = conditions.map((condition) => textField(condition, 'type'));
  return conditions.flatMap((condition, index) => {
    const at = `${path}[${index}]`;
    const type = textField(condition, 'type');
    const before = types.slice(0, index);
    const other = type === approved ? denied : type === denied ? approved : undefined;
    const isTorn = other !== undefined && before.includes(other);
    const torn = 'Approved and Denied conditions are mutually exclusive';
    return [
      ...(type === '' ? [missing(`${at}.type`)] : []),
      ...conditionStatus(condition, `${at}.status`),
      ...(isTorn ? [invalid(`${at}.type`, type, torn)] : []),
      ...(before.includes(type) ? [duplicate(`${at}.type`, type)] : []),
    ];
  });
};

function conditionStatus(condition: JsonObject, path: string): readonly FieldError[] {
  const status = textField(condition, 'status');
  const isFinal = [approved, denied, failed].includes(textField(condition, 'type'));
  const known = isFinal ? ['True'] : ['False', 'True', 'Unknown'];
  if (status === '') return [missing(path)];
  return known.includes(status) ? [] : [notSupported(path, status, known)];
}

const certificatePattern = /-----BEGIN ([A-Z0-9 ]+)-----/g;

/** The rule of `status.certificate`: certificates in PEM, and nothing else. */
export const issuedCertificateRule: Rule = (value, path) => {
  const pem = pemOf(value);
  if (pem === '') return [];
  const kinds = [...pem.matchAll(certificatePattern)].map(([, kind = '']) => kind);
  const refuse = (problem: string): FieldError => invalid(path, '<certificate data>', problem);
  const foreign = kinds.find((kind) => kind !== 'CERTIFICATE');
  if (foreign !== undefined) {
    const found = JSON.stringify(foreign);
    return [refuse(`only CERTIFICATE PEM blocks are allowed, found ${found}`)];
  }
  const none = 'must contain at least one CERTIFICATE PEM block';
  return kinds.length === 0 ? [refuse(none)] : [];
};

/** What a write to `subresource` must not change of the status. */
export function signingStatusChanges(
  next: KubeObject,
  old: KubeObject,
  subresource: string | undefined,
): readonly FieldError[] {
  const path = 'status.conditions';
  const kinds = [approved, denied, failed].map((type) => ({
    type,
    now: conditionsOf(next, type),
    before: conditionsOf(old, type),
  }));
  const errors = kinds
    .filter(({ now, before }) => now.length < before.length)
    .map(({ type }) => forbidden(path, `updates may not remove a condition of type "${type}"`));
  if (subresource !== 'approval') {
    errors.push(
      ...kinds
        .filter(({ type, now, before }) => type !== failed && now.length > before.length)
        .map(({ type }) => forbidden(path, `updates may not add a condition of type "${type}"`)),
    );
  }
  const issued = objectField(old, 'status').certificate ?? '';
  if (issued !== '' && !jsonEqual(issued, objectField(next, 'status').certificate ?? '')) {
    const text = 'updates may not modify existing certificate content';
    errors.push(forbidden('status.certificate', text));
  }
  return errors;
}

function conditionsOf(request: KubeObject, type: string): readonly JsonObject[] {
  return listField(objectField(request, 'status'), 'conditions').filter(
    (condition) => isJsonObject(condition) && condition.type === type,
  );
}
