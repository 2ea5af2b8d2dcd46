/**
 * Installs packages in Pods of their own, on the images that run them: never in a Pod that serves.
 *
 * I1. A Pod is told, and brings, what is its own: the API says which Pod it is.
 * I2. What a Pod brings is used whole, or not at all; it stays within the directory it is for.
 * I3. A Pod goes when its work is over, also one that an earlier controller has left.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Clock, errorMessage, hasCode, type Random, randomName, sleep } from '@fnlet/base';
import type { Client, ResourceClient } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { create, extract } from 'tar';
import { ArtifactError } from '../artifact-error.ts';
import { type InstallerPlace, type InstallerRun, temporaryName } from '../installer-run.ts';
import { podType } from '../instance-pod.ts';
import { clusterLimits } from './limits.ts';
import { buildLabel, exitCodeHeader, planBuildPod } from './plan-build-pod.ts';
import type { PoolTerms } from './plan-runner-pod.ts';
import type { PodIdentity } from './pod-identity.ts';
import { findPodTrouble, type PodTrouble, type TroubledPod } from './pod-trouble.ts';

export interface BuilderOptions {
  readonly client: Client;
  /** Namespace of the Pods. */
  readonly namespace: string;
  readonly terms: PoolTerms;
  readonly clock: Clock;
  readonly random: Random;
}

/** What came of a Pod. */
type BuildEnd = { readonly kind: 'brought' } | { readonly kind: 'failed'; readonly code: number };

interface Build {
  readonly run: InstallerRun;
  /** Beside the directory, with what the Pod has brought. */
  readonly archive: string;
  readonly ended: PromiseWithResolvers<BuildEnd>;
}

// What says where packages come from. Paths of this machine would only lead astray.
const passedOn =
  /^(LANG|((HTTPS?|NO|ALL)_PROXY)|NPM_CONFIG_(REGISTRY|PROXY|HTTPS_PROXY|NOPROXY|STRICT_SSL)|PIP_(INDEX_URL|EXTRA_INDEX_URL|NO_INDEX|TRUSTED_HOST|PROXY|CONFIG_FILE))$/i;

const unknownTrouble: PodTrouble = { reason: undefined, message: undefined, isOver: false };

