/*
 * Whether an apply would change anything, decided before it is sent.
 *
 * An identical apply mostly changes nothing on the server, but is not free, and where defaulting
 * rewrites a value or an empty list is dropped, it moves the version each time (kubernetes#131175).
 * Comparing the desired with the live object instead trips over defaults, quantities and injected
 * fields (java-operator-sdk#2249, metacontroller#863). So two digests are kept per object: of what
 * was asked for, and of the part of the server's answer that is ours. Whatever the server made of
 * the request is thereby what was asked for. When in doubt, apply: the server knows best.
 */
import { canonicalJson, jsonEqual, sha256 } from '@fnlet/base';
import { isOlderVersion } from '@fnlet/client';
import {
  equalFieldSets,
  type FieldSet,
  type KubeObject,
  type OwnerReference,
} from '@fnlet/machinery';
import type { Applied } from './apply-memory.ts';
import type { Applier, OwnedFields, OwnedFieldsReader } from './owned-fields.ts';
import { intentOf, isAsApplied, ownedPart } from './owned-part.ts';

export type WriteDecision =
  /**
   * - `Same`: the object is as desired. `applied` is what to remember from now on.
   * - `Stale`: what was read is older than an own write that made it so.
   */
  | { readonly isNeeded: false; readonly reason: 'Same'; readonly applied: Applied }
  | { readonly isNeeded: false; readonly reason: 'Stale' }
  /**
   * - `Missing`: it is not there.
   * - `Changed`: something else is desired than the last time.
   * - `Drifted`: somebody changed what is ours.
   * - `Unknown`: it cannot be told without asking the server.
   */
  | {
      readonly isNeeded: true;
      readonly reason: 'Missing' | 'Changed' | 'Drifted' | 'Unknown';
    };

/** What an apply asks for, what was read, and what is remembered. */
export interface WriteQuestion {
  readonly manifest: KubeObject;
  readonly observed: KubeObject | undefined;
  readonly applied: Applied | undefined;
  readonly applier: Applier;
  readonly reader: OwnedFieldsReader;
  /**
   * Whether `observed` holds only some fields besides its metadata: then a change of what is ours
   * shows, at best, in its generation. Default false.
   */
  readonly isPartial?: boolean;
}

/** Whether the apply has to be sent. */
export function decideWrite(question: WriteQuestion): WriteDecision {
  const { observed, applied } = question;
  if (observed === undefined) return { isNeeded: true, reason: 'Missing' };
  if (applied === undefined || applied.uid !== observed.metadata.uid) {
    return decideUnremembered(question, observed);
  }
  const decision = decideRemembered(question, { observed, applied });
  return decision.isNeeded
    ? (decideOvertaken(question, { observed, applied }) ?? decision)
    : decision;
}

interface Remembered {
  readonly observed: KubeObject;
  readonly applied: Applied;
}

function decideRemembered(
  question: WriteQuestion,
  { observed, applied }: Remembered,
): WriteDecision {
  if (applied.intent !== intentDigest(question.manifest)) {
    return { isNeeded: true, reason: 'Changed' };
  }
  const { resourceVersion = '' } = observed.metadata;
  if (resourceVersion === applied.resourceVersion) {
    return { isNeeded: false, reason: 'Same', applied: withFormOf(question, observed, applied) };
  }
  if (isOlderVersion(resourceVersion, applied.resourceVersion)) {
    return { isNeeded: false, reason: 'Stale' };
  }
  return decideMoved(question, { observed, applied });
}

/** The same version as a reader sees it who keeps less: so it is known when others have written. */
function withFormOf(
  { manifest, isPartial = false }: WriteQuestion,
  observed: KubeObject,
  applied: Applied,
): Applied {
  if (!isPartial || applied.forms.length > 1) return applied;
  const seen = formOf(observed, manifest, applied.fields);
  return applied.forms.includes(seen) ? applied : { ...applied, forms: [...applied.forms, seen] };
}

/** Somebody has written since; the question is whether to what is ours. */
function decideMoved(
  { manifest, applier, reader, isPartial = false }: WriteQuestion,
  { observed, applied }: Remembered,
): WriteDecision {
  const isDrifted = { isNeeded: true, reason: 'Drifted' } as const;
  // Caches may drop managedFields, and servers have lost them (kubernetes#136919): without any, the
  // remembered fields tell what is ours.
  if (observed.metadata.managedFields !== undefined) {
    const owned = reader.ofApplier(observed, applier);
    const isOwned = owned !== undefined && equalFieldSets(owned.fields, applied.fields);
    if (!isOwned || !isOwnedAlike(owned, manifest)) return isDrifted;
  }
  const { generation, resourceVersion = '' } = observed.metadata;
  if (isPartial && (generation === undefined || generation !== applied.generation)) {
    return { isNeeded: true, reason: 'Unknown' };
  }
  const form = formOf(observed, manifest, applied.fields);
  if (!applied.forms.includes(form)) return isDrifted;
  return { isNeeded: false, reason: 'Same', applied: { ...applied, resourceVersion } };
}

