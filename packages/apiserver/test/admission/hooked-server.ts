import { VirtualClock } from '@fnlet/base';
import { at } from '../at.ts';
import { type OpenedServer, openServer } from '../opened-server.ts';

/** What a webhook was asked. */
export interface AskedReview {
  readonly path: string;
  readonly timeout: string | null;
  readonly caPem: string | undefined;
  readonly request: Readonly<Record<string, unknown>>;
}

/** Answers a review: a response without its uid, text, or an error. */
export type AnswerReview = (
  asked: AskedReview,
  signal: AbortSignal,
) => ReviewAnswer | Promise<ReviewAnswer>;

/** The `response` of the review, the whole text of the answer, or why there is none. */
export type ReviewAnswer = Readonly<Record<string, unknown>> | string | Error;

/** A server whose webhooks are functions of the test, by the path of their address. */
export interface HookedServer extends OpenedServer {
  readonly clock: VirtualClock;
  readonly asked: readonly AskedReview[];
  readonly hooks: Map<string, AnswerReview>;
  /** Configures one webhook on ConfigMaps, unless told otherwise. */
  configure(kind: 'Mutating' | 'Validating', name: string, webhook?: object): Promise<number>;
}

export async function openHookedServer(): Promise<HookedServer> {
  const asked: AskedReview[] = [];
  const hooks = new Map<string, AnswerReview>();
  const clock = new VirtualClock();
  const opened = await openServer({
    clock,
    postToWebhook: async ({ url, caPem, body, signal }) => {
      const review: unknown = JSON.parse(body);
      const request = fields(at(review, '/request'));
      const timeout = url.searchParams.get('timeout');
      const call = { path: url.pathname, timeout, caPem, request };
      asked.push(call);
      const response = await hooks.get(url.pathname)?.(call, signal);
      if (response instanceof Error) throw response;
      if (typeof response === 'string') return { status: 200, text: response };
      if (response === undefined) return { status: 404, text: '' };
      const answer = { uid: request.uid, ...response };
      const { apiVersion, kind } = fields(review);
      return { status: 200, text: JSON.stringify({ apiVersion, kind, response: answer }) };
    },
  });
  return {
    ...opened,
    clock,
    asked,
    hooks,
    configure: async (kind, name, webhook = {}) => {
      const plural = `${kind.toLowerCase()}webhookconfigurations`;
      const one = {
        name: `${name}.example.dev`,
        clientConfig: { url: `https://hooks.test/${name}` },
        rules: [rule({})],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...webhook,
      };
      const head = { apiVersion: api, kind: `${kind}WebhookConfiguration` };
      const body = { ...head, metadata: { name }, webhooks: [one] };
      return (await opened.ask('POST', `/apis/${api}/${plural}`, { body })).status;
    },
  };
}

const api = 'admissionregistration.k8s.io/v1';

/** A rule for ConfigMaps, with changes. */
export function rule(changes: object): object {
  return {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: ['*'],
    resources: ['configmaps'],
    ...changes,
  };
}

/** A JSON patch as a webhook sends it. */
export function patching(...operations: readonly object[]): Readonly<Record<string, unknown>> {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