export class Builder implements InstallerPlace {
  readonly #options: BuilderOptions;
  readonly #pods: ResourceClient<TroubledPod>;
  /** By the name of their Pod, which no other has. */
  readonly #builds = new Map<string, Build>();

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#pods = options.client.of<TroubledPod>(podType);
  }

  /** Removes what an earlier controller has left. */
  async sweep(signal: AbortSignal): Promise<void> {
    const { namespace } = this.#options;
    for await (const { metadata } of this.#pods.listAll({ labelSelector: buildLabel, signal })) {
      if (metadata.namespace === namespace) await this.#remove(metadata.name);
    }
  }

  async run(run: InstallerRun): Promise<void> {
    const { terms, namespace, random } = this.#options;
    const { runtime, command, signal } = run;
    const environment = Object.fromEntries(
      Object.entries(run.environment).filter(([name]) => passedOn.test(name)),
    );
    const name = `fnlet-build-${randomName(random, 8)}`;
    const order = { name, namespace, runtime, command, environment };
    await mkdir(join(run.directory, temporaryName), { recursive: true });
    const archive = `${run.directory}.brought`;
    const ended = Promise.withResolvers<BuildEnd>();
    run.onProgress('Waiting for a Pod that installs packages');
    try {
      this.#builds.set(name, { run, archive, ended });
      await this.#create(planBuildPod(order, terms), signal);
      const end = await this.#await(name, { run, archive, ended });
      if (end.kind === 'failed' || run.output.isIncomplete) throw run.explain(run.output.lines);
      await replaceFiles(run.directory, archive);
      await rm(join(run.directory, temporaryName), { recursive: true, force: true });
    } finally {
      this.#builds.delete(name);
      await rm(archive, { force: true });
      await this.#remove(name);
    }
  }

  /** A request of a Pod; see `plan-build-pod.ts` for what it asks. */
  async answer(
    pod: PodIdentity,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const build =
      pod.namespace === this.#options.namespace ? this.#builds.get(pod.name) : undefined;
    if (build === undefined) return void response.writeHead(404).end();
    const { run, archive, ended } = build;
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/gzip' });
      await pipeline(create({ cwd: run.directory, gzip: true, portable: true }, ['.']), response);
    } else if (request.method === 'PUT') {
      const code = Number(request.headers[exitCodeHeader] ?? Number.NaN);
      for (const line of (await readText(request)).split(/\r?\n/)) {
        if (line !== '') run.output.add(run.redact(line));
      }
      response.writeHead(200).end();
      if (code !== 0) ended.resolve({ kind: 'failed', code });
    } else if (request.method === 'POST') {
      await pipeline(request, bounded(clusterLimits.buildBytesMax), createWriteStream(archive));
      response.writeHead(200).end();
      ended.resolve({ kind: 'brought' });
    } else response.writeHead(405).end();
  }

  async #create(pod: KubeObject, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.client.of<KubeObject>(podType).create(pod, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw cannotInstall(`the API refuses its Pod: ${errorMessage(error)}`, error);
    }
  }

  /** Waits for what the Pod brings, and looks whether it still can. */
  async #await(name: string, { run, ended }: Build): Promise<BuildEnd> {
    const { clock } = this.#options;
    const { signal } = run;
    const untilMs = clock.monotonicMs() + clusterLimits.buildSeconds * 1_000;
    const over = new AbortController();
    const brought = ended.promise.finally(() => over.abort());
    let told = '';
    for (;;) {
      const waits = AbortSignal.any([signal, over.signal]);
      const end = await Promise.race([brought, sleep(clock, clusterLimits.buildLookMs, waits)]);
      if (typeof end === 'object') return end;
      signal.throwIfAborted();
      if (over.signal.aborted) continue;
      const isLate = clock.monotonicMs() > untilMs;
      const pod = await this.#look(name, signal);
      const { message, isOver } = pod === 'unknown' ? unknownTrouble : findPodTrouble(pod);
      if (isOver) throw cannotInstall(message ?? 'its Pod ended without a word');
      if (isLate) throw tooSlow(message);
      if (message !== undefined && message !== told) run.onProgress(message);
      told = message ?? told;
    }
  }

  /** An API that does not say how the Pod is ends nothing: the Pod goes on meanwhile. */
  async #look(name: string, signal: AbortSignal): Promise<TroubledPod | 'unknown'> {
    const { namespace } = this.#options;
    let pod: TroubledPod | undefined;
    try {
      pod = await this.#pods.tryGet({ namespace, name }, { signal });
    } catch {
      signal.throwIfAborted();
      return 'unknown';
    }
    if (pod === undefined) throw cannotInstall('its Pod was deleted');
    return pod;
  }

  async #remove(name: string): Promise<void> {
    const { namespace } = this.#options;
    try {
      await this.#pods.delete({ namespace, name }, { gracePeriodSeconds: 0 });
    } catch (error) {
      // One that cannot be deleted now ends by its deadline, and goes with the next controller.
      if (!hasCode(error, 'NotFound')) return;
    }
  }
}

async function replaceFiles(directory: string, archive: string): Promise<void> {
  for (const name of await readdir(directory)) {
    await rm(join(directory, name), { recursive: true, force: true });
  }
  try {
    // Paths and links that lead out are left out by the package itself.
    await pipeline(createReadStream(archive), extract({ cwd: directory, strict: true }));
  } catch (error) {
    // What this machine says, such as that its disk is full, is told as it is.
    if (error instanceof Error && 'syscall' in error) throw error;
    throw cannotInstall(`what its Pod brought is not whole: ${errorMessage(error)}`, error);
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request.pipe(bounded(2 * clusterLimits.buildOutputBytesMax))) {
    parts.push(Buffer.from(part));
  }
  return Buffer.concat(parts).toString();
}

function bounded(bytesMax: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      bytes += chunk.length;
      if (bytes > bytesMax) done(new Error(`found more than ${bytesMax} bytes`));
      else done(null, chunk);
    },
  });
}

function tooSlow(message: string | undefined): ArtifactError {
  const found = `it did not end within ${clusterLimits.buildSeconds} s`;
  return cannotInstall(message === undefined ? found : `${found}: ${message}`);
}

function cannotInstall(found: string, cause?: unknown): ArtifactError {
  return new ArtifactError(
    'InstallFailed',
    `Cannot install dependencies in a Pod: ${found}, expected it to end by itself`,
    {
      retry: 'later',
      remedy: 'Look at Pods and Events in the namespace of the installation.',
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
