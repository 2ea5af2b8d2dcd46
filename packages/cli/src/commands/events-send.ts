import { isUtf8 } from 'node:buffer';
import { errorMessage, isJsonObject } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import { readRefusal } from '../api-refusal.ts';
import type { CliContext, DocumentFormat, GlobalOptions } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { type Connection, connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatDocument } from '../output.ts';
import { type RequestContent, readBody } from './call.ts';

export interface SendFlags extends GlobalOptions {
  readonly output?: DocumentFormat;
  readonly type: string;
  readonly source: string;
  readonly id?: string;
  readonly subject?: string;
  readonly data?: string;
  readonly contentType?: string;
  readonly attribute: readonly string[];
}

/** `fnlet events send`: an event to the endpoint of a Trigger; done once it is kept. */
export async function sendEvent(
  options: SendFlags & { readonly trigger: string },
  context: CliContext,
): Promise<void> {
  const { trigger: name, output } = options;
  const { signal, stdout, random } = context;
  const { id = random.uuid() } = options;
  const data = await readBody(options.data, context);
  const event = planEvent({ ...options, id }, data);
  await using connection = await connect(options, context);
  const key = { namespace: connection.namespace, name };
  const { spec, status } = await connection.triggers.get(key, { signal });
  const format = spec.source.http?.events?.format;
  if (format !== 'cloudevents' && format !== 'any') {
    const found = format === undefined ? 'no endpoint for events' : `the format ${format}`;
    const message = `Cannot send to Trigger "${name}": found ${found}, expected CloudEvents`;
    throw new CliError(exitCodes.usage, message, {
      remedy: 'One that takes them: fnlet trigger create http <name> --events any …',
    });
  }
  if (status?.url === undefined) {
    throw new CliError(exitCodes.notReady, `Trigger "${name}" has no URL yet`, {
      remedy: `What it waits for: fnlet trigger describe ${name}`,
    });
  }
  if (isInside(status.url)) await postInside(connection, key, { event, context });
  else await post(status.url, event, signal);
  if (output === undefined) stdout.write(`event/${id} accepted\n`);
  else stdout.write(await formatDocument(output, event));
}

/** The event in the JSON format of CloudEvents. */
export function planEvent(
  { type, source, id, subject, contentType, attribute }: SendFlags,
  data: RequestContent,
): Readonly<Record<string, unknown>> {
  const extensions = attribute.map((text) => {
    const [, name, value] = /^([a-z0-9]+)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined) return [name, value] as const;
    const message = `Cannot read --attribute: found "${text}", expected <name>=<value>`;
    throw new CliError(exitCodes.usage, message, { remedy: 'Names are of a to z and 0 to 9.' });
  });
  const bytes = data === undefined ? undefined : Buffer.from(data);
  return {
    ...{ specversion: '1.0', id, source, type },
    ...(subject === undefined ? {} : { subject }),
    ...Object.fromEntries(extensions),
    ...(bytes === undefined ? {} : planData(bytes, contentType)),
  };
}

function planData(bytes: Buffer, contentType: string | undefined): object {
  const text = isUtf8(bytes) ? bytes.toString() : undefined;
  const json = text === undefined ? undefined : tryParse(text);
  const isJson = contentType === undefined || contentType === 'application/json';
  if (json !== undefined && isJson)
    return { datacontenttype: 'application/json', data: json.value };
  const isText = contentType === undefined || contentType.startsWith('text/');
  if (text !== undefined && isText) {
    return { datacontenttype: contentType ?? 'text/plain', data: text };
  }
  const datacontenttype = contentType ?? 'application/octet-stream';
  return { datacontenttype, data_base64: bytes.toString('base64') };
}

function tryParse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Whether only those in the cluster reach a URL: it names a Service. */
export function isInside(url: string): boolean {
  return /\.svc(\.[a-z0-9.-]+)?$/.test(new URL(url).hostname);
}

/** Through the API, which asks whether this user may, and passes it on to the controller. */
async function postInside(
  { transport }: Connection,
  { namespace, name }: ObjectKey,
  { event, context }: { readonly event: object; readonly context: CliContext },
): Promise<void> {
  const path = `/apis/events.fnlet.dev/v1alpha1/namespaces/${namespace}/cloudevents`;
  const answer = await transport.request({
    ...{ method: 'POST', path, query: { trigger: name }, body: event, signal: context.signal },
    contentType: 'application/cloudevents+json',
  });
  if (answer.status === 202) return;
  const remedy = 'What the answers mean: docs/http-events.md';
  throw await readRefusal(answer, { path, remedy }, context.clock.now());
}

async function post(url: string, event: object, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/cloudevents+json' };
  const request = { method: 'POST', headers, body: JSON.stringify(event), signal };
  const answer = await fetch(url, { ...request, redirect: 'manual' }).catch((cause: unknown) => {
    const why = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
    throw new CliError(exitCodes.unreachable, `Cannot reach ${url}: ${errorMessage(why)}`, {
      cause,
      remedy: 'Is Fnlet running, and does the host lead to it? Start it with: fnlet up',
    });
  });
  const said = await answer.text();
  if (answer.status === 202) return;
  throw new CliError(exitCodes.callFailed, `${url} answered ${answer.status}: ${messageOf(said)}`, {
    remedy: 'What the answers mean: docs/http-events.md',
  });
}

function messageOf(text: string): string {
  const value = tryParse(text)?.value;
  return isJsonObject(value) && typeof value.message === 'string' ? value.message : text.trim();
}
