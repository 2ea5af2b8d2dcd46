/**
 * Changes of objects as events.
 *
 * I1. What the objects were, and with it how far that is, is noted after the events are durable: a
 *     crash in between brings an event again, with the same id, by which the log knows it.
 * I2. What happens while it does not run is told when it runs again: from the history of the API,
 *     or, where that does not reach back so far, by comparing what there is with what there was.
 * I3. At its first start what is there already is no event; but of a kind that the API did not
 *     serve before, everything is new.
 */
import type { KubernetesSource } from '@fnlet/api';
import { canonicalJson, type JsonObject } from '@fnlet/base';
import { isOlderVersion } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { Checkpoint, Source, SourceContext } from '../source.ts';
import { changeEvent, metadataOf, withoutManagedFields } from './change-event.ts';
import type { FeedNews } from './kind-feed.ts';
import { KindFeeds, type KindFeedsOptions } from './kind-feeds.ts';
import { kubernetesLimits } from './limits.ts';
import { ObjectIndex } from './object-index.ts';
import { compileSelection, type ObjectChange, type ObjectSelection } from './object-selection.ts';
import { requireWatchAccess } from './watch-access.ts';

export interface KubernetesChangesOptions {
  readonly spec: KubernetesSource;
  readonly context: SourceContext;
  readonly feeds: KindFeeds;
}

/**
 * @throws SourceError `InvalidSource` for a selector or an expression that cannot be read
 */
export function createKubernetesChanges(options: KubernetesChangesOptions): Source {
  const { spec, context, feeds } = options;
  const selection = compileSelection(spec, context.namespace);
  return {
    async run(signal) {
      const type = await feeds.typeOf(spec.apiVersion, spec.kind).catch(async (error: unknown) => {
        await keepUnserved(context.checkpoint, ruleOf(spec));
        throw error;
      });
      const index = await ObjectIndex.open(context);
      await new KubernetesChanges({ ...options, selection, type, index }).run(signal);
    },
  };
}

/** What all Triggers that follow objects share. */
export function openKindFeeds(options: KindFeedsOptions): KindFeeds {
  return new KindFeeds(options);
}

interface Parts extends KubernetesChangesOptions {
  readonly selection: ObjectSelection;
  readonly type: ResourceType;
  readonly index: ObjectIndex;
}

class KubernetesChanges {
  readonly #parts: Parts;
  /** Which objects it follows, as text: what is known of others says nothing about these. */
  readonly #rule: string;
  #position: string | undefined;
  #trouble: string | undefined;
  #notedMs = Number.NEGATIVE_INFINITY;
  #allowedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#rule = ruleOf(parts.spec);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { context, feeds, type, spec } = this.#parts;
    await this.#requireAccess();
    const kept = await context.checkpoint.load();
    const noted = readPosition(kept, this.#rule);
    if (noted === undefined && isUnserved(kept, this.#rule)) {
      await this.#parts.index.clear();
      await this.#compare(signal);
    } else if (noted === undefined) await this.#begin(signal);
    else {
      this.#position = newerOf(noted, this.#parts.index.seen);
      // The index is partly newer than that, and the history would be told anew upon it.
      if (kept?.isComparing === true) await this.#compare(signal);
    }
    context.report({ connected: true });
    const feed = feeds.of(type, spec.metadataOnly === true);
    while (!signal.aborted) {
      for await (const news of feed.follow(this.#position ?? '', signal)) await this.#take(news);
      if (!signal.aborted) await this.#compare(signal);
    }
  }

  /** I3 */
  async #begin(signal: AbortSignal): Promise<void> {
    const { index, context } = this.#parts;
    // What was noted under another rule says nothing about what the index holds from here on.
    await context.checkpoint.save({});
    await index.clear();
    const resourceVersion = await this.#list(signal, (objects) => index.keep(objects));
    await this.#note(resourceVersion);
  }

  /** What the history does not tell any more. */
  async #compare(signal: AbortSignal): Promise<void> {
    const { index, context } = this.#parts;
    const before = { rule: this.#rule, resourceVersion: this.#position ?? '' };
    await context.checkpoint.save({ ...before, isComparing: true });
    const seen = new Set<string>();
    const resourceVersion = await this.#list(signal, async (objects) => {
      for (const object of objects) {
        seen.add(object.metadata.uid ?? '');
        await this.#changed(object, true, 'list');
      }
    });
    for (const uid of [...index.uids]) {
      const object = seen.has(uid) ? undefined : await index.read(uid);
      if (object !== undefined) await this.#changed(object, false, 'list');
    }
    await this.#note(resourceVersion);
  }

