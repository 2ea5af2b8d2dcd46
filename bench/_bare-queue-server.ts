/**
 * The limit for what is told to wait and what is refused: a server on bare sockets that knows no
 * HTTP, holds so many requests, answers so many per second with 200, and all others with 503 at
 * once: `_bare-queue-server.ts <held> <per second>` prints its port.
 */
import { createServer, type Socket } from 'node:net';

const [heldMax, perSecond] = process.argv.slice(2).map(Number);
const held: Socket[] = [];
const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.on('data', () => {
    if (held.length < (heldMax ?? 0)) held.push(socket);
    else socket.write('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n');
  });
});
const stepMs = 20;
setInterval(() => {
  const served = held.splice(0, ((perSecond ?? 0) * stepMs) / 1000);
  for (const socket of served) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
}, stepMs);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
