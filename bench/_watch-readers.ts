/**
 * Holds watches open in a process of its own, as ten client programs on other machines would:
 * `_watch-readers.ts <port> <caFile> <token>` reads one JSON line of paths, opens a watch for each
 * over ten HTTP/2 connections, prints `open`, and then the number of events it got so far, a line
 * each time it is asked by a line.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import { createInterface } from 'node:readline';

const [port, caFile = '', token] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const paths: unknown = JSON.parse((await lines.next()).value ?? '[]');
const ca = readFileSync(caFile);
const sessions = Array.from({ length: 10 }, () =>
  http2.connect(`https://127.0.0.1:${port}`, { ca }),
);
let received = 0;
const opened: Promise<unknown>[] = [];
for (const [n, path] of (Array.isArray(paths) ? paths : []).entries()) {
  const headers = { ':path': String(path), authorization: `Bearer ${token}` };
  const stream = sessions[n % sessions.length]?.request(headers);
  stream?.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) received++;
  });
  if (stream !== undefined) opened.push(once(stream, 'response'));
}
await Promise.all(opened);
process.stdout.write('open\n');
for await (const _ of lines) process.stdout.write(`${received}\n`);
process.exit();
