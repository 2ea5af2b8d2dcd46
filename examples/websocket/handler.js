import { createHash } from 'node:crypto';

const handshakeKey = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'; // RFC 6455, section 1.3

export default () => 'Connect with a WebSocket\n';

/**
 * Takes over the connection of an upgrade request. A real function would hand it to a WebSocket
 * library from npm; this one echoes short text frames by itself.
 */
export function upgrade(request, socket) {
  const accept = createHash('sha1')
    .update(request.headers['sec-websocket-key'] + handshakeKey)
    .digest('base64');
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `Sec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket.on('data', (frame) => {
    const opcode = frame[0] & 0x0f;
    if (opcode === 8) return socket.end(Buffer.from([0x88, 0]));
    const length = frame[1] & 0x7f;
    const mask = frame.subarray(2, 6);
    const payload = frame.subarray(6, 6 + length).map((byte, index) => byte ^ mask[index % 4]);
    socket.write(Buffer.concat([Buffer.from([0x81, payload.length]), payload]));
  });
}
