import { parseDuration } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type {
  AdmissionWebhook,
  ConvertedObject,
  DefinitionManifest,
  Kind,
  KindConversion,
  Operator,
} from '@fnlet/sdk/operator';
import type { WebHandler } from '../web-handler.ts';
import { createMutatingWebhook, createValidatingWebhook } from './admission-webhook.ts';
import type { CertificateTarget } from './certificate-target.ts';
import { type ConvertedVersion, createConversionWebhook } from './conversion-webhook.ts';
import type { WebhookPorts } from './review-handler.ts';
import { routePaths } from './route-paths.ts';
import { clientConfigAt, type WebhookEndpoint } from './webhook-endpoint.ts';

/** A webhook of an operator, with the name that the API knows it by. */
interface NamedWebhook {
  /** Unique, with the three parts that the API wants; its path is the same behind a slash. */
  readonly name: string;
  readonly webhook: AdmissionWebhook;
  /** Where its operator works. Undefined: everywhere. */
  readonly namespaces: readonly string[] | undefined;
}

/** A kind whose versions an operator converts. */
interface ConvertedKind {
  readonly kind: Kind;
  readonly conversion: KindConversion;
  /** The name of its definition. */
  readonly definition: string;
}

/** What the API has to be told about the webhooks of operators. */
export interface WebhookRegistration {
  /** Who is asked about what: applied as they are. */
  readonly configurations: readonly KubeObject[];
  /** Whose calls must trust the certificate. */
  readonly targets: readonly CertificateTarget[];
}

/**
 * The webhooks of operators: of what they declare, and of the kinds of their own that have older
 * versions.
 */
export class OperatorWebhooks {
  readonly #admission: readonly NamedWebhook[];
  readonly #conversions: readonly ConvertedKind[];

  constructor(operators: readonly Operator[]) {
    this.#admission = named(
      operators.flatMap(({ webhooks = [], namespaces }) =>
        webhooks.map((webhook) => ({ webhook, namespaces })),
      ),
    );
    const kinds = new Map(operators.map(({ for: kind }) => [definitionName(kind), kind]));
    this.#conversions = [...kinds].flatMap(([definition, kind]) =>
      isConverted(kind) ? [{ kind, conversion: kind.conversion, definition }] : [],
    );
  }

  get isEmpty(): boolean {
    return this.#admission.length + this.#conversions.length === 0;
  }

  /** Answers the calls of the API server. */
  handler(ports: WebhookPorts): WebHandler {
    const handlers = new Map<string, WebHandler>();
    for (const { name, webhook } of this.#admission) {
      const judge = webhook.judge.bind(webhook);
      const create = webhook.type === 'mutating' ? createMutatingWebhook : createValidatingWebhook;
      handlers.set(`/${name}`, create(judge, ports));
    }
    for (const { kind, conversion, definition } of this.#conversions) {
      handlers.set(conversionPath(definition), converter(kind, conversion, ports));
    }
    return routePaths(Object.fromEntries(handlers));
  }

  /** `name` is that of the configurations. */
  register(name: string, endpoint: WebhookEndpoint): WebhookRegistration {
    const groups = (['validating', 'mutating'] as const).map((type) => ({
      kind: configurationKinds[type],
      webhooks: this.#admission.filter(({ webhook }) => webhook.type === type),
    }));
    const used = groups.filter(({ webhooks }) => webhooks.length > 0);
    return {
      configurations: used.map(({ kind, webhooks }) => ({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind,
        metadata: { name },
        webhooks: webhooks.map((one) => admissionEntry(one, endpoint)),
      })),
      targets: [
        ...used.map(({ kind, webhooks }) => ({
          ...{ kind, name },
          webhooks: webhooks.map((one) => one.name),
        })),
        ...this.#conversions.map(({ definition }) => ({
          ...{ kind: 'CustomResourceDefinition' as const, name: definition },
        })),
      ],
    };
  }

  /** The definitions, those of kinds with older versions with the place where they are converted. */
  withConversions(
    definitions: readonly DefinitionManifest[],
    endpoint: WebhookEndpoint,
  ): DefinitionManifest[] {
    return definitions.map((one) => {
      const { name } = one.metadata;
      if (!this.#conversions.some(({ definition }) => definition === name)) return one;
      const clientConfig = clientConfigAt(endpoint, conversionPath(name));
      const webhook = { clientConfig, conversionReviewVersions: ['v1'] };
      return { ...one, spec: { ...one.spec, conversion: { strategy: 'Webhook', webhook } } };
    });
  }
}

