/** What `fnlet init` writes. */
export interface Template {
  readonly description: string;
  readonly files: Readonly<Record<string, string>>;
}

const typescript = `import type { Handler } from 'fnlet';

/** Answers every request; try: fnlet call NAME --path '/?name=Ada' */
const handler: Handler = (request) => {
  const name = new URL(request.url).searchParams.get('name') ?? 'World';
  console.log('greeting', name);
  return \`Hello \${name}!\\n\`;
};

export default handler;
`;

const javascript = `/** Answers every request; try: fnlet call NAME --path '/?name=Ada' */
export default function handler(request) {
  const name = new URL(request.url).searchParams.get('name') ?? 'World';
  console.log('greeting', name);
  return \`Hello \${name}!\\n\`;
}
`;

const python = `from fnlet import Context, Request


def handler(request: Request, context: Context):
    """Answers every request; try: fnlet call NAME --path '/?name=Ada'"""
    name = request.query.get("name", "World")
    print("greeting", name)
    return f"Hello {name}!\\n"
`;

const event = `module.exports = {
  /** Called with the request's body as event.data; try: fnlet call NAME -d '{"name": "Ada"}' */
  main(event, context) {
    const name = event.data?.name ?? 'World';
    console.log('greeting', name);
    return { message: \`Hello \${name}, from \${context['function-name']}!\` };
  },
};
`;

const stream = `import { setTimeout as sleep } from 'node:timers/promises';

/** Sends an event a second; try: fnlet call NAME */
export default async function* handler(request, { signal }) {
  for (let count = 1; count <= 5 && !signal.aborted; count++) {
    yield { count };
    await sleep(1000);
  }
}
`;

const dependencies = `import { kebabCase } from 'lodash-es';

/** Uses an npm package, which package.json names. */
export default async function handler(request) {
  return \`\${kebabCase((await request.text()) || 'Hello World')}\\n\`;
}
`;

function manifest(dependencies: Readonly<Record<string, string>> = {}): string {
  return `${JSON.stringify({ private: true, type: 'module', dependencies }, undefined, 2)}\n`;
}

/** By name; the first one is the default. */
export const templates: Readonly<Record<string, Template>> = {
  typescript: {
    description: 'a handler in TypeScript',
    files: { 'handler.ts': typescript, 'package.json': manifest() },
  },
  javascript: {
    description: 'a handler in JavaScript',
    files: { 'handler.js': javascript, 'package.json': manifest() },
  },
  python: {
    description: 'a handler in Python',
    files: { 'handler.py': python },
  },
  event: {
    description: 'main(event, context), as Kyma, Kubeless and others have it',
    files: { 'handler.js': event },
  },
  stream: {
    description: 'server-sent events',
    files: { 'handler.js': stream, 'package.json': manifest() },
  },
  dependencies: {
    description: 'a handler that uses an npm package',
    files: { 'handler.js': dependencies, 'package.json': manifest({ 'lodash-es': '^4.17.21' }) },
  },
};
