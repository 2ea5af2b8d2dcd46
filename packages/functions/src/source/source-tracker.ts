/**
 * Knows what the sources of Functions are that a server has to be asked about: branches and tags of
 * repositories, and archives without a checksum.
 *
 * I1. Functions that ask the same server for the same, with the same Secret, share the asking: one
 *     question at a time and for all of them, however often it is demanded meanwhile.
 * I2. One schedule serves all: a Function costs an entry here, no timer.
 * I3. What was known stays known: a server that does not answer changes nothing but what is said.
 * I4. After a restart the status of a Function is what is known, and no server is asked before the
 *     Function runs as it did.
 */
import { type FunctionSource, functionReasons, type SourceStatus } from '@fnlet/api';
import { type Clock, type Random, sha256 } from '@fnlet/base';
import type { SourceFetcher } from '@fnlet/executor';
import { formatObjectKey, type ObjectKey, toKubeTime } from '@fnlet/machinery';
import type { Result } from '@fnlet/reconcile';
import { limits } from '../limits.ts';
import { loadingFailure } from '../rollout-failure.ts';
import { decideCheck } from './decide-check.ts';
import {
  isAnswer,
  ownAnswer,
  pinSource,
  type RemoteQuestion,
  remoteQuestion,
} from './remote-source.ts';
import type { ResolvedSource, SourceTrouble } from './resolved-source.ts';
import type { SecretReader } from './secret-reader.ts';

export interface SourceTrackerOptions {
  readonly fetcher: Pick<SourceFetcher, 'resolveGit' | 'resolveArchive'>;
  readonly secrets: SecretReader;
  readonly clock: Clock;
  readonly random: Random;
  /** Asks for a call of {@link SourceTracker.check} with this key. */
  readonly schedule: (key: ObjectKey, afterMs: number) => void;
  /** What is known about the source of a Function has changed. Must only take note. */
  readonly onChange: (key: ObjectKey, news: SourceNews) => void;
}

/** What changed about a source. */
export interface SourceNews {
  readonly before: SourceStatus | undefined;
  readonly after: SourceStatus | undefined;
  readonly trouble: SourceTrouble | undefined;
}

/** A Function as it is now. */
export interface TrackedFunction {
  readonly key: ObjectKey;
  readonly source: FunctionSource;
  /** What its status says. */
  readonly known: SourceStatus | undefined;
  /** The last demand for a look at the source, by its annotation. */
  readonly sync: string | undefined;
  /** The version of the Secret that it names; another one may open what was closed. */
  readonly secretVersion: string | undefined;
}

interface Entry {
  readonly key: ObjectKey;
  readonly question: RemoteQuestion;
  readonly remote: Remote;
  found: SourceStatus | undefined;
  trouble: SourceTrouble | undefined;
  secretVersion: string | undefined;
  /** The last demand. */
  sync: string | undefined;
  /** The last demand that was answered, be it with trouble. */
  answered: string | undefined;
}

/** What a server said. */
type Answer =
  | { readonly kind: 'git'; readonly commits: ReadonlyMap<string | undefined, string> }
  | { readonly kind: 'archive'; readonly digest: string }
  | { readonly kind: 'failed'; readonly trouble: SourceTrouble };

/** One server, as one group of Functions asks it. */
interface Remote {
  readonly key: ObjectKey;
  readonly url: string;
  readonly kind: RemoteQuestion['kind'];
  readonly secret: string | undefined;
  readonly entries: Map<string, Entry>;
  failures: number;
}

export class SourceTracker {
  readonly #options: SourceTrackerOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #remotes = new Map<string, Remote>();

  constructor(options: SourceTrackerOptions) {
    this.#options = options;
  }

  /** Follows the source of a Function from now on; says what is known about it. */
  track(wanted: TrackedFunction): ResolvedSource {
    const { key, source, sync } = wanted;
    const question = remoteQuestion(source);
    if (question === undefined) {
      this.forget(key);
      const own = ownAnswer(source);
      if (own === undefined) return { kind: 'resolved', source: pinSource(source, {}) };
      const answered = sync === undefined ? {} : { syncedFor: sync };
      return { kind: 'resolved', source: pinSource(source, own), found: { ...own, ...answered } };
    }
    const entry = this.#follow(wanted, question);
    const { found, trouble } = entry;
    const told = statusOf(entry);
    if (found !== undefined) {
      return { kind: 'resolved', source: pinSource(source, found), found: told, trouble };
    }
    const { reference = 'its default branch', url } = question;
    const message = question.kind === 'git' ? `Asking ${url} for ${reference}` : `Fetching ${url}`;
    const waiting = { reason: functionReasons.preparing, message };
    return { kind: 'unresolved', found: told, ...(trouble ?? waiting) };
  }

  forget(key: ObjectKey): void {
    const id = formatObjectKey(key);
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    entry.remote.entries.delete(id);
    if (entry.remote.entries.size === 0) this.#remotes.delete(formatObjectKey(entry.remote.key));
  }

  /** Asks one server on behalf of all whose question it is; says when to ask again. */
  async check(key: ObjectKey, signal: AbortSignal): Promise<Result | undefined> {
    const remote = this.#remotes.get(formatObjectKey(key));
    if (remote === undefined) return undefined;
    // Who comes or demands later is answered by the next question.
    const asking = [...remote.entries.values()].map((entry) => ({ entry, sync: entry.sync }));
    const answer = await this.#ask(remote, signal);
    signal.throwIfAborted();
    remote.failures = this.#settle(asking, answer) ? remote.failures + 1 : 0;
    const intervalsMs = [...remote.entries.values()].map(({ question }) => question.intervalMs);
    const requeueAfterMs = decideCheck({ intervalsMs, failures: remote.failures });
    return { requeueAfterMs };
  }

