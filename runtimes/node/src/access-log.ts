import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Specialisation } from '@fnlet/invocation';
import { callerAddress } from './express-request.ts';

/** Whether a function wants a line for each of its calls; docs/runtime-contract.md says when. */
export function wantsAccessLog({ compatibility, env }: Specialisation): boolean {
  if (compatibility === 'kubeless') return true;
  if (compatibility === undefined) return env.FNLET_ACCESS_LOG === 'true';
  return isOn(env.KYMA_INTERNAL_LOGGER_ENABLED) || isOn(env.SERVER_INTERNAL_LOGGER);
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A call that is over. */
export interface Access {
  readonly request: IncomingMessage;
  readonly response: Pick<ServerResponse, 'statusCode' | 'getHeader'>;
  /** Bytes of the answer, where the Runner sent it as a whole. */
  readonly contentLength?: number | undefined;
}

/** One call in Apache's combined format, in universal time. */
export function formatAccess({ request, response, contentLength }: Access, at: Date): string {
  const { headers, method, url, httpVersion } = request;
  const [date = '', time = ''] = at.toISOString().split('T');
  const [year, month, day] = date.split('-');
  const clock = `${day}/${months[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
  const size = contentLength ?? response.getHeader('content-length') ?? '-';
  const quoted = (value: string | undefined): string =>
    `"${(value ?? '-').replace(/[\\"\p{Cc}]/gu, escapeCharacter)}"`;
  const line = quoted(`${method} ${url} HTTP/${httpVersion}`);
  const referrer = quoted(headers.referer);
  const agent = quoted(headers['user-agent']);
  return `${callerAddress(request) ?? '-'} - - [${clock}] ${line} ${response.statusCode} ${size} ${referrer} ${agent}`;
}

// What a client sends must not look like another line (Apache's mod_log_config escapes so, too).
function escapeCharacter(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  return `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`;
}
