// The contract's function, event style (packages/invocation/test/runner-contract.ts).
const { Readable } = require('node:stream');

const { promise: released, resolve: release } = Promise.withResolvers();

const answers = {
  text: () => 'hi ü',
  nothing: () => undefined,
  json: () => ({ a: [1, 'ü'] }),
  bytes: ({ data, extensions }) => extensions.response.type('bin').send(data ?? ''),
  status: ({ extensions }) => extensions.response.status(418).set('x-a', 'b').send('short'),
  stream: ({ extensions }) => void Readable.from(['a', 'b']).pipe(extensions.response),
  throw: () => {
    throw new Error('secret');
  },
  wait: () => {
    process.stdout.write('waiting\n');
    return new Promise(() => {});
  },
  hold: async () => {
    process.stdout.write('holding\n');
    await released;
    return 'held';
  },
  release: () => {
    release();
    return 'released';
  },
  trace: (_event, context) => context.traceparent ?? 'none',
  echo: ({ data, extensions: { request } }, context) => ({
    method: request.method,
    path: request.path,
    q: request.query.q ?? null,
    header: request.get('x-a'),
    body: data ?? '',
    requestId: context.requestId,
    traceparent: context.traceparent ?? null,
    variable: process.env.CONTRACT,
    function: context['function-name'],
  }),
};

exports.main = (event, context) =>
  answers[event.extensions.request.path.split('/')[1]](event, context);