  #follow(wanted: TrackedFunction, question: RemoteQuestion): Entry {
    const { key, known, sync, secretVersion } = wanted;
    const id = formatObjectKey(key);
    const before = this.#entries.get(id);
    if (before !== undefined && isSame(before.question, question)) {
      const isOpened = before.trouble !== undefined && before.secretVersion !== secretVersion;
      const isDemanded = sync !== before.sync && sync !== before.answered;
      before.secretVersion = secretVersion;
      before.sync = sync;
      if (isOpened || isDemanded) this.#options.schedule(before.remote.key, 0);
      return before;
    }
    this.forget(key);
    const remote = this.#remoteOf(key, question);
    const { syncedFor: answered, ...earlier } = known ?? {};
    const found = isAnswer(question, known) ? earlier : undefined;
    const told = { found, trouble: undefined, sync, answered };
    const entry: Entry = { key, question, remote, secretVersion, ...told };
    this.#entries.set(id, entry);
    remote.entries.set(id, entry);
    const isRestored = before === undefined && found !== undefined && answered === sync;
    this.#options.schedule(remote.key, isRestored ? this.#firstCheckMs(question) : 0);
    return entry;
  }

  // I4: those of a whole cluster do not ask at once either.
  #firstCheckMs({ intervalMs = limits.sourceFirstCheckMs }: RemoteQuestion): number {
    const { random } = this.#options;
    const spreadMs = Math.min(intervalMs, limits.sourceFirstCheckMs);
    return limits.sourceRestMs + random.next() * spreadMs;
  }

  #remoteOf({ namespace }: ObjectKey, question: RemoteQuestion): Remote {
    const { kind, url, secret } = question;
    // A Secret is of one namespace; without one the whole house shares the question.
    const owner = secret === undefined ? '' : namespace;
    const key = { namespace: owner, name: sha256(JSON.stringify([kind, url, secret ?? null])) };
    const id = formatObjectKey(key);
    const known = this.#remotes.get(id);
    if (known !== undefined) return known;
    const remote: Remote = { key, kind, url, secret, entries: new Map(), failures: 0 };
    this.#remotes.set(id, remote);
    return remote;
  }

  async #ask(remote: Remote, signal: AbortSignal): Promise<Answer> {
    const { fetcher, secrets } = this.#options;
    const { url, secret: name, kind, key, entries } = remote;
    try {
      const access = secrets.accessTo(key.namespace, name);
      const secret = await access.readSecret(signal);
      const server = { url, scope: access.scope, secret };
      if (kind === 'archive') {
        return { kind, digest: await fetcher.resolveArchive(server, { signal }) };
      }
      const references = [...entries.values()].map(({ question }) => question.reference);
      const unique = [...new Set(references)];
      return { kind, commits: await fetcher.resolveGit(server, unique, { signal }) };
    } catch (error) {
      const { reason, message } = loadingFailure(error);
      return { kind: 'failed', trouble: { reason, message } };
    }
  }

  /** Tells everybody who asked; returns whether somebody was not told what the source is. */
  #settle(
    asking: readonly { readonly entry: Entry; readonly sync: string | undefined }[],
    answer: Answer,
  ): boolean {
    let isMissing = false;
    for (const { entry, sync } of asking) {
      // Somebody may have changed the question meanwhile.
      if (this.#entries.get(formatObjectKey(entry.key)) !== entry) continue;
      const before = entry.found;
      const saidBefore = JSON.stringify([entry.trouble, entry.answered]);
      const told = readAnswer(answer, entry.question);
      isMissing ||= 'trouble' in told;
      entry.trouble = 'trouble' in told ? told.trouble : undefined;
      entry.found = 'found' in told ? this.#date(before, told.found) : before;
      entry.answered = sync;
      const { found: after, trouble } = entry;
      if (before === after && saidBefore === JSON.stringify([trouble, sync])) continue;
      this.#options.onChange(entry.key, { before, after, trouble });
    }
    return isMissing;
  }

  /** What was found, with when it was found first. */
  #date(before: SourceStatus | undefined, now: SourceStatus): SourceStatus {
    const isSame = before?.commit === now.commit && before?.digest === now.digest;
    if (before !== undefined && isSame) return before;
    return { ...now, fetchedAt: toKubeTime(this.#options.clock.now()) };
  }
}

function statusOf({ found, answered }: Entry): SourceStatus | undefined {
  if (answered === undefined) return found;
  return { ...found, syncedFor: answered };
}

/** What one question has to do with what a server said. */
function readAnswer(
  answer: Answer,
  { url, reference }: RemoteQuestion,
): { readonly found: SourceStatus } | { readonly trouble: SourceTrouble } {
  switch (answer.kind) {
    case 'failed':
      return { trouble: answer.trouble };
    case 'archive':
      return { found: { url, digest: answer.digest } };
    case 'git': {
      const commit = answer.commits.get(reference);
      if (commit === undefined) return { trouble: noReference(url, reference) };
      return { found: { url, ...(reference === undefined ? {} : { reference }), commit } };
    }
  }
}

function noReference(url: string, reference: string | undefined): SourceTrouble {
  const reason = functionReasons.sourceNotFound;
  const place = `Cannot find "${reference ?? 'HEAD'}" in ${url}`;
  const isShort = /^[0-9a-f]{7,39}$/i.test(reference ?? '');
  const expected = isShort
    ? 'a shortened commit cannot be asked for, expected its 40 digits'
    : 'expected a branch or tag that exists';
  return { reason, message: `${place}: found no branch and no tag of this name, ${expected}` };
}

function isSame(a: RemoteQuestion, b: RemoteQuestion): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