const configurationKinds = {
  validating: 'ValidatingWebhookConfiguration',
  mutating: 'MutatingWebhookConfiguration',
} as const;

const verbs = { validating: 'validate', mutating: 'mutate' } as const;

/** `validate.websites.example.dev`; a second one of the same kind is `validate-2.…`. */
function named(webhooks: readonly Omit<NamedWebhook, 'name'>[]): NamedWebhook[] {
  const counts = new Map<string, number>();
  return webhooks.map((one) => {
    const { webhook } = one;
    const { group, plural } = webhook.kind;
    const place = `${plural}.${group === '' ? 'core' : group}`;
    const verb = verbs[webhook.type];
    const count = (counts.get(`${verb}.${place}`) ?? 0) + 1;
    counts.set(`${verb}.${place}`, count);
    return { ...one, name: `${verb}${count === 1 ? '' : `-${count}`}.${place}` };
  });
}

function admissionEntry(
  { name, webhook, namespaces }: NamedWebhook,
  endpoint: WebhookEndpoint,
): object {
  const { kind, terms } = webhook;
  const isEverywhere = namespaces === undefined || kind.scope === 'Cluster';
  const { operations = ['CREATE', 'UPDATE'], failurePolicy = 'Fail', timeout = '10s' } = terms;
  return {
    name,
    clientConfig: clientConfigAt(endpoint, `/${name}`),
    rules: [
      {
        apiGroups: [kind.group],
        apiVersions: [kind.version],
        resources: [kind.plural],
        operations,
        scope: kind.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
      },
    ],
    ...(isEverywhere ? {} : { namespaceSelector: namedOneOf(namespaces) }),
    // Objects that are written in another version come in this one.
    matchPolicy: 'Equivalent',
    failurePolicy,
    timeoutSeconds: Math.ceil(parseDuration(timeout) / 1000),
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
}

/** Every namespace has its name as a label. */
function namedOneOf(values: readonly string[]): object {
  return { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }] };
}

function definitionName({ group, plural }: Kind): string {
  return `${plural}.${group}`;
}

function conversionPath(definition: string): string {
  return `/convert.${definition}`;
}

function isConverted(kind: Kind): kind is Kind & { readonly conversion: KindConversion } {
  return 'conversion' in kind;
}

function converter(kind: Kind, conversion: KindConversion, ports: WebhookPorts): WebHandler {
  const { group } = kind;
  const { newest: hub } = conversion;
  const versions = Object.entries(conversion.versions).map(
    ([name, one]): [string, ConvertedVersion<KubeObject>] => [
      name,
      {
        toHub: (object) => converted(object, one.toNewest({ spec: undefined, ...object })),
        fromHub: (object) => converted(object, one.fromNewest({ spec: undefined, ...object })),
      },
    ],
  );
  const isHub = (object: KubeObject): object is KubeObject =>
    object.apiVersion === `${group}/${hub}`;
  return createConversionWebhook<KubeObject>({
    ...{ ...ports, group, hub, versions: Object.fromEntries(versions), isHub },
  });
}

function converted(
  object: KubeObject,
  { spec, annotations }: ConvertedObject<unknown>,
): KubeObject {
  if (annotations === undefined) return { ...object, spec };
  return { ...object, metadata: { ...object.metadata, annotations }, spec };
}
