// What a warm Runner loads and calls once while it waits (see src/rehearsal.ts).
export default async (request, context) => {
  const { searchParams } = new URL(request.url);
  const headers = { 'x-rehearsed': request.headers.get('host') ?? context.requestId };
  return new Response(`${searchParams.get('a')} ${await request.text()}`, { headers });
};
