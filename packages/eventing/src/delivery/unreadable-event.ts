import type { CloudEvent } from '../event/cloud-event.ts';

/** Stands for what is kept and cannot be read as an event: its bytes are the data. */
export function unreadableEvent(
  owner: string,
  { sequence, payload }: { readonly sequence: number; readonly payload: Uint8Array },
): CloudEvent {
  const attributes = {
    specversion: '1.0',
    id: String(sequence),
    source: `/triggers/${owner}`,
    type: 'dev.fnlet.unreadable',
    datacontenttype: 'application/octet-stream',
  } as const;
  return { attributes, data: payload };
}
