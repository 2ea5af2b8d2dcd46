import { isJsonObject, type JsonObject } from '@fnlet/base';
import { formatApiVersion, type KubeObject, parseApiVersion } from '@fnlet/machinery';
import type { WebHandler } from '../web-handler.ts';
import { createReviewHandler, type WebhookPorts } from './review-handler.ts';

/** One version of a kind beside its hub; both ways must keep what the other version cannot say. */
export interface ConvertedVersion<Hub extends KubeObject> {
  readonly toHub: (object: KubeObject) => Hub;
  readonly fromHub: (object: Hub) => KubeObject;
}

/** The versions of a kind, around the one that all others are converted from and to. */
export interface ConversionOptions<Hub extends KubeObject> extends WebhookPorts {
  readonly group: string;
  readonly hub: string;
  /** By name, such as `v1beta1`; without the hub. */
  readonly versions: Readonly<Record<string, ConvertedVersion<Hub>>>;
  /** Tells an object of the hub's version by its apiVersion alone, which the server has checked. */
  readonly isHub: (object: KubeObject) => object is Hub;
}

/**
 * A conversion webhook (apiextensions.k8s.io/v1, ConversionReview): converts through one hub, so
 * that n versions need n pairs of functions. When one object cannot be converted, none is. The API
 * server takes nothing of the metadata but labels and annotations.
 */
export function createConversionWebhook<Hub extends KubeObject>(
  options: ConversionOptions<Hub>,
): WebHandler {
  const { clock, logger } = options;
  return createReviewHandler({
    clock,
    logger,
    kind: 'ConversionReview',
    review: (request) => Promise.resolve().then(() => convertAll(options, request)),
    failed: (message) => ({ convertedObjects: [], result: { status: 'Failure', message } }),
  });
}

function convertAll<Hub extends KubeObject>(
  options: ConversionOptions<Hub>,
  { desiredAPIVersion, objects }: JsonObject,
): JsonObject {
  if (typeof desiredAPIVersion !== 'string' || !Array.isArray(objects)) {
    throw new Error('Cannot convert: expected desiredAPIVersion and objects');
  }
  const convertedObjects = objects.map((object: unknown) => {
    if (!isVersioned(object)) throw new Error('Cannot convert: expected objects with apiVersion');
    return convert(options, object, desiredAPIVersion);
  });
  return { convertedObjects, result: { status: 'Success' } };
}

function convert<Hub extends KubeObject>(
  { group, hub, versions, isHub }: ConversionOptions<Hub>,
  object: KubeObject,
  desired: string,
): KubeObject {
  if (object.apiVersion === desired) return object;
  const hubVersion = formatApiVersion({ group, version: hub });
  const conversionOf = (apiVersion: string): ConvertedVersion<Hub> => {
    const { group: found, version } = parseApiVersion(apiVersion);
    const known = Object.hasOwn(versions, version) ? versions[version] : undefined;
    if (found === group && known !== undefined) return known;
    throw new Error(`Cannot convert "${object.metadata.name}": unknown version ${apiVersion}`);
  };
  const isFromHub = object.apiVersion === hubVersion && isHub(object);
  const middle = isFromHub ? object : conversionOf(object.apiVersion).toHub(object);
  if (desired === hubVersion) return { ...middle, apiVersion: desired };
  return { ...conversionOf(desired).fromHub(middle), apiVersion: desired };
}

function isVersioned(value: unknown): value is KubeObject {
  return (
    isJsonObject(value) && typeof value.apiVersion === 'string' && isJsonObject(value.metadata)
  );
}
