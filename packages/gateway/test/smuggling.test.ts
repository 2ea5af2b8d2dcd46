import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gate, type Rig, startWarmRig } from './rig.ts';

const line = 'POST /default/hello/ HTTP/1.1\r\n';
const host = 'Host: x\r\n';
const next = 'GET /default/hello/smuggled HTTP/1.1\r\nHost: x\r\n\r\n';

const chunked = (body: string): string => `${line}${host}Transfer-Encoding: chunked\r\n\r\n${body}`;

/** What two parsers could read differently: each must be refused, and nothing after it read. */
const refused: readonly (readonly [name: string, bytes: string, status: number])[] = [
  ['two lengths', `${line}${host}Content-Length: 0\r\nContent-Length: 5\r\n\r\n`, 400],
  ['two equal lengths', `${line}${host}Content-Length: 0\r\nContent-Length: 0\r\n\r\n`, 400],
  ['a list of lengths', `${line}${host}Content-Length: 0, 0\r\n\r\n`, 400],
  ['a signed length', `${line}${host}Content-Length: +0\r\n\r\n`, 400],
  ['a negative length', `${line}${host}Content-Length: -1\r\n\r\n`, 400],
  ['a hexadecimal length', `${line}${host}Content-Length: 0x1\r\n\r\n`, 400],
  ['an empty length', `${line}${host}Content-Length:\r\n\r\n`, 400],
  ['a length after a hard space', `${line}${host}Content-Length: \xa00\r\n\r\n`, 400],
  ['a huge length', `${line}${host}Content-Length: 99999999999999999999\r\n\r\n`, 400],
  [
    'length and coding',
    `${line}${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  ['an unknown coding', `${line}${host}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, 400],
  ['two codings', `${line}${host}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 400],
  [
    'the coding twice',
    `${line}${host}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  ['a coding after VT', `${line}${host}Transfer-Encoding: \x0bchunked\r\n\r\n`, 400],
  ['a blank before the colon', `${line}${host}Transfer-Encoding : chunked\r\n\r\n`, 400],
  ['a folded line', `${line}${host}X: a\r\n b\r\n\r\n`, 400],
  ['a folded first line', `${line} ${host}\r\n`, 400],
  ['a bare LF', `${line}${host}X: a\nContent-Length: 5\r\n\r\n`, 400],
  ['a bare LF at the end', `${line}${host}\n`, 400],
  ['a bare CR', `${line}${host}X: a\rContent-Length: 5\r\n\r\n`, 400],
  ['NUL in a value', `${line}${host}X: a\x00b\r\n\r\n`, 400],
  ['NUL in a name', `${line}${host}X\x00: a\r\n\r\n`, 400],
  ['a name with a bracket', `${line}${host}X[: a\r\n\r\n`, 400],
  ['a name with high octets', `${line}${host}X\xe9: a\r\n\r\n`, 400],
  ['no name', `${line}${host}: a\r\n\r\n`, 400],
  ['no colon', `${line}${host}Hello\r\n\r\n`, 400],
  ['no host', `${line}\r\n`, 400],
  ['two hosts', `${line}${host}Host: y\r\n\r\n`, 400],
  ['a broken host', `${line}Host: a b\r\n\r\n`, 400],
  ['a host with user', `${line}Host: a@b\r\n\r\n`, 400],
  ['HTTP/1.0 with a coding', 'POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
  ['an authority as target', `GET x:80 HTTP/1.1\r\n${host}\r\n`, 400],
  ['a star as target', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, 400],
  ['an absolute target with user', `GET http://a@b/ HTTP/1.1\r\n${host}\r\n`, 400],
  ['an absolute target of another kind', `GET ftp://a/ HTTP/1.1\r\n${host}\r\n`, 400],
  ['a fragment', `GET /a#b HTTP/1.1\r\n${host}\r\n`, 400],
  ['a blank in the target', `GET /a b HTTP/1.1\r\n${host}\r\n`, 400],
  ['two blanks', `GET  / HTTP/1.1\r\n${host}\r\n`, 400],
  ['a tab for a blank', `GET\t/ HTTP/1.1\r\n${host}\r\n`, 400],
  ['no version', `GET /\r\n${host}\r\n`, 400],
  ['a small version', `GET / http/1.1\r\n${host}\r\n`, 400],
  ['a long version', `GET / HTTP/1.10\r\n${host}\r\n`, 400],
  ['a bad method', `G@T / HTTP/1.1\r\n${host}\r\n`, 400],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['an unknown method', `FOOBAR / HTTP/1.1\r\n${host}\r\n`, 501],
  ['a method in lower case', `get / HTTP/1.1\r\n${host}\r\n`, 501],
  ['CONNECT', `CONNECT x:80 HTTP/1.1\r\n${host}\r\n`, 405],
  ['HTTP/2 with a field', 'PRI * HTTP/2.0\r\nHost: x\r\n\r\n', 505],
  ['HTTP/3', 'PRI * HTTP/3.0\r\n\r\n', 505],
  ['another expectation', `${line}${host}Expect: gold\r\n\r\n`, 417],
  ['a long target', `GET /${'a'.repeat(8192)} HTTP/1.1\r\n${host}\r\n`, 414],
  ['a line without end', `GET /${'a'.repeat(40_000)}`, 414],
  ['a large header', `${line}${host}X: ${'a'.repeat(33_000)}\r\n\r\n`, 431],
  ['many fields', `${line}${host}${'X: a\r\n'.repeat(128)}\r\n`, 431],
  ['a bad chunk size', `${line}${host}Transfer-Encoding: chunked\r\n\r\nx\r\n`, 400],
  ['an empty chunk size', `${line}${host}Transfer-Encoding: chunked\r\n\r\n\r\n\r\n`, 400],
  ['a signed chunk size', `${line}${host}Transfer-Encoding: chunked\r\n\r\n-1\r\n`, 400],
  ['a 0x chunk size', `${line}${host}Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n`, 400],
  ['a blank after the size', `${line}${host}Transfer-Encoding: chunked\r\n\r\n1 \r\na\r\n`, 400],
  ['a long chunk', `${line}${host}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n`, 400],
  ['a chunk ended by LF', `${line}${host}Transfer-Encoding: chunked\r\n\r\n1\r\na\n0\r\n\r\n`, 400],
  ['a size ended by LF', `${line}${host}Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n`, 400],
  [
    'a large extension',
    `${line}${host}Transfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(300)}\r\na\r\n0\r\n\r\n`,
    400,
  ],
  // Ways to hide a coding from one of two readers (the list of James Kettle and others).
  ['a coding with a parameter', `${line}${host}Transfer-Encoding: chunked;q=1\r\n\r\n`, 400],
  ['a coding before another', `${line}${host}Transfer-Encoding: chunked, identity\r\n\r\n`, 400],
  ['identity', `${line}${host}Transfer-Encoding: identity\r\n\r\n`, 400],
  ['a quoted coding', `${line}${host}Transfer-Encoding: "chunked"\r\n\r\n`, 400],
  ['an empty coding', `${line}${host}Transfer-Encoding:\r\n\r\n`, 400],
  ['a coding and a comma', `${line}${host}Transfer-Encoding: chunked,\r\n\r\n`, 400],
  ['a coding with obs-text', `${line}${host}Transfer-Encoding: chunked\xa0\r\n\r\n`, 400],
  ['a coding on the next line', `${line}${host}Transfer-Encoding:\r\n chunked\r\n\r\n`, 400],
  ['a coding after NUL', `${line}${host}Transfer-Encoding: \x00chunked\r\n\r\n`, 400],
  [
    'a coding in two fields',
    `${line}${host}Transfer-Encoding: identity\r\ntransfer-encoding: chunked\r\n\r\n`,
    400,
  ],
  [
    'length after coding',
    `${line}${host}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n`,
    400,
  ],
  ['a length with a blank in it', `${line}${host}Content-Length: 1 2\r\n\r\n`, 400],
  ['a length with a fraction', `${line}${host}Content-Length: 1.0\r\n\r\n`, 400],
  ['a length in other digits', `${line}${host}Content-Length: \xb2\r\n\r\n`, 400],
  ['a line folded by a tab', `${line}${host}X: a\r\n\tb\r\n\r\n`, 400],
  ['a CR before the end of a line', `${line}${host}X: a\r\r\n\r\n`, 400],
  ['a CR for the end of the head', `${line}${host}\r\r\n`, 400],
  ['DEL in a value', `${line}${host}X: a\x7fb\r\n\r\n`, 400],
  ['a tab before the colon', `${line}${host}Content-Length\t: 5\r\n\r\n`, 400],
  ['a host with a path', `${line}Host: a/b\r\n\r\n`, 400],
  ['a host with a named port', `${line}Host: a:http\r\n\r\n`, 400],
  ['half an address as host', `${line}Host: [::1\r\n\r\n`, 400],
  ['two versions', `GET / HTTP/1.1 HTTP/1.1\r\n${host}\r\n`, 400],
  ['a blank at the start', ` GET / HTTP/1.1\r\n${host}\r\n`, 400],
  ['a blank at the end of the line', `GET / HTTP/1.1 \r\n${host}\r\n`, 400],
  ['NUL in the target', `GET /\x00 HTTP/1.1\r\n${host}\r\n`, 400],
  ['obs-text in the target', `GET /\xe9 HTTP/1.1\r\n${host}\r\n`, 400],
  ['two empty lines', `\r\n\r\nGET / HTTP/1.1\r\n${host}\r\n`, 400],
  ['an empty line that is LF', `\nGET / HTTP/1.1\r\n${host}\r\n`, 400],
  ['another HTTP', `GET / HTTP/1.2\r\n${host}\r\n`, 505],
  ['HTTP/0.9', 'GET /\r\n', 400],
  ['a long chunk size', chunked(`${'0'.repeat(20)}1\r\na\r\n0\r\n\r\n`), 400],
  ['a chunk size beyond all', chunked('fffffffffffffffff\r\na'), 400],
  ['a chunk size with a blank before', chunked(' 1\r\na\r\n0\r\n\r\n'), 400],
  ['a chunk size with an underscore', chunked('1_0\r\na\r\n0\r\n\r\n'), 400],
  ['a chunk size ended by CR', chunked('1\ra\r\n0\r\n\r\n'), 400],
  ['an extension ended by LF', chunked('1;a\na\r\n0\r\n\r\n'), 400],
  ['an extension with CR', chunked('1;a\rb\r\na\r\n0\r\n\r\n'), 400],
  ['a chunk without its CRLF', chunked('1\r\na0\r\n\r\n'), 400],
  ['a trailer without a name', chunked('0\r\n: a\r\n\r\n'), 400],
  ['a trailer without a colon', chunked('0\r\nGET / HTTP/1.1\r\n\r\n'), 400],
  ['a last line that is LF', chunked('0\r\n\n'), 400],
  [
    'a folded trailer',
    `${line}${host}Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n c\r\n\r\n`,
    400,
  ],
];

async function paths(t: Parameters<typeof startWarmRig>[0]): Promise<[Rig, string[]]> {
  const seen: string[] = [];
  const rig = await startWarmRig(t, (incoming, answer) => {
    seen.push(incoming.url ?? '');
    incoming.resume();
    incoming.on('end', () => answer.end());
    incoming.on('error', () => {});
  });
  return [rig, seen];
}

test('a request that could be read in two ways is refused, with all that follows it', async (t) => {
  const [rig, seen] = await paths(t);
  for (const [name, bytes, status] of refused) {
    const received = await rig.exchange(bytes + next);
    assert.ok(received.startsWith(`HTTP/1.1 ${status} `), `${name}: ${received}`);
    assert.match(received, /\r\nConnection: close\r\n/, name);
    assert.equal(received.match(/X-Request-Id/g)?.length, 1, `${name}: one answer`);
  }
  assert.ok(!seen.includes('/smuggled'));
});

test('a request in a body stays a body', async (t) => {
  const [rig, seen] = await paths(t);
  await rig.exchange(
    `${line}${host}Connection: close\r\nContent-Length: ${next.length}\r\n\r\n${next}`,
  );
  assert.deepEqual(seen, ['/']);
});

test('framing that a client says is for the next hop only is not lost', async (t) => {
  const bodies: string[] = [];
  const rig = await startWarmRig(t, async (incoming, answer) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    bodies.push(`${incoming.headers.host} ${body}`);
    answer.end();
  });
  const hop = 'Connection: close, content-length, transfer-encoding, host\r\n';
  await rig.exchange(`${line}${host}${hop}Content-Length: ${next.length}\r\n\r\n${next}`);
  const size = next.length.toString(16);
  await rig.exchange(
    `${line}${host}${hop}Transfer-Encoding: chunked\r\n\r\n${size}\r\n${next}\r\n0\r\n\r\n`,
  );
  assert.deepEqual(bodies, [`x ${next}`, `x ${next}`]);
});

/** Answers that must never reach a client as a good one. */
const brokenAnswers: readonly (readonly [name: string, bytes: string])[] = [
  ['no HTTP', 'hello\r\n\r\n'],
  ['a bad status', 'HTTP/1.1 20 OK\r\n\r\n'],
  ['status 600', 'HTTP/1.1 600 Odd\r\n\r\n'],
  ['HTTP/2', 'HTTP/2 200 OK\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na'],
  [
    'length and coding',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
  ],
  ['another coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n'],
  ['a folded line', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n'],
  ['a bare LF', 'HTTP/1.1 200 OK\nX: a\r\n\r\n'],
  ['a blank before the colon', 'HTTP/1.1 200 OK\r\nX : a\r\n\r\n'],
  ['a switch nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
  ['endless hints', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20)],
  ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n'],
  ['a large header', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`],
];

test('a broken answer of an Instance is 502, and its connection is not used again', async (t) => {
  let bytes = '';
  let connections = 0;
  const rig = await startWarmRig(t, () => {});
  const endpoint = await rig.rawInstance((socket) => {
    connections++;
    socket.on('data', () => socket.write(bytes, 'latin1'));
  });
  rig.gateway.setEndpoints('default/hello-1', [endpoint]);
  for (const [name, broken] of brokenAnswers) {
    bytes = broken;
    const received = await rig.exchange(
      `GET /default/hello/ HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    );
    assert.match(received, /HTTP\/1.1 502 Bad Gateway/, name);
  }
  assert.equal(connections, brokenAnswers.length);
});

