import assert from 'node:assert/strict';
import { duplexPair, PassThrough } from 'node:stream';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { statusError } from '@fnlet/machinery';
import { settleUntil } from '../../test/settle.ts';
import { SpdyClient } from '../../test/spdy-client.ts';
import { streamCreationMs, streamFarewellMs } from '../limits.ts';
import type { ContainerProcess, TerminalSize } from '../pod/pod-runtime.ts';
import { type CommandSession, serveSpdyCommand, serveWebSocketCommand } from './serve-command.ts';
import { channelProtocols } from './websocket-channels.ts';
import { opcodes } from './websocket-frame.ts';

/** A process in the hands of the test. */
function createProcess(): ContainerProcess & {
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly sizes: TerminalSize[];
  exit(code: number): void;
} {
  const exited = Promise.withResolvers<number>();
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const sizes: TerminalSize[] = [];
  return {
    ...{ stdin, stdout, stderr, sizes, exitCode: exited.promise },
    resize: (size) => sizes.push(size),
    exit(code) {
      stdout.end();
      stderr.end();
      exited.resolve(code);
    },
  };
}

function createSession(
  start: CommandSession['start'],
  wanted: Partial<CommandSession['wanted']> = {},
): CommandSession & { readonly clock: VirtualClock } {
  return {
    clock: new VirtualClock(),
    wanted: { stdin: true, stdout: true, stderr: true, tty: false, ...wanted },
    start,
    toEnd: () => ({ kind: 'failed', status: statusError('NotFound', 'no such container').status }),
  };
}

async function openSpdy(client: SpdyClient, names: readonly string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const streamType of names) ids.push(await client.open({ streamType }));
  return ids;
}

test('over SPDY input and output flow, and the error stream tells the exit code', async () => {
  const process = createProcess();
  const [near, far] = duplexPair();
  const session = createSession(() => Promise.resolve(process));
  const serving = serveSpdyCommand(near, session, 'v4.channel.k8s.io');
  const client = new SpdyClient(far);
  const ids = await openSpdy(client, ['error', 'stdin', 'stdout', 'stderr']);
  const [error = 0, stdin = 0, stdout = 0, stderr = 0] = ids;
  client.send(stdin, 'hello', true);
  await settleUntil(() => process.stdin.readableLength === 5, 'the input');
  assert.equal(process.stdin.read().toString(), 'hello');
  process.stdout.write('out');
  process.stderr.write('err');
  process.exit(3);
  await settleUntil(() => client.received(error).ended, 'the end');
  assert.deepEqual(client.received(stdout), {
    text: 'out',
    replied: true,
    ended: true,
    reset: false,
  });
  assert.equal(client.received(stderr).text, 'err');
  assert.deepEqual(JSON.parse(client.received(error).text), {
    metadata: {},
    status: 'Failure',
    message: 'command terminated with non-zero exit code: exit status 3',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '3' }] },
  });
  far.end();
  await serving;
});

test('over SPDY the command is not started before all of its streams are there', async () => {
  let started = 0;
  const process = createProcess();
  const [near, far] = duplexPair();
  const session = createSession(() => {
    started += 1;
    return Promise.resolve(process);
  });
  const serving = serveSpdyCommand(near, session, 'v4.channel.k8s.io');
  const client = new SpdyClient(far);
  const [, , third = 0] = await openSpdy(client, ['error', 'stdin', 'stdout']);
  await settleUntil(() => client.received(third).replied, 'the replies');
  assert.equal(started, 0);
  await session.clock.advance(streamCreationMs);
  await settleUntil(() => client.frames.some(({ type }) => type === 'goAway'), 'the goodbye');
  await session.clock.advance(streamFarewellMs);
  await serving;
  assert.equal(started, 0);
});

test('over SPDY a stream that was not asked for is reset, and the rest goes on', async () => {
  const process = createProcess();
  const [near, far] = duplexPair();
  const session = createSession(() => Promise.resolve(process), { stdin: false, stderr: false });
  const serving = serveSpdyCommand(near, session, 'v4.channel.k8s.io');
  const client = new SpdyClient(far);
  const [odd = 0, error = 0] = await openSpdy(client, ['resize', 'error', 'stdout']);
  process.exit(0);
  await settleUntil(() => client.received(error).ended, 'the end');
  assert.equal(client.received(odd).reset, true);
  assert.deepEqual(JSON.parse(client.received(error).text), { metadata: {}, status: 'Success' });
  far.end();
  await serving;
});

