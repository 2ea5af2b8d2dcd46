import { apiVersion, type TriggerObject, triggerCrd } from '@fnlet/api';
import { type HttpTriggerObject, parseHttpTrigger } from '@fnlet/api/kubeless';
import { errorMessage } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { compileSchema } from '@fnlet/schema';
import { describeErrors } from '../describe-errors.ts';

type HttpSource = NonNullable<TriggerObject['spec']['source']['http']>;

/** What an HTTPTrigger of Kubeless is in Fnlet. */
export type HttpTriggerTranslation =
  | {
      readonly kind: 'translated';
      readonly trigger: Pick<TriggerObject, 'apiVersion' | 'kind' | 'metadata' | 'spec'>;
      /** What of it has no counterpart, or works otherwise here. */
      readonly notices: readonly string[];
    }
  /** There can be none: why not, for people. */
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

const schema = compileSchema(triggerCrd.spec.versions[0]?.schema?.openAPIV3Schema ?? {}, {
  root: 'resource',
});

/**
 * The Trigger that does what an HTTPTrigger does, or why there is none. It never throws: whatever
 * the definition of the kind lets pass is translated or refused with a reason.
 */
export function translateHttpTrigger(object: KubeObject): HttpTriggerTranslation {
  const read = readHttpTrigger(object);
  if (typeof read === 'string') return { kind: 'refused', reasons: [read] };
  const { metadata, spec } = read;
  const { name, namespace } = metadata;
  const trigger = {
    apiVersion,
    kind: 'Trigger',
    metadata: {
      ...{ name, ...(namespace === undefined ? {} : { namespace }) },
      labels: { 'created-by': 'kubeless' },
    },
    spec: { source: { http: planSource(spec) }, target: { function: spec['function-name'] } },
  };
  const refusals = describeErrors(schema.validate(trigger));
  if (refusals.length > 0) return { kind: 'refused', reasons: refusals };
  return { kind: 'translated', trigger, notices: planNotices(read) };
}

function readHttpTrigger(object: KubeObject): HttpTriggerObject | string {
  try {
    return parseHttpTrigger(object);
  } catch (error) {
    return errorMessage(error);
  }
}

function planSource(spec: HttpTriggerObject['spec']): HttpSource {
  const { 'host-name': host = '', 'basic-auth-secret': secret = '' } = spec;
  const path = (spec.path ?? '').replace(/^\/+|\/+$/g, '');
  // What Kubeless's nginx was told to: it took off what matched, the others passed it on.
  const isTakenOff = spec.gateway === 'nginx' && path !== '';
  return {
    ...(host === '' ? {} : { hosts: [host.toLowerCase()] }),
    ...(path === '' ? {} : { paths: [{ prefix: `/${path}` }] }),
    ...(isTakenOff ? { rewrite: { path: '/' } } : {}),
    ...(secret === '' ? {} : { auth: { anyOf: [{ basic: { secret } }] } }),
    ...(spec['cors-enable'] === true ? { cors: { origins: ['*'], maxAge } } : {}),
  };
}

// For as long as ingress-nginx lets browsers remember it: 1 728 000 seconds.
const maxAge = '480h';

function planNotices({ metadata, spec }: HttpTriggerObject): readonly string[] {
  const certificate = 'has no effect: which certificates the Gateway shows is said when it starts';
  const annotations = Object.keys(metadata.annotations ?? {}).filter(
    (key) => !key.startsWith('kubectl.kubernetes.io/'),
  );
  return [
    ...(spec.tls === true ? [`tls ${certificate}`] : []),
    ...((spec['tls-secret'] ?? '') === '' ? [] : [`tls-secret ${certificate}`]),
    ...annotations.map((key) => `annotation ${key} has no effect: there is no Ingress`),
  ];
}
