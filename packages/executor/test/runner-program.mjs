// A Runner for the tests of this room: speaks the control protocol on file descriptor 3, and
// behaves as the handler of the Revision says.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { Socket } from 'node:net';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    socket: { type: 'string' },
    host: { type: 'string' },
    port: { type: 'string' },
    cache: { type: 'string' },
    // A fixed argument, to test Runners that never get warm.
    die: { type: 'boolean' },
    stubborn: { type: 'boolean' },
  },
});
if (values.die) {
  process.stderr.write('no such thing here\n');
  process.exit(7);
}

const inherited = { ...process.env };
const control = new Socket({ fd: 3 });
const report = (message, whenSent) => control.write(`${JSON.stringify(message)}\n`, whenSent);
let specialisation;

const answer = (_request, response) => {
  response.end(JSON.stringify({ pid: process.pid, inherited, specialisation }));
};
const servers = [createServer(answer), createServer(answer)];
servers[0].listen(values.socket, () => {
  servers[1].listen({ host: values.host, port: Number(values.port) }, () => {
    report({ type: 'warm', port: servers[1].address().port });
  });
});

const busyLoop = () => {
  while (true);
};
const hog = (megabytes) => Array.from({ length: megabytes }, () => Buffer.alloc(1 << 20, 1));
/** Says that it is ready; what comes then begins when that has left this process. */
const ready = (then) => report({ type: 'ready', loadMs: 1 }, then);
const behaviours = {
  default: () => ready(),
  unloadable() {
    const failure = { code: 'SyntaxError', message: 'Unexpected token', file: 'a.ts', line: 3 };
    report({ type: 'failed', failure });
  },
  // Loads for ever, so busy that it hears nothing.
  loading: busyLoop,
  busy: () => ready(busyLoop),
  forking() {
    const child = spawn('/bin/sleep', ['1000'], { stdio: 'inherit' });
    process.stdout.write(`forked ${child.pid}\n`);
    ready();
  },
  // As Node does that hangs while it exits.
  leaving() {
    ready(() => {
      control.removeAllListeners('close').once('close', busyLoop);
      control.destroySoon();
    });
  },
  hoarding() {
    ready(() => {
      globalThis.held = hog(200);
    });
  },
  // Has memory taken for it by something that it starts.
  hoardingElsewhere() {
    const program =
      'globalThis.x = Array.from({length: 200}, () => Buffer.alloc(1 << 20, 1)); setInterval(() => {}, 1e6)';
    ready(() => spawn(process.execPath, ['-e', program], { stdio: 'inherit' }));
  },
  printing() {
    process.stdout.write('first line\nsecond ');
    process.stderr.write('a warning\n');
    process.stdout.write('line\nunfinished');
    ready();
  },
  flooding() {
    ready();
    const line = `${'x'.repeat(1_000)}\n`.repeat(60);
    const flood = () => process.stdout.write(line, flood);
    flood();
  },
  stubborn() {
    process.on('SIGTERM', () => {});
    ready();
  },
};

const onCommand = (command) => {
  if (command.type === 'specialise') {
    specialisation = command.specialisation;
    behaviours[specialisation.handler]();
  } else if (command.type === 'drain' && specialisation?.handler !== 'stubborn') {
    process.exit(0);
  }
};
let unread = '';
control.setEncoding('utf8');
control.on('data', (text) => {
  const lines = (unread + text).split('\n');
  unread = lines.pop();
  for (const line of lines) onCommand(JSON.parse(line));
});
control.on('close', () => process.exit(0));
