import type { Handler } from 'fnlet';
import { greet } from './greeting.ts';

/** Web-standard Request in; a string, an object, a Response or a stream out. */
const handler: Handler = async (request, context) => {
  const name = new URL(request.url).searchParams.get('name') ?? 'World';
  console.log('greeting', name);
  return Response.json({ message: greet(name), requestId: context.requestId });
};

export default handler;
