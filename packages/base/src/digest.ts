import { hash } from 'node:crypto';

/** The SHA-256 of some text or bytes, in lower-case hex (64 characters). */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}