test('over SPDY before v4 the error stream has a text, and none after a success', async () => {
  for (const [code, text] of [
    [0, ''],
    [2, 'command terminated with non-zero exit code: exit status 2'],
  ] as const) {
    const process = createProcess();
    const [near, far] = duplexPair();
    const session = createSession(() => Promise.resolve(process), { stdin: false, stderr: false });
    const serving = serveSpdyCommand(near, session, 'v2.channel.k8s.io');
    const client = new SpdyClient(far);
    const [error = 0] = await openSpdy(client, ['error', 'stdout']);
    process.exit(code);
    await settleUntil(() => client.received(error).ended, 'the end');
    assert.equal(client.received(error).text, text);
    far.end();
    await serving;
  }
});

test('a command that cannot be started ends with the Status that says why', async () => {
  const [near, far] = duplexPair();
  const session = createSession(() => Promise.reject(new Error('gone')), { stdin: false });
  const serving = serveSpdyCommand(near, session, 'v4.channel.k8s.io');
  const client = new SpdyClient(far);
  const [error = 0] = await openSpdy(client, ['error', 'stdout', 'stderr']);
  await settleUntil(() => client.received(error).ended, 'the end');
  assert.equal(JSON.parse(client.received(error).text).message, 'no such container');
  far.end();
  await serving;
});

test('a client that does not read stops the process, and memory does not grow', async () => {
  const process = createProcess();
  const [near, far] = duplexPair();
  const session = createSession(() => Promise.resolve(process), { stdin: false, stderr: false });
  const serving = serveSpdyCommand(near, session, 'v4.channel.k8s.io');
  const client = new SpdyClient(far);
  const [error = 0, stdout = 0] = await openSpdy(client, ['error', 'stdout']);
  await settleUntil(() => client.received(stdout).replied, 'the reply');
  far.pause();
  const chunk = Buffer.alloc(16_384);
  let written = 0;
  for (let i = 0; i < 1000; i++) {
    if (!process.stdout.writableNeedDrain) {
      process.stdout.write(chunk);
      written += chunk.length;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(written < 1_000_000, `${written} bytes were taken`);
  far.resume();
  process.exit(0);
  await settleUntil(() => client.received(error).ended, 'the end');
  assert.equal(client.received(stdout).text.length, written);
  far.end();
  await serving;
});

test('a process that does not read stops the client, and memory does not grow', async () => {
  const process = createProcess();
  const [near, far] = duplexPair();
  const session = createSession(() => Promise.resolve(process), { stderr: false });
  const serving = serveSpdyCommand(near, session, 'v4.channel.k8s.io');
  const client = new SpdyClient(far);
  const [, stdin = 0, stdout = 0] = await openSpdy(client, ['error', 'stdin', 'stdout']);
  await settleUntil(() => client.received(stdout).replied, 'the reply');
  const text = 'x'.repeat(16_384);
  let sent = 0;
  for (let i = 0; i < 1000; i++) {
    if (!far.writableNeedDrain) {
      client.send(stdin, text);
      sent += text.length;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(sent < 1_000_000, `${sent} bytes were taken`);
  // What is left unread must not keep the end from the client.
  process.exit(0);
  await settleUntil(() => client.received(stdout).ended, 'the end');
  far.end();
  await serving;
});

/** What a WebSocket server sent: [channel, text] per message, or the status of its close. */
function readMessages(socket: NodeJS.ReadableStream): (readonly [number, string])[] {
  const found: (readonly [number, string])[] = [];
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 2) {
      const opcode = rest.readUInt8() & 0x0f;
      const isLong = rest.readUInt8(1) === 126;
      const start = isLong ? 4 : 2;
      const end = start + (isLong ? rest.readUInt16BE(2) : rest.readUInt8(1));
      if (rest.length < end) return;
      const payload = rest.subarray(start, end);
      if (opcode === opcodes.close) found.push([-1, String(payload.readUInt16BE())]);
      else found.push([payload.readUInt8(), payload.subarray(1).toString()]);
      rest = rest.subarray(end);
    }
  });
  return found;
}

/** A frame of a client, with a mask that changes nothing. */
function clientFrame(opcode: number, ...payload: readonly (number | string)[]): Buffer {
  const bytes = Buffer.concat(
    payload.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))),
  );
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]);
}

