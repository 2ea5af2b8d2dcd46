import type { Duplex } from 'node:stream';
import { errorMessage, isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { ApiContext } from '../api-context.ts';
import { webhookAnswerBytesMax } from '../limits.ts';
import { readObject } from '../object/objects.ts';
import { chooseBackend } from '../pod/proxy-target.ts';
import { type ClientConfig, webhookUrl } from './webhook-address.ts';
import type { WebhookAnswer } from './webhook-post.ts';

/** What finds and calls webhooks. */
export type WebhookPorts = Pick<
  ApiContext,
  'store' | 'catalog' | 'clock' | 'random' | 'podRuntime' | 'postToWebhook'
>;

/**
 * Sends a review to a webhook and returns the JSON object that it answers.
 *
 * @throws Error in client-go's words when there is none, or not in time
 */
export async function askWebhook(
  ports: WebhookPorts,
  client: ClientConfig,
  { review, timeoutMs }: { readonly review: JsonObject; readonly timeoutMs: number },
): Promise<JsonObject> {
  const url = webhookUrl(client);
  url.searchParams.set('timeout', `${timeoutMs / 1000}s`);
  const { signal, whenLate, stop } = deadline(ports, timeoutMs);
  try {
    const answer = await Promise.race([post(ports, client, { url, review, signal }), whenLate]);
    return parseAnswer(answer);
  } catch (error) {
    throw new Error(`failed to call webhook: ${errorMessage(error)}`, { cause: error });
  } finally {
    stop();
  }
}

interface Deadline {
  readonly signal: AbortSignal;
  readonly whenLate: Promise<never>;
  readonly stop: () => void;
}

function deadline({ clock }: WebhookPorts, timeoutMs: number): Deadline {
  const abort = new AbortController();
  const late = Promise.withResolvers<never>();
  // Nobody may be waiting for it any more.
  late.promise.catch(() => {});
  const timer = clock.after(timeoutMs, () => {
    late.reject(new Error('context deadline exceeded'));
    abort.abort();
  });
  return { signal: abort.signal, whenLate: late.promise, stop: () => timer.cancel() };
}

interface Posted {
  readonly url: URL;
  readonly review: JsonObject;
  readonly signal: AbortSignal;
}

async function post(
  ports: WebhookPorts,
  client: ClientConfig,
  { url, review, signal }: Posted,
): Promise<WebhookAnswer> {
  try {
    const connection = await connectService(ports, client, signal);
    return await ports.postToWebhook({
      ...{ url, caPem: client.caPem, signal, connection },
      body: JSON.stringify(review),
      answerBytesMax: webhookAnswerBytesMax,
    });
  } catch (error) {
    throw new Error(`Post "${url.href}": ${errorMessage(error)}`, { cause: error });
  }
}

/** A connection to one of the Pods behind a Service, which run as processes here. */
async function connectService(
  { store, catalog, random, podRuntime }: WebhookPorts,
  { target }: ClientConfig,
  signal: AbortSignal,
): Promise<Duplex | undefined> {
  if (target.kind === 'url') return undefined;
  const { namespace, name, port } = target;
  const find = (plural: string, wanted: string): KubeObject | undefined => {
    const kind = catalog.findStored('', plural);
    return kind && readObject({ store }, kind, { namespace, name: wanted })?.object;
  };
  const service = find('services', name);
  if (service === undefined) throw new Error(`service "${name}" not found`);
  const backend = chooseBackend(service, find('endpoints', name), { port: String(port), random });
  const pod = find('pods', backend.pod);
  if (pod === undefined) throw new Error(`no endpoints available for service "${name}"`);
  if (podRuntime === undefined) {
    throw new Error(`service "${name}" has Pods that nothing here can connect to`);
  }
  return await podRuntime.portForward(pod, backend.port, signal);
}

// client-go, NewGenericServerResponse.
function parseAnswer({ status, text }: WebhookAnswer): JsonObject {
  if (status === 404) throw new Error('the server could not find the requested resource');
  if (status >= 500) {
    const shown = JSON.stringify(text.trim().slice(0, 200));
    throw new Error(`an error on the server (${shown}) has prevented the request from succeeding`);
  }
  if (status < 200 || status >= 300) {
    throw new Error(`the server rejected our request with status ${status}`);
  }
  const value = parseJson(text);
  if (isJsonObject(value)) return value;
  throw new Error('the answer is no JSON object');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
