import { type FieldError, type KubeObject, nameProblems } from '@fnlet/machinery';
import { parseIp } from '@fnlet/schema';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { column, listed, none } from '../cells.ts';
import { named, portName, portNumber } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { invalid, missing } from '../refusal.ts';
import {
  about,
  child,
  each,
  fields,
  isUnset,
  must,
  oneOf,
  problemFree,
  type Rule,
  required,
  whenSet,
} from '../rule.ts';
import { loadBalancerAddresses } from './load-balancer.ts';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const wildcard = new RegExp(`^\\*\\.${label}(\\.${label})*$`);

const wildcardName = must(
  (host) => wildcard.test(String(host)),
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which " +
    "must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric " +
    `character (e.g. '*.example.com', regex used for validation is '\\*\\.${label}(\\.${label})*')`,
);

const hostName: Rule = (value, path) =>
  String(value).includes('*') ? wildcardName(value, path) : named('dns1123Subdomain')(value, path);

/** A host that a certificate is for; unlike elsewhere, the empty one is refused by its form. */
const tlsHost: Rule = (value, path) =>
  value === ''
    ? nameProblems('dns1123Subdomain', '').map((problem) => invalid(path, value, problem))
    : hostName(value, path);

const ruleHost: Rule = whenSet((value, path) => [
  ...(parseIp(String(value)) === undefined
    ? []
    : [invalid(path, value, 'must be a DNS name, not an IP address')]),
  ...hostName(value, path),
]);

/** The reference to an object of any kind in the namespace. */
export const typedReference: Rule = fields({
  apiGroup: named('dns1123Subdomain'),
  kind: required(named('pathSegment')),
  name: required(named('pathSegment')),
});

const servicePort: Rule = about((backend, path) => {
  const { name, number } = objectField(objectField(backend, 'service'), 'port');
  const at = child(path, 'service.port');
  const hasNumber = !isUnset(number) && number !== 0;
  if (!isUnset(name) && hasNumber) {
    return [invalid(path, '', 'cannot set both port name & port number')];
  }
  if (!isUnset(name)) return portName(name, child(at, 'name'));
  if (hasNumber) return portNumber(number, child(at, 'number'));
  return [missing(path, 'port name or number is required')];
});

const serviceName = fields({ name: required(named('dns1123Label')) });

/** A Service or some other object that answers. */
const backendRule: Rule = about((backend, path) => {
  const { resource, service } = backend;
  if (!isUnset(resource) && !isUnset(service)) {
    return [invalid(path, '', 'cannot set both resource and service backends')];
  }
  if (!isUnset(resource)) return typedReference(resource, child(path, 'resource'));
  if (isUnset(service)) return [invalid(path, '', 'resource or service backend is required')];
  return [...serviceName(service, child(path, 'service')), ...servicePort(backend, path)];
});

const absolute = must((path) => String(path).startsWith('/'), 'must be an absolute path');
const forbiddenSequences = ['//', '/./', '/../', '%2f', '%2F'];
const forbiddenEndings = ['/..', '/.'];

const exactPath = problemFree((path) => [
  ...(path.startsWith('/') ? [] : ['must be an absolute path']),
  ...forbiddenSequences
    .filter((sequence) => path.includes(sequence))
    .map((sequence) => `must not contain '${sequence}'`),
  ...forbiddenEndings
    .filter((ending) => path.endsWith(ending))
    .map((ending) => `cannot end with '${ending}'`),
]);

const pathRule: Rule = about((rule, path) => {
  const { pathType, path: text = '' } = rule;
  const at = child(path, 'path');
  const types = oneOf('Exact', 'ImplementationSpecific', 'Prefix');
  if (isUnset(pathType)) return [missing(child(path, 'pathType'), 'pathType must be specified')];
  const errors = types(pathType, child(path, 'pathType'));
  const isLoose = pathType === 'ImplementationSpecific';
  const textErrors: readonly FieldError[] = isLoose
    ? absolute(text, at)
    : text === ''
      ? [invalid(at, '', 'must be an absolute path')]
      : exactPath(text, at);
  return [
    ...(errors.length > 0 ? errors : textErrors),
    ...backendRule(rule.backend, child(path, 'backend')),
  ];
});

const specRule: Rule = about((spec, path) => {
  const { defaultBackend } = spec;
  const errors: FieldError[] = [];
  if (listField(spec, 'rules').length === 0 && isUnset(defaultBackend)) {
    const text = 'either `defaultBackend` or `rules` must be specified';
    errors.push(invalid(path, spec.rules ?? null, text));
  }
  return [
    ...errors,
    ...whenSet(backendRule)(defaultBackend, child(path, 'defaultBackend')),
    ...fields({
      rules: each(
        fields({ host: ruleHost, http: whenSet(fields({ paths: required(each(pathRule)) })) }),
      ),
      tls: each(fields({ hosts: each(tlsHost), secretName: named('dns1123Subdomain') })),
      ingressClassName: named('dns1123Subdomain'),
    })(spec, path),
  ];
});

const classAnnotation = 'kubernetes.io/ingress.class';

const oneClass: Rule = about((ingress, _path) => {
  const metadata = objectField(ingress, 'metadata');
  const annotated = objectField(metadata, 'annotations')[classAnnotation];
  const isNamed = !isUnset(objectField(ingress, 'spec').ingressClassName);
  if (annotated === undefined || !isNamed) return [];
  const text = 'can not be set when the class field is also set';
  return [invalid(`annotations.${classAnnotation}`, annotated, text)];
});

const shownHostsMax = 3;

function hostsCell(ingress: KubeObject): string {
  const rules = listField(objectField(ingress, 'spec'), 'rules');
  const hosts = rules.map((rule) => textField(rule, 'host')).filter((host) => host !== '');
  return listed(hosts, shownHostsMax, '*');
}

function portsCell(ingress: KubeObject): string {
  return listField(objectField(ingress, 'spec'), 'tls').length > 0 ? '80, 443' : '80';
}

function classCell(ingress: KubeObject): string {
  return textField(objectField(ingress, 'spec'), 'ingressClassName') || none;
}

/** networking.k8s.io/v1 Ingress. */
export const ingressRules: KindRules = {
  group: 'networking.k8s.io',
  kind: 'Ingress',
  plural: 'ingresses',
  columns: [
    nameColumn,
    column('Class', 'Who serves it.', classCell),
    column('Hosts', 'The names that it is for.', hostsCell),
    column('Address', 'Where it is reached.', loadBalancerAddresses),
    column('Ports', 'The ports that it listens on.', portsCell),
    ageColumn,
  ],
  prepareCreate: (ingress) => ({ ...ingress, status: { loadBalancer: {} } }),
  validate: (ingress, old, subresource) => [
    ...ingressValidation(ingress, old, subresource),
    ...(old === undefined ? oneClass(ingress, '') : []),
  ],
};

const ingressValidation = validation(fields({ spec: specRule }));
