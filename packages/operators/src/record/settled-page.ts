/**
 * Settled objects of an operator, many of them in one text: of each its id, the state that it was
 * settled in, and when it is due. Fixed widths, in order of the ids: 41 bytes an object, where an
 * entry of its own in a store takes some 400 in memory and on the disk.
 */
import { sha256 } from '@fnlet/base';

/** What was so when nothing was left to do for an object. */
export interface SettledEntry {
  /** Digest of what the function was shown; see {@link settledDigest}. */
  readonly state: string;
  /** When it is to be run again, milliseconds since the epoch. */
  readonly dueMs?: number | undefined;
}

const digestLength = 16;
const dueLength = 9;
const entryLength = 2 * digestLength + dueLength;
const notDue = '~'.repeat(dueLength);

/** 96 bits of a SHA-256, in 16 characters: two of as many as a cluster has are never the same. */
export function settledDigest(text: string): string {
  return Buffer.from(sha256(text).slice(0, 24), 'hex').toString('base64url');
}

/** The entry of this id in a page. */
export function findSettled(page: string, id: string): SettledEntry | undefined {
  let low = 0;
  let high = page.length / entryLength;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (page.slice(middle * entryLength, middle * entryLength + digestLength) < id) {
      low = middle + 1;
    } else high = middle;
  }
  return page.startsWith(id, low * entryLength) ? entryAt(page, low * entryLength) : undefined;
}

/** A page with these entries in place of what it had of them; `undefined` takes one out. */
export function changePage(
  page: string,
  changes: ReadonlyMap<string, SettledEntry | undefined>,
): string {
  const entries = new Map<string, string>();
  for (let at = 0; at + entryLength <= page.length; at += entryLength) {
    entries.set(page.slice(at, at + digestLength), page.slice(at, at + entryLength));
  }
  for (const [id, entry] of changes) {
    if (entry === undefined) entries.delete(id);
    else entries.set(id, `${id}${entry.state}${dueText(entry.dueMs)}`);
  }
  return [...entries.values()].sort().join('');
}

/** Whether a text from outside can be a page. */
export function isPage(text: unknown): text is string {
  return typeof text === 'string' && text.length % entryLength === 0;
}

function entryAt(page: string, start: number): SettledEntry {
  const stateAt = start + digestLength;
  const dueAt = stateAt + digestLength;
  const due = page.slice(dueAt, start + entryLength);
  const state = page.slice(stateAt, dueAt);
  return due === notDue ? { state } : { state, dueMs: Number.parseInt(due, 36) };
}

function dueText(dueMs: number | undefined): string {
  if (dueMs === undefined) return notDue;
  return Math.max(0, Math.ceil(dueMs)).toString(36).padStart(dueLength, '0');
}
