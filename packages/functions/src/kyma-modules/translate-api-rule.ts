import { apiVersion, type TriggerObject, triggerCrd } from '@fnlet/api';
import { type ApiRuleObject, parseApiRule } from '@fnlet/api/kyma-modules';
import { errorMessage, type JsonObject } from '@fnlet/base';
import { type KubeObject, parseApiVersion } from '@fnlet/machinery';
import { compileSchema } from '@fnlet/schema';
import { describeErrors } from '../describe-errors.ts';
import { Judgement, listOf, objectOf, textOf, textsOf } from './judgement.ts';
import { planAccess } from './plan-api-access.ts';
import { planCors } from './plan-api-cors.ts';
import { planApiPath } from './plan-api-path.ts';

type HttpSource = NonNullable<TriggerObject['spec']['source']['http']>;
type HttpMethod = NonNullable<HttpSource['methods']>[number];
type Trigger = Pick<TriggerObject, 'apiVersion' | 'kind' | 'metadata' | 'spec'>;

/** What an APIRule of Kyma is in Fnlet. */
export type ApiRuleTranslation =
  | {
      readonly kind: 'translated';
      /** One for each rule; the first has the name of the APIRule. */
      readonly triggers: readonly Trigger[];
      /** What of it has no counterpart, or works otherwise here. */
      readonly notices: readonly string[];
    }
  /** There can be none: why not, for people. */
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

const schema = compileSchema(triggerCrd.spec.versions[0]?.schema?.openAPIV3Schema ?? {}, {
  root: 'resource',
});

/**
 * The Triggers that do what an APIRule does, or why there are none. It never throws: whatever the
 * definition of the kind lets pass is translated or refused with a reason. A rule whose demands
 * cannot be met as they are is refused: nothing is opened wider than it was.
 */
export function translateApiRule(object: KubeObject): ApiRuleTranslation {
  const judgement = new Judgement();
  const triggers = planTriggers(object, judgement);
  for (const trigger of triggers) {
    for (const error of describeErrors(schema.validate(trigger))) judgement.refuse(error);
  }
  const { reasons, notices } = judgement;
  return reasons.length > 0
    ? { kind: 'refused', reasons }
    : { kind: 'translated', triggers, notices };
}

function planTriggers(object: KubeObject, judgement: Judgement): readonly Trigger[] {
  const read = readApiRule(object);
  if (typeof read === 'string') {
    judgement.refuse(read);
    return [];
  }
  const { name, namespace } = read.metadata;
  const isOld = parseApiVersion(object.apiVersion).version === 'v1beta1' || 'host' in read.spec;
  const rules = listOf(read.spec.rules).map(objectOf);
  if (rules.length === 0) judgement.refuse('spec.rules: found none, expected at least one');
  for (const key of ['timeout', 'externalGateway']) {
    if (read.spec[key] !== undefined) judgement.notice(`${key}: has no effect`);
  }
  const hosts = planHosts(read, isOld, judgement);
  const cors = planCors(read.spec.corsPolicy, isOld, judgement);
  return rules.map((rule, index) => ({
    apiVersion,
    kind: 'Trigger',
    metadata: {
      name: index === 0 ? name : `${name}-${index + 1}`,
      ...(namespace === undefined ? {} : { namespace }),
    },
    spec: {
      source: {
        http: {
          hosts,
          ...planRule(rule, { at: `spec.rules[${index}]`, isOld, judgement }),
          ...(cors === undefined ? {} : { cors }),
        },
      },
      target: { function: planService(read, rule, { at: `spec.rules[${index}]`, judgement }) },
    },
  }));
}

function readApiRule(object: KubeObject): ApiRuleObject | string {
  try {
    return parseApiRule(object);
  } catch (error) {
    return errorMessage(error);
  }
}

/** What a single label stands for: itself, and with the domains that lead to this machine. */
const domains = ['localhost', 'local.kyma.dev'];

function planHosts(
  { spec }: ApiRuleObject,
  isOld: boolean,
  judgement: Judgement,
): readonly string[] {
  const given = isOld ? [textOf(spec.host)] : textsOf(spec.hosts);
  const hosts = given.map((host) => host.toLowerCase()).filter((host) => host !== '');
  if (hosts.length === 0) judgement.refuse('spec.hosts: found none, expected a host');
  return [
    ...new Set(
      hosts.flatMap((host) => {
        return host.includes('.')
          ? [host]
          : [host, ...domains.map((domain) => `${host}.${domain}`)];
      }),
    ),
  ];
}

interface Place {
  readonly at: string;
  readonly judgement: Judgement;
}

const known: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

function isMethod(name: string): name is HttpMethod {
  return known.has(name);
}

function planRule(
  rule: JsonObject,
  { isOld, ...place }: Place & { readonly isOld: boolean },
): Pick<HttpSource, 'paths' | 'methods' | 'auth'> {
  const { at, judgement } = place;
  const asked = textsOf(rule.methods);
  const methods = [...new Set(asked.filter(isMethod))];
  for (const name of asked.filter((one) => !isMethod(one))) {
    judgement.notice(`${at}.methods: ${name} never reaches a function`);
  }
  if (methods.length === 0) judgement.refuse(`${at}.methods: found none that a function can have`);
  for (const key of ['timeout', 'request']) {
    if (rule[key] !== undefined) judgement.notice(`${at}.${key}: has no effect`);
  }
  const path = planApiPath(textOf(rule.path), isOld);
  if (path === undefined) {
    judgement.refuse(
      `${at}.path: found ${JSON.stringify(rule.path ?? '')}, which no path of a Trigger is`,
    );
  }
  const auth = planAccess(rule, { ...place, isOld });
  return {
    paths: [path ?? { prefix: '/' }],
    methods,
    ...(auth === undefined ? {} : { auth }),
  };
}

/** The Function that answers. */
function planService(
  { metadata, spec }: ApiRuleObject,
  rule: JsonObject,
  { at, judgement }: Place,
): string {
  const service = objectOf(rule.service ?? spec.service);
  const name = textOf(service.name);
  if (name === '') {
    judgement.refuse(`${at}.service: found no name, expected one there or in spec.service`);
  }
  const namespace = textOf(service.namespace);
  if (namespace !== '' && metadata.namespace !== undefined && namespace !== metadata.namespace) {
    judgement.refuse(
      `${at}.service: found namespace "${namespace}", expected that of the APIRule: a Trigger ` +
        'reaches Functions of its own',
    );
  }
  if (service.external === true) judgement.refuse(`${at}.service: found one that is external`);
  return name;
}