/**
 * What is remembered may be behind what another process of the same operator has applied since:
 * then the object shows exactly what is desired. Without managedFields, the fields that are
 * remembered have to be those that are desired now.
 */
function decideOvertaken(
  question: WriteQuestion,
  { observed, applied }: Remembered,
): WriteDecision | undefined {
  const { manifest, isPartial = false } = question;
  const { resourceVersion, managedFields } = observed.metadata;
  if (isPartial || !isOlderVersion(applied.resourceVersion, resourceVersion)) return undefined;
  const fields = managedFields === undefined ? applied.fields : ownFieldsOf(observed, question);
  if (fields === undefined || !isAlready(manifest, observed, fields)) return undefined;
  return { isNeeded: false, reason: 'Same', applied: appliedAs(manifest, observed, fields) };
}

/** The first look after a start: the object itself may tell that nothing is to be done. */
function decideUnremembered(question: WriteQuestion, observed: KubeObject): WriteDecision {
  const { manifest } = question;
  const fields = ownFieldsOf(observed, question);
  if (fields === undefined || !isAlready(manifest, observed, fields)) {
    return { isNeeded: true, reason: 'Unknown' };
  }
  return { isNeeded: false, reason: 'Same', applied: appliedAs(manifest, observed, fields) };
}

/** What is ours of it, if that was applied in this version and for these owners. */
function ownFieldsOf(
  observed: KubeObject,
  { manifest, applier, reader }: Pick<WriteQuestion, 'manifest' | 'applier' | 'reader'>,
): FieldSet | undefined {
  const owned = reader.ofApplier(observed, applier);
  const isAlike = owned?.apiVersion === manifest.apiVersion && isOwnedAlike(owned, manifest);
  return isAlike ? owned.fields : undefined;
}

/** Whether an apply by the owner of these fields would change nothing. */
function isAlready(manifest: KubeObject, observed: KubeObject, fields: FieldSet): boolean {
  return (
    jsonEqual(referencesOf(manifest), ownReferences(observed, manifest)) &&
    isAsApplied(intentOf(manifest), fields, { live: observed })
  );
}

/** What an apply did. */
export interface ApplyEffect {
  /** What to remember; `undefined` when the answer does not tell what is ours. */
  readonly applied: Applied | undefined;
  /** Whether the answer's version moved and the owned part changed. */
  readonly isEffective: boolean;
}

/** Reads from the answer of an apply what it did. */
export function readAnswer(
  { manifest, observed, applier, reader }: Omit<WriteQuestion, 'applied'>,
  answer: KubeObject,
): ApplyEffect {
  const owned = reader.ofApplier(answer, applier);
  const isMoved = answer.metadata.resourceVersion !== observed?.metadata.resourceVersion;
  if (owned === undefined) return { applied: undefined, isEffective: isMoved };
  const applied = appliedAs(manifest, answer, owned.fields);
  if (observed === undefined) return { applied, isEffective: isMoved };
  const seen = formOf(observed, manifest, owned.fields);
  const isChanged = !applied.forms.includes(seen);
  // The same version seen otherwise: the reader keeps less of the object, or leaves out defaults.
  const isEqualForm = !isMoved && isChanged;
  return {
    applied: isEqualForm ? { ...applied, forms: [...applied.forms, seen] } : applied,
    isEffective: isMoved && isChanged,
  };
}

function appliedAs(manifest: KubeObject, live: KubeObject, fields: FieldSet): Applied {
  const { uid = '', resourceVersion = '', generation } = live.metadata;
  const forms = [formOf(live, manifest, fields)];
  const known = generation === undefined ? {} : { generation };
  return { uid, resourceVersion, ...known, intent: intentDigest(manifest), fields, forms };
}

function intentDigest(manifest: KubeObject): string {
  return digestOf([manifest.apiVersion, referencesOf(manifest), intentOf(manifest)]);
}

function formOf(live: KubeObject, manifest: KubeObject, fields: FieldSet): string {
  const part = ownedPart(live, fields, intentOf(manifest));
  return digestOf([ownReferences(live, manifest), part]);
}

function referencesOf({ metadata }: KubeObject): readonly OwnerReference[] {
  return metadata.ownerReferences ?? [];
}

/** Whether the owner references that are ours are those that are asked for. */
function isOwnedAlike({ ownerUids }: OwnedFields, manifest: KubeObject): boolean {
  const wanted = new Set(referencesOf(manifest).map(({ uid }) => uid));
  return wanted.size === ownerUids.length && ownerUids.every((uid) => wanted.has(uid));
}

/** The live owner references to the owners that are asked for, in that order. */
function ownReferences(live: KubeObject, manifest: KubeObject): readonly unknown[] {
  const references = referencesOf(live);
  return referencesOf(manifest).map((wanted) => references.find(({ uid }) => uid === wanted.uid));
}

function digestOf(value: unknown): string {
  return sha256(canonicalJson(value)).slice(0, 32);
}
