import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { kubectlProgram } from './fnlet-process.ts';

/** A way to the Gateway that any cluster has; kubectl leads it to one Pod until that ends. */
export class Way implements AsyncDisposable {
  readonly #child: ChildProcess;
  /** Of the Gateway, without a slash at its end. */
  readonly url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** @param installation namespace that Fnlet is installed in */
  static async open(installation: string): Promise<Way> {
    const args = ['-n', installation, 'port-forward', 'service/fnlet-gateway', ':80'];
    const child = spawn(kubectlProgram(), args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout, 'data');
    const port = /127\.0\.0\.1:(\d+)/.exec(String(line))?.[1];
    assert.ok(port, `kubectl said ${line}`);
    return new Way(child, `http://127.0.0.1:${port}`);
  }

  /** What is answered; where the Gateway asks for a second of patience it has it. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    for (;;) {
      const answer = await fetch(`${this.url}${path}`, init);
      if (answer.status !== 503 || answer.headers.get('retry-after') !== '1') return answer;
      await answer.text();
      await setTimeout(1_000);
    }
  }

  /** The text of an answer, which is expected to be a success. */
  async call(path: string): Promise<string> {
    const answer = await this.fetch(path);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill();
    await once(this.#child, 'exit');
  }
}
