import { Worker } from 'node:worker_threads';
import { hasCode } from '@fnlet/base';
import { statusError } from '@fnlet/machinery';
import { largeYamlHeapMegabytes, largeYamlWaitingMax } from '../limits.ts';
import type { YamlBounds, YamlReading } from './parse-yaml.ts';

/**
 * Reads large texts of YAML, which takes up to seconds: each in a thread of its own, one after the
 * other, so that it holds up nobody but those who sent YAML.
 */
export class LargeYaml {
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @throws StatusError `TooManyRequests` while too many wait */
  async read(text: string, bounds: YamlBounds): Promise<YamlReading> {
    if (this.#waiting >= largeYamlWaitingMax) {
      throw statusError('TooManyRequests', 'too many large bodies in YAML, please try again later');
    }
    this.#waiting++;
    const reading = this.#last.then(() => readInThread(text, bounds));
    this.#last = reading.catch(() => {});
    try {
      return await reading;
    } finally {
      this.#waiting--;
    }
  }
}

// In a bundle it lies beside the file that this one is part of.
const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './yaml-worker.ts' : './yaml-worker.js',
  import.meta.url,
);

function readInThread(text: string, bounds: YamlBounds): Promise<YamlReading> {
  const { promise, resolve, reject } = Promise.withResolvers<YamlReading>();
  const resourceLimits = { maxOldGenerationSizeMb: largeYamlHeapMegabytes };
  const worker = new Worker(workerUrl, { workerData: { text, bounds }, resourceLimits });
  worker.once('message', (reading: YamlReading) => resolve(reading));
  worker.once('error', (error) => {
    if (hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY')) {
      resolve({ kind: 'refused', message: `limit is ${largeYamlHeapMegabytes} MB to read it` });
    } else reject(error);
  });
  worker.once('exit', () => reject(new Error('the thread that reads YAML ended')));
  return promise;
}
