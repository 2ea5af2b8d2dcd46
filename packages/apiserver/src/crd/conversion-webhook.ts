import type { CustomResourceDefinition, KubeObject } from '@fnlet/machinery';
import { parseClientConfig } from '../admission/webhook-address.ts';
import { askWebhook, type WebhookPorts } from '../admission/webhook-client.ts';
import { conversionBatchMax, conversionTimeoutMs } from '../limits.ts';
import type { ConvertObjects } from '../resource/strategy.ts';
import { conversionFailure, conversionReview, parseConverted } from './conversion-review.ts';

/**
 * What converts the objects of a definition between its versions; `undefined` where they differ in
 * nothing but what they know (strategy None).
 */
export function conversionOf(
  ports: WebhookPorts,
  { spec: { conversion } }: CustomResourceDefinition,
): ConvertObjects | undefined {
  if (conversion?.strategy !== 'Webhook') return undefined;
  const client = parseClientConfig(conversion.webhook?.clientConfig ?? {});
  return async (objects, desiredApiVersion) => {
    const converted: KubeObject[] = [];
    for (let start = 0; start < objects.length; start += conversionBatchMax) {
      const batch = objects.slice(start, start + conversionBatchMax);
      const asked = { uid: ports.random.uuid(), objects: batch, desiredApiVersion };
      try {
        const review = conversionReview(asked);
        const answer = await askWebhook(ports, client, { review, timeoutMs: conversionTimeoutMs });
        converted.push(...parseConverted(answer, asked));
      } catch (error) {
        throw conversionFailure(batch[0], error);
      }
    }
    return converted;
  };
}
