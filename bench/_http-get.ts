import { connect, type Socket } from 'node:net';

// One connection that stays, and no HTTP library in between: what is measured is the call.
const sockets = new Map<string, Socket>();

function socketTo({ hostname, port, host }: URL): Socket {
  const known = sockets.get(host);
  if (known !== undefined && !known.destroyed) return known;
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  sockets.set(host, socket.unref());
  return socket;
}

/** The body of a GET with a Content-Length, over one kept connection; only 200 is no error. */
export function httpGet(url: string): Promise<string> {
  const target = new URL(url);
  const socket = socketTo(target);
  return new Promise((resolve, reject) => {
    let received = '';
    const finish = (act: () => void): void => {
      socket.off('data', onData).off('error', onEnd).off('close', onEnd);
      act();
    };
    const onEnd = (error: unknown): void => finish(() => reject(error ?? new Error('closed')));
    const onData = (chunk: Buffer): void => {
      received += chunk.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0);
      const body = received.slice(end + 4);
      if (body.length < length) return;
      const isOk = received.startsWith('HTTP/1.1 200 ');
      finish(() => (isOk ? resolve(body) : reject(new Error(`${url} answered ${received}`))));
    };
    socket.on('data', onData).once('error', onEnd).once('close', onEnd);
    socket.write(`GET ${target.pathname} HTTP/1.1\r\nHost: ${target.host}\r\n\r\n`);
  });
}
