import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { plainFailure } from '../answer/status-texts.ts';
import { isKubeObject, objectField, textField } from '../object/object-form.ts';

const apiVersion = 'apiextensions.k8s.io/v1';
const kind = 'ConversionReview';

/** What is to be converted, by one call. */
export interface Conversion {
  readonly uid: string;
  readonly objects: readonly KubeObject[];
  readonly desiredApiVersion: string;
}

/** The question to a conversion webhook (apiextensions.k8s.io/v1, ConversionReview). */
export function conversionReview({ uid, objects, desiredApiVersion }: Conversion): JsonObject {
  const request = { uid, desiredAPIVersion: desiredApiVersion, objects };
  return { kind, apiVersion, request };
}

/**
 * The converted objects: what a webhook says of their metadata counts for labels and annotations
 * only (apiextensions, conversion/webhook_converter.go).
 *
 * @throws Error in upstream's words
 */
export function parseConverted(review: JsonObject, asked: Conversion): readonly KubeObject[] {
  const { response } = review;
  if (!isJsonObject(response)) throw new Error('no response provided');
  const uid = textField(response, 'uid');
  if (uid !== asked.uid) throw new Error(`expected response.uid="${asked.uid}", got "${uid}"`);
  if (review.apiVersion !== apiVersion || review.kind !== kind) {
    const found = `${textField(review, 'apiVersion')}, Kind=${textField(review, 'kind')}`;
    throw new Error(`expected webhook response of ${apiVersion}, Kind=${kind}, got ${found}`);
  }
  const result = objectField(response, 'result');
  const status = textField(result, 'status');
  if (status !== 'Success') {
    const why = textField(result, 'message');
    throw new Error(why || `response.result.status was '${status}', expected 'Success'`);
  }
  const { convertedObjects } = response;
  const converted: readonly unknown[] = Array.isArray(convertedObjects) ? convertedObjects : [];
  if (converted.length !== asked.objects.length) {
    const found = `returned ${converted.length} objects, expected ${asked.objects.length}`;
    throw new Error(`webhook ${found}`);
  }
  return asked.objects.map((object, index) => {
    try {
      return checkConverted(object, converted[index], asked.desiredApiVersion);
    } catch (error) {
      const text = `webhook returned invalid converted object at index ${index}`;
      throw new Error(`${text}: ${error instanceof Error ? error.message : ''}`);
    }
  });
}

function checkConverted(before: KubeObject, after: unknown, desired: string): KubeObject {
  if (!isKubeObject(after)) throw new Error('missing metadata in converted object');
  if (after.apiVersion !== desired) {
    throw new Error(`invalid groupVersion (expected ${desired}, received ${after.apiVersion})`);
  }
  const same = (name: string, was: string | undefined, is: string | undefined): void => {
    if ((was ?? '') === (is ?? '')) return;
    throw new Error(`must have the same ${name}: ${was ?? ''} != ${is ?? ''}`);
  };
  const { metadata } = before;
  same('kind', before.kind, after.kind);
  same('name', metadata.name, after.metadata.name);
  same('namespace', metadata.namespace, after.metadata.namespace);
  same('UID', metadata.uid, after.metadata.uid);
  const { labels: _labels, annotations: _annotations, ...kept } = metadata;
  const { labels, annotations } = after.metadata;
  const free = {
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return { ...after, metadata: { ...kept, ...free } };
}

/** The failure of a conversion; `error` is told after the kind that was to be converted. */
export function conversionFailure(object: KubeObject | undefined, error: unknown): Error {
  const from = `${object?.apiVersion ?? ''}, Kind=${object?.kind ?? ''}`;
  const why = error instanceof Error ? error.message : String(error);
  return plainFailure(500, `conversion webhook for ${from} failed: ${why}`);
}