  /** Hands over the objects that it follows, page by page; returns which state that was. */
  async #list(
    signal: AbortSignal,
    take: (objects: readonly KubeObject[]) => Promise<void>,
  ): Promise<string> {
    const { feeds, type, spec, selection } = this.#parts;
    const { metadataOnly = false, labelSelector } = spec;
    const client = feeds.client.of<KubeObject>(type);
    let from: string | undefined;
    do {
      const { pageSize: limit } = kubernetesLimits;
      const page = await client.list({
        ...{ metadataOnly, limit, signal, continue: from },
        ...(labelSelector === undefined ? {} : { labelSelector }),
      });
      const objects = page.items.filter((object) => selection.selects(object));
      if (objects.length > 0) await take(objects.map((object) => this.#shown(object)));
      from = page.continue;
      if (from === undefined) return page.resourceVersion;
    } while (!signal.aborted);
    throw signal.reason;
  }

  async #take(news: FeedNews): Promise<void> {
    const { selection } = this.#parts;
    switch (news.kind) {
      case 'changed': {
        const { object, isDeleted } = news;
        const isThere = !isDeleted && selection.selects(object);
        await this.#changed(this.#shown(object), isThere, 'watch');
        await this.#progress(object.metadata.resourceVersion ?? '', kubernetesLimits.checkpointMs);
        this.#report(undefined);
        return;
      }
      case 'progressed':
        await this.#progress(news.resourceVersion, kubernetesLimits.idleCheckpointMs);
        this.#report(undefined);
        return;
      case 'troubled':
        this.#report(news.message);
        return;
      case 'expired':
        return;
    }
  }

  /**
   * @param isThere whether it is one of those that are followed, now
   * @param by what it is known by: the changes of a watch come in the order of their versions
   */
  async #changed(object: KubeObject, isThere: boolean, by: 'list' | 'watch'): Promise<void> {
    const { context, index, selection, type, spec } = this.#parts;
    const { uid = '', resourceVersion } = object.metadata;
    const known = index.versionOf(uid);
    if (isThere ? known === resourceVersion : known === undefined) return;
    const kind = isThere ? (known === undefined ? 'add' : 'update') : 'delete';
    const oldObject = kind === 'update' ? await index.read(uid) : undefined;
    const change: ObjectChange = { kind, object, oldObject };
    if (selection.passes(change)) {
      await this.#requireAccess();
      const { namespace, name, clock } = context;
      const source = `/apis/fnlet.dev/v1alpha1/namespaces/${namespace}/triggers/${name}`;
      const { content } = spec;
      await context.accept([changeEvent({ change, type, content, source, nowMs: clock.now() })]);
    }
    if (by === 'watch') {
      if (isThere) await index.change(object);
      else await index.remove(uid, resourceVersion ?? '');
    } else if (isThere) await index.keep([object]);
    else await index.forget(uid);
  }

  #shown(object: KubeObject): KubeObject {
    const plain = withoutManagedFields(object);
    const isMetadata = this.#parts.spec.metadataOnly === true;
    return isMetadata ? metadataOf({ ...plain, ...this.#kindFields() }) : plain;
  }

  /** Metadata alone come under a kind of their own. */
  #kindFields(): Pick<KubeObject, 'apiVersion' | 'kind'> {
    const { apiVersion, kind } = this.#parts.spec;
    return { apiVersion, kind };
  }

  /** An answer about rights counts for a while: those of somebody who lost them end with it. */
  async #requireAccess(): Promise<void> {
    const { context, feeds, type, spec } = this.#parts;
    const { namespace, clock } = context;
    if (clock.now() - this.#allowedMs < kubernetesLimits.accessMs) return;
    const { namespaces = [namespace], serviceAccountName: name = 'default' } = spec;
    const serviceAccount = { namespace, name };
    await requireWatchAccess({ client: feeds.client, type, namespaces, serviceAccount });
    this.#allowedMs = clock.now();
  }

  /** Notes how far it is, now and then: what comes again is known by its id. */
  async #progress(resourceVersion: string, everyMs: number): Promise<void> {
    const { clock } = this.#parts.context;
    this.#position = resourceVersion;
    if (clock.now() - this.#notedMs >= everyMs) await this.#note(resourceVersion);
  }

  /** Only news: whoever is idle tells nothing. */
  #report(trouble: string | undefined): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    const { context } = this.#parts;
    context.report(trouble === undefined ? { connected: true } : { connected: false, trouble });
  }

  async #note(resourceVersion: string): Promise<void> {
    const { checkpoint, clock } = this.#parts.context;
    this.#position = resourceVersion;
    this.#notedMs = clock.now();
    await checkpoint.save({ rule: this.#rule, resourceVersion });
  }
}

function ruleOf(spec: KubernetesSource): string {
  const { apiVersion, kind, namespaces, labelSelector, fieldSelector, metadataOnly } = spec;
  const parts = { apiVersion, kind, namespaces, labelSelector, fieldSelector, metadataOnly };
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  return canonicalJson(Object.fromEntries(given));
}

/** Unless objects of the kind are known already. */
async function keepUnserved(checkpoint: Checkpoint, rule: string): Promise<void> {
  const kept = await checkpoint.load();
  if (readPosition(kept, rule) === undefined && !isUnserved(kept, rule)) {
    await checkpoint.save({ rule, isUnserved: true });
  }
}

function isUnserved({ rule, isUnserved: unserved }: JsonObject = {}, wanted: string): boolean {
  return rule === wanted && unserved === true;
}

function newerOf(noted: string, seen: string | undefined): string {
  return seen !== undefined && isOlderVersion(noted, seen) ? seen : noted;
}

function readPosition(
  { rule, resourceVersion }: JsonObject = {},
  wanted: string,
): string | undefined {
  return rule === wanted && typeof resourceVersion === 'string' ? resourceVersion : undefined;
}
