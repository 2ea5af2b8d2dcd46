/** What there has to be in the end, told again in the most naive way. */
import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { Bundle, bundleLabel } from './operators/bundle.ts';
import { Mirror } from './operators/mirror.ts';
import { Site } from './operators/site.ts';
import type { Thing, ThingKind } from './operators/thing.ts';
import { minuteOf, Ticker } from './operators/ticker.ts';
import { Zone, zoneLabel } from './operators/zone.ts';
import { childKeyOf } from './places.ts';

/** A child that has to be there, and the part of it that its operator wants. */
export interface ExpectedChild {
  readonly kind: 'ConfigMap' | 'Deployment' | 'Service';
  readonly namespace: string;
  readonly name: string;
  /** `data` of a ConfigMap, facts of another kind. */
  readonly facts: JsonObject;
}

/** What children depend on besides their owner. */
export interface Circumstances {
  readonly nowMs: number;
  /** The parts of Bundles. */
  readonly parts: readonly KubeObject[];
}

/** Whether an operator has to care for the object now. */
export function isCaredFor(kind: ThingKind, { metadata }: Thing): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return kind.kind !== Zone.kind || metadata.labels?.[zoneLabel] !== undefined;
}

/** The children of an object that an operator cares for. */
export function expectedChildren(
  kind: ThingKind,
  { metadata, spec }: Thing,
  { nowMs, parts }: Circumstances,
): readonly ExpectedChild[] {
  const place = childKeyOf(kind, metadata.name);
  const { text, count } = spec;
  const first: ExpectedChild = { kind: 'ConfigMap', ...place, facts: { text } };
  switch (kind.kind) {
    case Site.kind:
      return [
        first,
        { kind: 'Deployment', ...place, facts: { replicas: count, text } },
        { kind: 'Service', ...place, facts: { app: place.name } },
      ];
    case Bundle.kind: {
      const own = parts.filter((part) => part.metadata.labels?.[bundleLabel] === metadata.name);
      const texts = own.map((part) => [part.metadata.name, textOf(part)]);
      return [{ ...first, facts: { text, ...Object.fromEntries(texts) } }];
    }
    case Ticker.kind:
      return [{ ...first, facts: { text, minute: String(minuteOf(nowMs)) } }];
    case Mirror.kind:
      return [first];
    default: {
      const more = Array.from({ length: count }, (_, i) => `${place.name}-${i}`);
      return [first, ...more.map((name) => ({ ...first, name }))];
    }
  }
}

function textOf({ data }: KubeObject): string {
  return isJsonObject(data) && typeof data.text === 'string' ? data.text : '';
}