function findProtocol(name: string): (typeof channelProtocols)[number] {
  const protocol = channelProtocols.find((candidate) => candidate.name === name);
  assert.ok(protocol !== undefined);
  return protocol;
}

test('over a WebSocket the first byte is the channel, and v5 ends the input alone', async () => {
  const process = createProcess();
  const [near, far] = duplexPair();
  const session = createSession(() => Promise.resolve(process));
  const serving = serveWebSocketCommand(near, session, findProtocol('v5.channel.k8s.io'));
  const received = readMessages(far);
  far.write(clientFrame(opcodes.binary, 0, 'hello'));
  far.write(clientFrame(opcodes.binary, 255, 0));
  await settleUntil(() => process.stdin.writableEnded, 'the end of the input');
  assert.equal(process.stdin.read().toString(), 'hello');
  process.stdout.write('out');
  await settleUntil(() => received.length === 2, 'the output');
  process.stderr.write('err');
  await settleUntil(() => received.length === 3, 'the output');
  process.exit(0);
  await settleUntil(() => received.length === 5, 'the end');
  assert.deepEqual(received, [
    [1, ''],
    [1, 'out'],
    [2, 'err'],
    [3, '{"metadata":{},"status":"Success"}'],
    [-1, '1000'],
  ]);
  far.end();
  await serving;
});

test('over a WebSocket with base64 every message is text, its channel a digit', async () => {
  const process = createProcess();
  const [near, far] = duplexPair();
  const session = createSession(() => Promise.resolve(process));
  const serving = serveWebSocketCommand(near, session, findProtocol('v4.base64.channel.k8s.io'));
  const received = readMessages(far);
  // In two frames of one message, cut within four characters.
  const text = Buffer.from('hello world').toString('base64');
  const first = clientFrame(opcodes.text, '0', text.slice(0, 6));
  first[0] = opcodes.text;
  far.write(first);
  far.write(clientFrame(opcodes.continuation, text.slice(6)));
  await settleUntil(() => process.stdin.readableLength === 11, 'the input');
  assert.equal(process.stdin.read().toString(), 'hello world');
  process.stdout.write('out');
  process.exit(1);
  await settleUntil(() => received.length === 4, 'the end');
  assert.deepEqual(
    received.map(([channel]) => channel),
    ['1', '1', '3'].map((digit) => digit.charCodeAt(0)).concat(-1),
  );
  assert.equal(received[1]?.[1], Buffer.from('out').toString('base64'));
  const status = JSON.parse(Buffer.from(received[2]?.[1] ?? '', 'base64').toString());
  assert.equal(status.reason, 'NonZeroExitCode');
  far.end();
  await serving;
});

test('a terminal hears of its sizes, however they are cut', async () => {
  const process = createProcess();
  const [near, far] = duplexPair();
  const session = createSession(() => Promise.resolve(process), { tty: true });
  const serving = serveWebSocketCommand(near, session, findProtocol('v4.channel.k8s.io'));
  far.resume();
  far.write(clientFrame(opcodes.binary, 4, '{"Width":80,"Hei'));
  far.write(clientFrame(opcodes.binary, 4, 'ght":24}\n{"Width":-1,"Height":2}{"Width":'));
  far.write(clientFrame(opcodes.binary, 4, '100,"Height":30}'));
  await settleUntil(() => process.sizes.length === 2, 'two sizes');
  assert.deepEqual(process.sizes, [
    { columns: 80, rows: 24 },
    { columns: 100, rows: 30 },
  ]);
  process.exit(0);
  far.end();
  await serving;
});

test('a ping is answered while a command runs, and a broken frame ends the connection', async () => {
  const process = createProcess();
  const [near, far] = duplexPair();
  const session = createSession(() => Promise.resolve(process));
  const serving = serveWebSocketCommand(near, session, findProtocol('v5.channel.k8s.io'));
  const chunks: Buffer[] = [];
  far.on('data', (chunk: Buffer) => chunks.push(chunk));
  far.write(clientFrame(opcodes.ping, 'are you there'));
  const text = (): string => Buffer.concat(chunks).toString('latin1');
  await settleUntil(() => text().includes('are you there'), 'the pong');
  far.write(Buffer.from([0x81, 0x00]));
  await settleUntil(() => text().includes('\x03\xea'), 'the close with 1002');
  // The client stays; what it wanted goes on no longer than its goodbye may take.
  await session.clock.advance(streamFarewellMs);
  assert.equal(near.destroyed, true);
  process.exit(0);
  await serving;
});
