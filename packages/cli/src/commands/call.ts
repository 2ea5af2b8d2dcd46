import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { errorMessage } from '@fnlet/base';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CallFlags } from '../flags.ts';
import { answerBytesMax } from '../limits.ts';
import { formatDocument } from '../output.ts';
import { callInside } from './call-inside.ts';

/** `fnlet call`: one HTTP request to a Function; the answer goes to standard output as it comes. */
export async function call(
  options: CallFlags & { readonly name: string },
  context: CliContext,
): Promise<void> {
  await using connection = await connect(options, context);
  const { namespace, functions } = connection;
  const key = { namespace, name: options.name };
  const { spec, status } = await functions.get(key, { signal: context.signal });
  if (status?.url === undefined) {
    throw new CliError(exitCodes.notReady, `Function "${options.name}" has no URL yet`, {
      remedy: `What it waits for: fnlet describe ${options.name}`,
    });
  }
  const body = await readBody(options.data, context);
  const request = createRequest(joinPath(status.url, options.path), body, options);
  const answer =
    spec.visibility === 'internal'
      ? await callInside(request, { connection, key, signal: context.signal })
      : await callOutside(request, options.name, context);
  await printAnswer(answer, options, context);
  if (answer.status >= 400) {
    throw new CliError(
      exitCodes.callFailed,
      `Function "${options.name}" answered ${answer.status}`,
      {
        remedy: `Its log: fnlet logs ${options.name}`,
      },
    );
  }
}

async function callOutside(
  request: Request,
  name: string,
  { signal }: CliContext,
): Promise<Response> {
  return fetch(request, { signal, redirect: 'manual' }).catch((cause: unknown) => {
    const why = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
    const message = `Cannot reach Function "${name}" at ${request.url}: ${errorMessage(why)}`;
    throw new CliError(exitCodes.unreachable, message, {
      cause,
      remedy: 'Is Fnlet running? Start it with: fnlet up',
    });
  });
}

async function printAnswer(
  answer: Response,
  { output, include }: CallFlags,
  { stdout }: CliContext,
): Promise<void> {
  if (output !== undefined) {
    stdout.write(await formatDocument(output, await toDocument(answer)));
    return;
  }
  if (include === true) stdout.write(formatHead(answer));
  for await (const chunk of answer.body ?? []) stdout.write(chunk);
}

/** An answer as one value. A body that is no text is in base64, and `encoding` says so. */
export async function toDocument(answer: Response): Promise<object> {
  const cookies = answer.headers.getSetCookie();
  const headers = {
    ...Object.fromEntries(answer.headers),
    ...(cookies.length > 1 ? { 'set-cookie': cookies } : {}),
  };
  const bytes = await readAnswer(answer);
  const { status } = answer;
  return isUtf8(bytes)
    ? { status, headers, body: bytes.toString() }
    : { status, headers, body: bytes.toString('base64'), encoding: 'base64' };
}

async function readAnswer(answer: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > answerBytesMax) {
      const message = `Cannot print the answer as one document: found more than ${answerBytesMax} bytes`;
      throw new CliError(exitCodes.failed, message, {
        remedy: 'Print it as it comes, without -o',
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A body, as flags give it. */
export type RequestContent = string | Uint8Array<ArrayBuffer> | undefined;

/** @throws CliError (usage) what is no request: an unknown method, a GET with a body, a header */
export function createRequest(
  url: string,
  body: RequestContent,
  { method, header, async }: Pick<CallFlags, 'method' | 'header' | 'async'>,
): Request {
  const headers = parseHeaders(header);
  if (async === true) headers.append('prefer', 'respond-async');
  try {
    return new Request(url, {
      method: method?.toUpperCase() ?? (body === undefined ? 'GET' : 'POST'),
      headers,
      ...(body === undefined ? {} : { body }),
    });
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(exitCodes.usage, `Cannot make a request of these flags: ${found}`, {
      cause,
    });
  }
}

/** The Function's URL with the wanted path and query below it. */
export function joinPath(url: string, path: string): string {
  return `${url.replace(/\/$/, '')}${path.startsWith('/') ? '' : '/'}${path}`;
}

export function parseHeaders(lines: readonly string[]): Headers {
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) {
      throw new CliError(exitCodes.usage, `Cannot use header "${line}": expected "Name: value"`);
    }
    try {
      headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    } catch (cause) {
      const message = `Cannot use header "${line}": found characters that no header may hold`;
      throw new CliError(exitCodes.usage, message, { cause });
    }
  }
  return headers;
}

/** What `--data` says: a text, `@file`, or `@-` for standard input. */
export async function readBody(
  data: string | undefined,
  { stdin, workingDirectory }: CliContext,
): Promise<RequestContent> {
  if (data === undefined || !data.startsWith('@')) return data;
  if (data === '@-') return Uint8Array.from(await buffer(stdin));
  const path = resolve(workingDirectory, data.slice(1));
  const content = await readFile(path).catch((cause: unknown) => {
    throw new CliError(exitCodes.usage, `Cannot read the body from "${path}"`, { cause });
  });
  return Uint8Array.from(content);
}

function formatHead(answer: Response): string {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\n`);
  return `HTTP/1.1 ${answer.status} ${answer.statusText}\n${headers.join('')}\n`;
}
