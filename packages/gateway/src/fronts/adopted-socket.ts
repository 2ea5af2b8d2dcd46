import { Socket, type SocketConstructorOpts } from 'node:net';

/** How the bytes of an adopted socket are read. */
export interface SocketReading {
  /** What they are read into: one buffer serves every socket of a thread, one read at a time. */
  readonly buffer: Buffer;
  /** `chunk` may be read until this returns; what is kept longer must be copied. */
  readonly onData: (chunk: Buffer) => void;
}

/**
 * Takes over a connection that a server accepted (with `pauseOnConnect`) and reads it into a buffer
 * that is there already. Node offers that for sockets that connect (`onread`), not for those that
 * are accepted; there every read allocates 64 KiB, copies what came, and leaves both to the
 * collector: as much processor time again as the read itself. See decisions/003.
 *
 * The handle below an accepted socket is moved to a socket of our own; what is left of the accepted
 * one is destroyed, so its server forgets it. Where a Node has no such handle, the connection is
 * read in the usual way.
 */
export function adoptSocket(accepted: Socket, { buffer, onData }: SocketReading): Socket {
  const handle: unknown = Reflect.get(accepted, handleName);
  if (!isReadableInto(handle)) {
    accepted.on('data', onData);
    return accepted.resume();
  }
  Reflect.set(accepted, handleName, null);
  accepted.destroy();
  const callback = (length: number): boolean => {
    onData(buffer.subarray(0, length));
    return true;
  };
  // Node's own option for it; its type knows another use of it only.
  const options: SocketConstructorOpts = { onread: { buffer, callback } };
  Reflect.set(options, 'handle', handle);
  return new Socket(options);
}

const handleName = '_handle';

function isReadableInto(handle: unknown): boolean {
  return (
    typeof handle === 'object' &&
    handle !== null &&
    'useUserBuffer' in handle &&
    typeof handle.useUserBuffer === 'function'
  );
}
