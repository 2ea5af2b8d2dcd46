/**
 * What people do in the simulated world. No fault meets them; what comes too late, or too early, is
 * not done.
 *
 * I1. Whatever they write is remembered as the API answered it.
 */
import { hasCode, type JsonObject } from '@fnlet/base';
import type { ResourceClient } from '@fnlet/client';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import { resourceTypeOf } from '@fnlet/reconcile';
import { ClusterRole, ConfigMap, type Kind, type ObjectShape } from '@fnlet/sdk/operator';
import type { TestCluster } from '@fnlet/testing';
import type { ChildAction, Place, Toggle, UserAction, Wish } from './action.ts';
import { bundleLabel } from './operators/bundle.ts';
import { kinds } from './operators/catalogue.ts';
import { zoneLabel } from './operators/zone.ts';
import { childKeyOf, homeNamespace, keyOf, kindOf } from './places.ts';
import { roleAt } from './rights.ts';
import { UserWords } from './user-words.ts';

/** A finalizer that is none of the operators' business. */
export const foreignFinalizer = 'theirs.example.com/hold';

/** As people know it. */
const pausedAnnotation = 'fnlet.dev/paused';

const definitionType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

export class Users {
  readonly words: UserWords = new UserWords();
  readonly #cluster: TestCluster;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
  }

  /** The administrator's way to the objects of a kind. */
  of<T extends ObjectShape>(kind: Kind<T>): ResourceClient<T & KubeObject> {
    return this.#cluster.client.of<T & KubeObject>(resourceTypeOf(kind));
  }

  async act(action: UserAction): Promise<void> {
    try {
      await this.#act(action);
    } catch (error) {
      const isLate = ['NotFound', 'AlreadyExists', 'Conflict'].some((code) => hasCode(error, code));
      if (!isLate) throw error;
    }
  }

  /** Takes back what keeps operators from their work. */
  async calm(): Promise<void> {
    await this.act({ type: 'rights', level: 'all' });
    for (const kind of kinds) {
      for (const { metadata } of (await this.of(kind).list()).items) {
        const isPaused = metadata.annotations?.[pausedAnnotation] !== undefined;
        const { name } = metadata;
        if (isPaused) await this.act({ type: 'pause', kind: kind.kind, name, isOn: false });
      }
    }
  }

  async #act(action: UserAction): Promise<void> {
    switch (action.type) {
      case 'create':
        return this.#create(action);
      case 'recreate':
        await this.#delete(action);
        return this.#create(action);
      case 'change':
        return this.#patch(action, { spec: { text: action.text, count: action.count } });
      case 'delete':
        return this.#delete(action);
      case 'label':
        return this.#patch(action, {
          metadata: { labels: { [zoneLabel]: action.isOn ? 'on' : null } },
        });
      case 'pause':
        return this.#patch(action, {
          metadata: { annotations: { [pausedAnnotation]: action.isOn ? 'true' : null } },
        });
      case 'finalizer':
        return this.#hold(action);
      case 'rights':
        return void (await this.of(ClusterRole).update(roleAt(action.level)));
      case 'definition':
        return this.#redefine(action);
      case 'part':
        return this.#writePart(action);
      case 'remove part':
        this.words.parts.delete(action.name);
        return void (await this.of(ConfigMap).delete(partKey(action.name)));
      default:
        return this.#actOnChild(action);
    }
  }

  async #create({ kind: word, name, text, count }: Wish): Promise<void> {
    const kind = kindOf(word);
    const { apiVersion } = kind;
    const metadata = keyOf(kind, name);
    const thing = { apiVersion, kind: word, metadata, spec: { text, count } };
    this.words.hear(await this.of(kind).create(thing));
  }

  /** The mark of deletion is a generation of its own. */
  async #delete(place: Place): Promise<void> {
    const things = this.of(kindOf(place.kind));
    await things.delete(placeOf(place));
    const left = await things.tryGet(placeOf(place));
    if (left !== undefined) this.words.hear(left);
  }

  async #patch(place: Place, patch: JsonObject) {
    const found = await this.of(kindOf(place.kind)).patch(placeOf(place), { type: 'merge', patch });
    this.words.hear(found);
  }

  /** Adds or removes a foreign finalizer, as far as the API allows that now. */
  async #hold({ kind, name, isOn }: Toggle): Promise<void> {
    const key = placeOf({ kind, name });
    const { metadata, ...rest } = await this.of(kindOf(kind)).get(key);
    if (isOn && metadata.deletionTimestamp !== undefined) return;
    const others = (metadata.finalizers ?? []).filter((found) => found !== foreignFinalizer);
    const finalizers = isOn ? [...others, foreignFinalizer] : others;
    const held = { ...rest, metadata: { ...metadata, finalizers } };
    this.words.hear(await this.of(kindOf(kind)).update(held));
  }

  async #redefine({
    kind,
    note,
  }: Extract<UserAction, { readonly type: 'definition' }>): Promise<void> {
    const { metadata } = kindOf(kind).crd;
    const patch = { metadata: { labels: { note } }, spec: { names: { shortNames: [note] } } };
    await this.#cluster.client
      .of(definitionType)
      .patch({ namespace: '', name: metadata.name }, { type: 'merge', patch });
  }

  async #writePart({
    name,
    bundle,
    text,
  }: Extract<UserAction, { readonly type: 'part' }>): Promise<void> {
    const part = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...partKey(name), labels: { [bundleLabel]: bundle } },
      data: { text },
    };
    this.words.parts.set(name, await this.of(ConfigMap).apply(part, { force: true }));
  }

  async #actOnChild(action: ChildAction): Promise<void> {
    const key = childKeyOf(kindOf(action.kind), action.name);
    const children = this.of(ConfigMap);
    switch (action.type) {
      case 'drift': {
        const patch = { data: { text: 'drifted' } };
        return void (await children.patch(key, { type: 'merge', patch }));
      }
      case 'remove child':
        return void (await children.delete(key));
      case 'meddle': {
        const patch = { data: { theirs: action.text } };
        const { metadata } = await children.patch(key, { type: 'merge', patch });
        this.words.foreignFields.set(metadata.uid ?? '', action.text);
        return;
      }
      case 'squat': {
        const data = { theirs: 'squat' };
        const made = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data };
        const { uid = '' } = (await children.create(made)).metadata;
        this.words.squats.add(uid);
        this.words.foreignFields.set(uid, 'squat');
      }
    }
  }
}

function placeOf({ kind, name }: Place): ObjectKey {
  return keyOf(kindOf(kind), name);
}

function partKey(name: string): ObjectKey {
  return { namespace: homeNamespace, name: `part-${name}` };
}