test('bytes after an answer never become the answer to the next request', async (t) => {
  let connections = 0;
  const rig = await startWarmRig(t, () => {});
  const endpoint = await rig.rawInstance((socket) => {
    connections++;
    const own = `HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n${connections}`;
    socket.on('data', () => socket.write(`${own}HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nX`));
  });
  rig.gateway.setEndpoints('default/hello-1', [endpoint]);
  const client = rig.client();
  for (const count of [1, 2, 3]) {
    client.send(`GET /default/hello/ HTTP/1.1\r\n${host}\r\n`);
    await client.until((received) => received.endsWith(`\r\n\r\n${count}`));
  }
  assert.equal(connections, 3);
});

test('a broken chunk within an answer that has begun cuts the connection', async (t) => {
  const goOn = gate();
  const rig = await startWarmRig(t, () => {});
  const endpoint = await rig.rawInstance((socket) => {
    socket.once('data', async () => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n');
      await goOn.opened;
      socket.write('oops');
    });
  });
  rig.gateway.setEndpoints('default/hello-1', [endpoint]);
  const client = rig.client();
  client.send(`GET /default/hello/ HTTP/1.1\r\n${host}\r\n`);
  await client.until((received) => received.endsWith('1\r\na\r\n'));
  goOn.open();
  assert.match(await client.untilEnd(), /1\r\na\r\n$/);
});
