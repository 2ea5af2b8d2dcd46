// The contract's function, web style (packages/invocation/test/runner-contract.ts).
let release;
const released = new Promise((resolve) => {
  release = resolve;
});

export default async function answer(request, context) {
  const { pathname, searchParams } = new URL(request.url);
  switch (pathname.split('/')[1]) {
    case 'text':
      return 'hi ü';
    case 'nothing':
      return undefined;
    case 'json':
      return { a: [1, 'ü'] };
    case 'bytes':
      return request.bytes();
    case 'status':
      return new Response('short', { status: 418, headers: { 'x-a': 'b' } });
    case 'stream':
      return ReadableStream.from(['a', 'b']);
    case 'throw':
      throw new Error('secret');
    case 'wait':
      process.stdout.write('waiting\n');
      return new Promise(() => {});
    case 'hold':
      process.stdout.write('holding\n');
      await released;
      return 'held';
    case 'release':
      release();
      return 'released';
    case 'trace':
      return context.traceparent ?? 'none';
    case 'echo':
      return {
        method: request.method,
        path: pathname,
        q: searchParams.get('q'),
        header: request.headers.get('x-a'),
        body: await request.text(),
        requestId: context.requestId,
        traceparent: context.traceparent ?? null,
        variable: process.env.CONTRACT,
        function: context.functionName,
      };
  }
}
