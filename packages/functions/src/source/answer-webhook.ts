import { type FunctionObject, functionType, parseFunction, syncAnnotation } from '@fnlet/api';
import type { Clock, Random } from '@fnlet/base';
import { randomName } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { ObjectKey } from '@fnlet/machinery';
import { type Secret, secretType } from '../core-kinds.ts';
import { isSignedWebhook, type WebhookDelivery } from './is-signed-webhook.ts';
import { concerns, readWebhook } from './webhook-event.ts';

/** A request to `/<namespace>/<function>` below the path of webhooks. */
export interface WebhookRequest extends WebhookDelivery {
  readonly method: string;
  readonly path: string;
}

export interface WebhookAnswer {
  readonly status: 202 | 401 | 404 | 405;
  readonly message: string;
}

export interface WebhookParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Answers a webhook. What is accepted is written down before it is answered: as a demand in the
 * annotation of the Function, which one look at the repository answers, however many come.
 */
export async function answerWebhook(
  { client, clock, random }: WebhookParts,
  request: WebhookRequest,
  signal: AbortSignal,
): Promise<WebhookAnswer> {
  if (request.method !== 'POST') return { status: 405, message: 'Webhooks are posted' };
  const key = parsePath(request.path);
  const functions = client.of<FunctionObject>(functionType);
  const found = key && (await functions.tryGet(key, { signal }));
  const git = found && parseFunction(found).spec.source.git;
  if (key === undefined || git?.webhook === undefined) {
    return { status: 404, message: 'No Function here takes webhooks (spec.source.git.webhook)' };
  }
  const { name, key: entry = 'token' } = git.webhook.secretRef;
  const secrets = client.of<Secret>(secretType);
  const secret = await secrets.tryGet({ namespace: key.namespace, name }, { signal });
  const value = Buffer.from(secret?.data?.[entry] ?? '', 'base64').toString('utf8');
  if (!isSignedWebhook(request, value)) {
    return { status: 401, message: 'The signature is missing or wrong: compare the secrets' };
  }
  const event = readWebhook(request);
  if (event.kind === 'other') return { status: 202, message: `Ignored: ${event.name}` };
  if (!concerns(event.reference, git.reference)) {
    return { status: 202, message: `Ignored: the Function does not follow ${event.reference}` };
  }
  const demand = `${new Date(clock.now()).toISOString()} ${randomName(random, 5)}`;
  const patch = { metadata: { annotations: { [syncAnnotation]: demand } } };
  await functions.patch(key, { type: 'merge', patch }, { signal });
  return { status: 202, message: 'The repository is being looked at' };
}

function parsePath(path: string): ObjectKey | undefined {
  const match = /^\/([a-z0-9-]{1,63})\/([a-z0-9-]{1,63})\/?(\?.*)?$/.exec(path);
  const [, namespace = '', name = ''] = match ?? [];
  return match === null ? undefined : { namespace, name };
}
