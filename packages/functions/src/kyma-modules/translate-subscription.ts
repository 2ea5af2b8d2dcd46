import {
  apiVersion,
  cleanKymaType,
  type EventFilter,
  kymaBrokerName,
  kymaSubject,
  kymaSubjectAttribute,
  type TriggerObject,
  triggerCrd,
} from '@fnlet/api';
import { parseSubscription, type SubscriptionObject } from '@fnlet/api/kyma-modules';
import { errorMessage } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { compileSchema } from '@fnlet/schema';
import { describeErrors } from '../describe-errors.ts';
import { limits } from '../limits.ts';

/** What a Subscription of Kyma is in Fnlet. */
export type SubscriptionTranslation =
  | {
      readonly kind: 'translated';
      readonly trigger: Pick<TriggerObject, 'apiVersion' | 'kind' | 'metadata' | 'spec'>;
      /** The types as they were written, and as they are compared. */
      readonly types: readonly { readonly originalType: string; readonly cleanType: string }[];
      /** What of it has no counterpart, or works otherwise here. */
      readonly notices: readonly string[];
    }
  /** There can be none: why not, for people. */
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

const schema = compileSchema(triggerCrd.spec.versions[0]?.schema?.openAPIV3Schema ?? {}, {
  root: 'resource',
});

/**
 * The Trigger that does what a Subscription does, or why there is none. It never throws: whatever
 * the definition of the kind lets pass is translated or refused with a reason.
 */
export function translateSubscription(object: KubeObject): SubscriptionTranslation {
  const read = readSubscription(object);
  if (typeof read === 'string') return { kind: 'refused', reasons: [read] };
  const sink = readSink(read);
  const reasons = [...checkSpec(read), ...('problem' in sink ? [sink.problem] : [])];
  if (reasons.length > 0 || 'problem' in sink) return { kind: 'refused', reasons };
  const { metadata, spec } = read;
  const { name, namespace } = metadata;
  const trigger = {
    apiVersion,
    kind: 'Trigger',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: {
      source: { broker: { name: kymaBrokerName, from: 'newest' } },
      filters: [planFilter(spec)],
      target: { function: sink.service },
      delivery: { concurrency: Number(spec.config?.[inFlightKey] ?? defaultInFlight) },
    },
  };
  const refusals = describeErrors(schema.validate(trigger));
  if (refusals.length > 0) return { kind: 'refused', reasons: refusals };
  const isExact = spec.typeMatching === 'exact';
  const types = spec.types.map((originalType) => {
    return { originalType, cleanType: isExact ? originalType : cleanKymaType(originalType) };
  });
  const others = Object.keys(spec.config ?? {}).filter((key) => key !== inFlightKey);
  const notices = others.map((key) => `config.${key}: has no effect without SAP Event Mesh`);
  return { kind: 'translated', trigger, types, notices };
}

function readSubscription(object: KubeObject): SubscriptionObject | string {
  try {
    return parseSubscription(object);
  } catch (error) {
    return errorMessage(error);
  }
}

const inFlightKey = 'maxInFlightMessages';
const defaultInFlight = '10';

// eventing-manager, internal/controller/eventing/subscription/validator/spec.go
function checkSpec({ spec }: SubscriptionObject): readonly string[] {
  const { source, types, typeMatching = 'standard', config = {} } = spec;
  const isExact = typeMatching === 'exact';
  const repeated = types.filter((type, index) => types.indexOf(type) !== index);
  const short = types.find((type) => type.split('.').length < 2);
  const custom = isExact ? undefined : types.find((type) => type.startsWith('sap.kyma.custom'));
  const inFlight = config[inFlightKey] ?? defaultInFlight;
  const checks: readonly (readonly [boolean, string])[] = [
    [
      !isExact && typeMatching !== 'standard',
      invalid('typeMatching', typeMatching, 'must be a valid TypeMatching value exact or standard'),
    ],
    [source === '' && !isExact, invalid('source', source, 'must not be empty')],
    [types.length === 0, invalid('types', '', 'must not be empty')],
    [repeated.length > 0, invalid('types', repeated.join(','), 'must not have duplicate types')],
    [
      short !== undefined,
      short === ''
        ? invalid('types', '', 'must not be of length zero')
        : invalid('types', short ?? '', 'must have minimum 2 segments'),
    ],
    [
      custom !== undefined,
      invalid('types', custom ?? '', 'must not have sap.kyma.custom as type prefix'),
    ],
    [
      !/^[+-]?\d+$/.test(inFlight),
      invalid('config', inFlight, `${inFlightKey} must be a stringified int value`),
    ],
  ];
  return checks.flatMap(([isWrong, text]) => (isWrong ? [text] : []));
}

function invalid(field: string, value: string, text: string): string {
  return `spec.${field}: Invalid value: ${JSON.stringify(value)}: ${text}`;
}

type Sink = { readonly service: string } | { readonly problem: string };

/** The Function that a sink names. */
function readSink({ metadata, spec: { sink } }: SubscriptionObject): Sink {
  const wrong = (text: string): Sink => ({ problem: invalid('sink', sink, text) });
  if (!/^https?:/.test(sink)) return wrong("must have URL scheme 'http' or 'https'");
  if (!URL.canParse(sink)) return wrong('must be a URL');
  const { hostname, pathname, search, port } = new URL(sink);
  const [service = '', namespace, ...domain] = hostname.split('.');
  if (domain.join('.') !== 'svc.cluster.local') {
    return wrong('must be http://<service>.<namespace>.svc.cluster.local');
  }
  if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
    return wrong(`must have the same namespace as the subscriber: ${namespace}`);
  }
  if (pathname !== '/' || search !== '')
    return wrong('must have no path: a Function gets events at /');
  if (port !== '' && port !== '80') return wrong('must be at port 80, where Functions are');
  return { service };
}

/** One of its types; lists within lists where there are more than a filter may hold. */
function planFilter({ source, types, typeMatching }: SubscriptionObject['spec']): EventFilter {
  const subjects = types.map((type) =>
    typeMatching === 'exact' ? type : kymaSubject(source, type),
  );
  const one = subjects.map((subject) => ({ exact: { [kymaSubjectAttribute]: subject } }));
  const max = limits.filtersPerListMax;
  if (one.length <= max) return { any: one };
  const lists = Array.from({ length: Math.ceil(one.length / max) }, (_, index) => {
    return { any: one.slice(index * max, (index + 1) * max) };
  });
  return { any: lists };
}
