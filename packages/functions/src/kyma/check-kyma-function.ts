/**
 * What Kyma's controller finds wrong with a Function that has passed its schema, in its words: they
 * stand in the condition ConfigurationReady, where people and programs look for them.
 */
import type { KymaFunctionObject, KymaFunctionSpec } from '@fnlet/api/kyma';
import {
  compareQuantities,
  labelValueProblems,
  nameProblems,
  parseQuantity,
  type Quantity,
  qualifiedNameProblems,
} from '@fnlet/machinery';

/** Everything that is wrong with it; empty when nothing is. */
export function checkKymaFunction({ spec }: KymaFunctionObject): readonly string[] {
  return [
    ...checkNames(spec),
    ...checkOrigins(spec),
    ...checkDependencies(spec),
    ...checkSecretMounts(spec),
    ...checkLabels(spec.labels),
    ...checkAnnotations(spec.annotations),
    ...checkRepository(spec),
    ...checkResources(spec),
  ];
}

// core/v1 EnvVarSource
function checkOrigins({ env = [] }: KymaFunctionSpec): readonly string[] {
  return env
    .filter(({ valueFrom }) => Object.keys(valueFrom ?? {}).length > 1)
    .map(
      ({ name }) => `spec.env: ${name}. Err: may not have more than one field specified at a time`,
    );
}

const namePattern = '[-._a-zA-Z][-._a-zA-Z0-9]*';

const nameText =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or " +
  "'.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or " +
  `'MyEnvName1', regex used for validation is '${namePattern}')`;

function checkNames({ env = [] }: KymaFunctionSpec): readonly string[] {
  const wrong = env.find(({ name }) => envNameProblems(name).length > 0)?.name;
  if (wrong === undefined) return [];
  return envNameProblems(wrong).map((text) => `spec.env: ${wrong}. Err: ${text}`);
}

// k8s.io/apimachinery, util/validation IsEnvVarName
function envNameProblems(name: string): string[] {
  const problems = new RegExp(`^${namePattern}$`).test(name) ? [] : [nameText];
  if (name === '.') return [...problems, "must not be '.'"];
  if (name === '..') return [...problems, "must not be '..'"];
  return name.startsWith('..') ? [...problems, "must not start with '..'"] : problems;
}

function checkDependencies({ runtime, source }: KymaFunctionSpec): readonly string[] {
  const text = source.inline?.dependencies?.trim() ?? '';
  if (text === '' || !runtime.startsWith('nodejs')) return [];
  if (text.startsWith('{') && text.endsWith('}')) return [];
  return ["invalid source.inline.dependencies value: deps should start with '{' and end with '}'"];
}

function checkSecretMounts({ secretMounts = [] }: KymaFunctionSpec): readonly string[] {
  const names = secretMounts.map(({ secretName }) => secretName);
  const problems = names.flatMap((name) => nameProblems('dns1123Subdomain', name));
  if (new Set(names).size < names.length) problems.push('secretNames should be unique');
  return problems.length === 0 ? [] : [`invalid spec.secretMounts: [${problems.join(' ')}]`];
}

function checkLabels(labels: KymaFunctionSpec['labels'] = {}): readonly string[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((text) => invalid('spec.labels', key, text)),
    ...labelValueProblems(value).map((text) => invalid('spec.labels', value, text)),
  ]);
}

// k8s.io/apimachinery, api/validation TotalAnnotationSizeLimitB
const annotationBytesMax = 262_144;

function checkAnnotations(annotations: KymaFunctionSpec['annotations'] = {}): readonly string[] {
  const entries = Object.entries(annotations);
  const bytes = Buffer.byteLength(entries.flat().join(''));
  return [
    ...entries.flatMap(([key]) =>
      qualifiedNameProblems(key.toLowerCase()).map((text) => {
        return invalid('spec.annotations', key, text);
      }),
    ),
    ...(bytes > annotationBytesMax
      ? [`spec.annotations: Too long: may not be more than ${annotationBytesMax} bytes`]
      : []),
  ];
}

function invalid(path: string, value: string, text: string): string {
  return `${path}: Invalid value: ${JSON.stringify(value)}: ${text}`;
}

// What Kyma takes for an address over SSH; any other must be an absolute URI.
const sshPattern = /((git|ssh)|(git@[\w.]+))(:(\/\/)?)([\w.@:/\-~]+)(\/)?/;

function checkRepository({ source: { gitRepository } }: KymaFunctionSpec): readonly string[] {
  const { url = '' } = gitRepository ?? {};
  const isKnown = gitRepository === undefined || sshPattern.test(url) || URL.canParse(url);
  if (isKnown || url.startsWith('/')) return [];
  const text = 'invalid URI for request';
  return [`source.gitRepository.URL: parse ${JSON.stringify(url)}: ${text}`];
}

/** The least that Kyma lets a container have; its check of CPU has never had an effect. */
const memoryMin = '16Mi';

function checkResources({ resourceConfiguration }: KymaFunctionSpec): readonly string[] {
  const { limits = {}, requests = {} } = resourceConfiguration?.function?.resources ?? {};
  const problems: string[] = [];
  for (const [kind, { memory }] of [
    ['limits', limits],
    ['request', requests],
  ] as const) {
    if (isBelow(memory, memoryMin)) {
      problems.push(
        `Function ${kind} memory(${memory}) should be higher than minimal value (${memoryMin})`,
      );
    }
  }
  for (const name of ['cpu', 'memory']) {
    const [limit, request] = [limits[name], requests[name]];
    if (request !== undefined && isBelow(limit, request)) {
      problems.push(
        `Function limits ${name}(${limit}) should be higher than requests ${name}(${request})`,
      );
    }
  }
  return problems;
}

function isBelow(value: string | number | undefined, bound: string | number): boolean {
  const [found, least] = [quantityOf(value), quantityOf(bound)];
  return found !== undefined && least !== undefined && compareQuantities(found, least) < 0;
}

function quantityOf(text: string | number | undefined): Quantity | undefined {
  return text === undefined ? undefined : parseQuantity(text);
}
