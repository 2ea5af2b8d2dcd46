import { apiVersion, type TriggerObject } from '@fnlet/api';
import { type HttpTriggerObject, parseHttpTrigger } from '@fnlet/api/kubeless';
import { errorMessage } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { findTriggerMistakes, type PlannedTrigger } from './trigger-mistakes.ts';

type HttpSource = NonNullable<TriggerObject['spec']['source']['http']>;

/** What an HTTPTrigger of Kubeless is in Fnlet. */
export type HttpTriggerTranslation =
  | {
      readonly kind: 'translated';
      readonly trigger: PlannedTrigger;
      /** What of it has no counterpart, or works otherwise here. */
      readonly notices: readonly string[];
    }
  /** There can be none: why not, for people. */
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

/**
 * The Trigger that does what an HTTPTrigger does, or why there is none. It never throws: whatever
 * the definition of the kind lets pass is translated or refused with a reason.
 */
export function translateHttpTrigger(object: KubeObject): HttpTriggerTranslation {
  const read = readHttpTrigger(object);
  if (typeof read === 'string') return { kind: 'refused', reasons: [read] };
  const { metadata, spec } = read;
  const { name, namespace } = metadata;
  if (spec.tls === true && hasText(spec['tls-secret'])) {
    const reason = 'tls, tls-secret: found both, expected one of them';
    return { kind: 'refused', reasons: [reason] };
  }
  const trigger = {
    apiVersion,
    kind: 'Trigger',
    metadata: {
      ...{ name, ...(namespace === undefined ? {} : { namespace }) },
      labels: { 'created-by': 'kubeless' },
    },
    spec: { source: { http: planSource(spec) }, target: { function: spec['function-name'] } },
  };
  const refusals = findTriggerMistakes(trigger);
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
  const { 'tls-secret': certificate } = spec;
  const path = (spec.path ?? '').replace(/^\/+|\/+$/g, '');
  // What Kubeless's nginx was told to: it took off what matched, the others passed it on.
  const isTakenOff = spec.gateway === 'nginx' && path !== '';
  return {
    ...(host === '' ? {} : { hosts: [host.toLowerCase()] }),
    ...(path === '' ? {} : { paths: [{ prefix: `/${path}` }] }),
    ...(isTakenOff ? { rewrite: { path: '/' } } : {}),
    ...(host === '' || !hasText(certificate) ? {} : { tls: { secretName: certificate } }),
    ...(secret === '' ? {} : { auth: { anyOf: [{ basic: { secret } }] } }),
    ...(spec['cors-enable'] === true ? { cors: { origins: ['*'], maxAge } } : {}),
  };
}

// For as long as ingress-nginx lets browsers remember it: 1 728 000 seconds.
const maxAge = '480h';

const madeCertificate =
  'tls gets no certificate from an authority: the Gateway shows one that it makes, and serves ' +
  'requests without TLS, too';

function hasText(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

function planNotices({ metadata, spec }: HttpTriggerObject): readonly string[] {
  const annotations = Object.keys(metadata.annotations ?? {}).filter(
    (key) => !key.startsWith('kubectl.kubernetes.io/'),
  );
  return [
    ...(spec.tls === true ? [madeCertificate] : []),
    ...(hasText(spec['tls-secret']) && !hasText(spec['host-name'])
      ? ['tls-secret has no effect without host-name']
      : []),
    ...annotations.map((key) => `annotation ${key} has no effect: there is no Ingress`),
  ];
}
