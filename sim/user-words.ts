import type { KubeObject } from '@fnlet/machinery';
import type { Thing, ThingSpec } from './operators/thing.ts';

/** What users have said: the word that counts once the world has settled. */
export class UserWords {
  /** Each object as a user wrote it last, by uid. */
  readonly things: Map<string, Thing & KubeObject> = new Map();
  /** What somebody wrote into a child beside what its operator wants, by the child's uid. */
  readonly foreignFields: Map<string, string> = new Map();
  /** Objects that users made where children are to be, by uid. */
  readonly squats: Set<string> = new Set();
  /** Each part of a Bundle as a user wrote it last, by name. */
  readonly parts: Map<string, KubeObject> = new Map();
  readonly #asked = new Map<string, ThingSpec>();

  /** Remembers what the API made of a user's word. */
  hear(thing: Thing & KubeObject): void {
    const { uid = '', generation = 0 } = thing.metadata;
    this.things.set(uid, thing);
    this.#asked.set(`${uid}/${generation}`, thing.spec);
  }

  /** What this object asked for in this generation. */
  askedIn(uid: string, generation: number): ThingSpec | undefined {
    return this.#asked.get(`${uid}/${generation}`);
  }
}
