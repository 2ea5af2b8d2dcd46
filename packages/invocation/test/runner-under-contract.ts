import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http, { type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { LoadFailure, RunnerCommand, RunnerReport, Specialisation } from '@fnlet/invocation';

/** What a test gives a Runner. */
export interface StartOptions {
  readonly files: Readonly<Record<string, string>>;
  readonly handler?: string;
  readonly runtime?: string;
  readonly compatibility?: Specialisation['compatibility'];
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Partial<Specialisation['limits']>;
}

/** A program and its first arguments, such as `['ruby', '/path/runner.rb']`. */
export type RunnerProgram = readonly [program: string, ...args: readonly string[]];

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly bytes: Buffer;
}

export interface CallOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

/** Far more than anything here takes: a Runner that hangs fails its test instead of holding it. */
const patienceMs = 30_000;

const cacheDirectory = join(tmpdir(), 'fnlet-runner-test-cache');

/** A real Runner in a process of its own, with a directory that goes away with it. */
export class RunnerUnderContract implements AsyncDisposable {
  readonly directory: string;
  readonly process: ChildProcess;
  readonly control: Duplex;
  readonly #exit: Promise<unknown[]>;
  readonly #reports: RunnerReport[] = [];
  #onReport: (() => void) | undefined;
  #log = '';

  /** Starts a Runner that has no code yet. */
  constructor([program, ...first]: RunnerProgram, host = '127.0.0.1') {
    this.directory = mkdtempSync(join(tmpdir(), 'fnlet-runner-'));
    const args = ['--socket', this.socketPath, '--host', host, '--port', '0'];
    this.process = spawn(program, [...first, ...args, '--cache', cacheDirectory], {
      env: {},
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#exit = once(this.process, 'exit');
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        this.#log += chunk;
      });
    }
    const control = this.process.stdio[3];
    if (!isDuplex(control)) throw new Error('found no control channel');
    this.control = control;
    this.#readReports();
  }

  #readReports(): void {
    let rest = '';
    this.control.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#reports.push(JSON.parse(line));
      this.#onReport?.();
    });
    this.control.on('error', () => {});
  }

  /** Starts a Runner and loads these files. */
  static async start(program: RunnerProgram, options: StartOptions): Promise<RunnerUnderContract> {
    const runner = new RunnerUnderContract(program);
    await runner.nextReport();
    runner.specialise(options);
    const report = await runner.outcome();
    if (report.type === 'ready') return runner;
    await runner[Symbol.asyncDispose]();
    throw new Error(`found ${JSON.stringify(report)}, expected ready`);
  }

  /** Starts a Runner whose code does not load. */
  static async fail(program: RunnerProgram, options: StartOptions): Promise<LoadFailure> {
    await using runner = new RunnerUnderContract(program);
    await runner.nextReport();
    runner.specialise(options);
    const report = await runner.outcome();
    if (report.type === 'failed') return report.failure;
    throw new Error(`found ${JSON.stringify(report)}, expected failed`);
  }

  get socketPath(): string {
    return join(this.directory, 'runner.sock');
  }

  get sourceDirectory(): string {
    return join(this.directory, 'source');
  }

  get log(): string {
    return this.#log;
  }

  /** `complete` may add to the source, before the Runner is told of it. */
  specialise(options: StartOptions, complete?: (directory: string) => void): void {
    mkdirSync(this.sourceDirectory);
    for (const [name, text] of Object.entries(options.files)) {
      const path = join(this.sourceDirectory, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    complete?.(this.sourceDirectory);
    this.send({
      type: 'specialise',
      specialisation: {
        namespace: 'demo',
        function: 'hello',
        revision: 'hello-1a2b3c',
        instance: 'hello-1a2b3c-xyzzy',
        runtime: options.runtime ?? 'nodejs24',
        sourceDirectory: this.sourceDirectory,
        handler: options.handler ?? 'default',
        ...(options.compatibility === undefined ? {} : { compatibility: options.compatibility }),
        env: options.env ?? {},
        limits: { timeoutMs: 10_000, bodyBytesMax: 1_000_000, drainMs: 5_000, ...options.limits },
      },
    });
  }

  send(command: RunnerCommand): void {
    this.control.write(`${JSON.stringify(command)}\n`);
  }

  async nextReport(): Promise<RunnerReport> {
    for (;;) {
      const report = this.#reports.shift();
      if (report !== undefined) return report;
      const news = Promise.race([
        new Promise<void>((resolve) => {
          this.#onReport = resolve;
        }),
        this.#exit.then(() => {
          if (this.#reports.length === 0) throw new Error(`the Runner ended:\n${this.#log}`);
        }),
      ]);
      await this.#within(news, 'a report');
    }
  }

  /** The report that says what became of loading. */
  async outcome(): Promise<RunnerReport> {
    const report = await this.nextReport();
    return report.type === 'loading' ? this.nextReport() : report;
  }

  /** Opens a request and leaves the rest to the test. */
  request(options: CallOptions = {}): http.ClientRequest {
    const { method, path = '/', headers, signal } = options;
    return http.request({
      socketPath: this.socketPath,
      path,
      agent: false,
      method: method ?? (options.body === undefined ? 'GET' : 'POST'),
      ...(headers === undefined ? {} : { headers }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Calls the function and reads the whole answer. */
  async call(options: CallOptions = {}): Promise<Answer> {
    const request = this.request(options);
    request.end(options.body);
    return this.#within(readAnswer(request), `the answer of ${options.path ?? '/'}`);
  }

  /** Waits until the log has this text. */
  async logged(text: string): Promise<string> {
    while (!this.#log.includes(text)) await this.logs();
    return this.#log;
  }

  /** Waits until the log goes on. */
  async logs(): Promise<void> {
    const more = Promise.race([
      once(this.process.stdout ?? this.process, 'data'),
      once(this.process.stderr ?? this.process, 'data'),
    ]);
    await this.#within(more, 'its log to go on');
  }

  /** The exit code, once the Runner is gone and its log is complete. */
  async exited(): Promise<unknown> {
    const [code] = await this.#within(this.#exit, 'its exit');
    for (const stream of [this.process.stdout, this.process.stderr]) {
      if (stream === null || stream.readableEnded) continue;
      await this.#within(once(stream, 'end'), 'the end of its output');
    }
    return code;
  }

  /** @throws Error when it does not come */
  async #within<T>(wait: Promise<T>, what: string): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const found = `Waited ${patienceMs} ms in vain for ${what} of the Runner; its log:`;
      late.reject(new Error(`${found}\n${this.#log}`));
    }, patienceMs);
    try {
      return await Promise.race([wait, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill('SIGKILL');
    await this.#exit;
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export async function readAnswer(request: http.ClientRequest): Promise<Answer> {
  const [response] = await once(request, 'response');
  // Whether the rest of a refused request still gets through is nobody's concern.
  request.on('error', () => {});
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return { status: response.statusCode, headers: response.headers, body: bytes.toString(), bytes };
}

function isDuplex(value: unknown): value is Duplex {
  return typeof value === 'object' && value !== null && 'write' in value && 'read' in value;
}
