/** `fnlet operator ls|describe|explain|logs|rbac|replay`, on a hub that runs. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import { type Finished, type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const greeting = (word: string): string => `
import { ConfigMap, defineKind, field, operator } from 'fnlet/operator';

export const Greeting = defineKind({
  group: 'example.dev', version: 'v1', kind: 'Greeting', description: 'A greeting.',
  spec: { who: field.text('Whom.') },
});

export default operator(Greeting, {
  owns: [ConfigMap],
  reconcile({ object: { metadata: { name }, spec: { who } } }) {
    console.log('asked about ' + who);
    const data = { text: '${word}, ' + who };
    return { children: [ConfigMap.of({ metadata: { name }, data })], requeueAfter: '1h' };
  },
});
`;

let fnlet: FnletProcess;
let cwd: string;
before(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fnlet-operator-tools-'));
  fnlet = await startFnlet();
});
after(async () => {
  await fnlet[Symbol.asyncDispose]();
  await rm(cwd, { recursive: true, force: true });
});

function operator(...args: string[]): Promise<Finished> {
  return fnlet.cli(['operator', ...args], { cwd });
}

async function say(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await operator(...args);
  assert.equal(code, 0, `fnlet operator ${args.join(' ')}:\n${stdout}${stderr}`);
  return stdout;
}

async function kubectl(args: readonly string[], input?: object): Promise<string> {
  const piped = input === undefined ? {} : { input: JSON.stringify(input) };
  const { code, stdout, stderr } = await fnlet.kubectl(args, piped);
  assert.equal(code, 0, `kubectl ${args.join(' ')}:\n${stderr}`);
  return stdout;
}

function greetingOf(who: string, labels: Readonly<Record<string, string>> = {}): object {
  const metadata = { name: 'ada', namespace: 'default', labels };
  return { apiVersion: 'example.dev/v1', kind: 'Greeting', metadata, spec: { who } };
}

async function textIs(text: string): Promise<void> {
  const get = ['get', 'configmap', 'ada', '-o', 'jsonpath={.data.text}'];
  await until(async () => (await fnlet.kubectl(get)).stdout === text, { what: text });
}

test('ls, describe and explain say what an Operator did, and why', async () => {
  assert.match((await operator('ls')).stderr, /No Operators/);
  assert.equal((await operator('describe', 'greetings')).code, exitCodes.notFound);
  await writeFile(join(cwd, 'greeting.ts'), greeting('Hello'));
  await say('deploy', 'greeting.ts');
  await kubectl(['apply', '-f', '-'], greetingOf('Ada'));
  await textIs('Hello, Ada');

  const explained = await until(
    async () => {
      const text = await say('explain', 'greetings', 'default/ada');
      return /State: +settled/.test(text) ? text : undefined;
    },
    { what: 'the object to be settled' },
  );
  assert.match(explained, /^Object: +Greeting default\/ada, generation 1\n/);
  assert.match(explained, /\nNext due: +\d{4}-\S+Z, in \d+m\n/);
  assert.match(explained, / created ConfigMap "default\/ada"\n/);
  assert.match(explained, / Greeting default\/ada was added\n/);

  await kubectl(['label', 'greeting', 'ada', 'tier=small']);
  await until(async () => /Filtered: .* of labels/.test(await say('explain', 'greetings', 'ada')), {
    what: 'the change of a label to be filtered',
  });
  await kubectl(['apply', '-f', '-'], greetingOf('Bob', { tier: 'small' }));
  await textIs('Hello, Bob');
  const changed = await until(
    async () => {
      const text = await say('explain', 'greetings', 'ada');
      return text.includes('was updated to generation 2') ? text : undefined;
    },
    { what: 'the run of the change' },
  );
  assert.match(changed, /\nRuns:\n +RUN +OUTCOME +AGE +TOOK +WRITES +REASON\n +greetings\.\S+ /);

  await until(async () => /greetings +Greeting +True +\w+ +1 +1 +0 +1 /.test(await say('ls')), {
    what: 'the counts in the status',
  });
  assert.equal(await say('ls', '-o', 'name'), 'operator.fnlet.dev/greetings\n');
  const description = await say('describe', 'greetings');
  for (const text of ['For:           Greeting (example.dev/v1)', '\nRuns:\n', 'Conditions:']) {
    assert.ok(description.includes(text), description);
  }
  const unknown = await say('explain', 'greetings', 'nobody');
  assert.match(unknown, /State: +unknown: The operator sees no such Greeting/);
  assert.equal((await operator('explain', 'others', 'ada')).code, exitCodes.notFound);
});

test('logs are those of its Function', async () => {
  await until(async () => (await say('logs', 'greetings')).includes('asked about Bob'), {
    what: 'the log',
  });
  assert.equal((await operator('logs', 'others')).code, exitCodes.notFound);
});

test('rbac of an Operator is what the hub asks for: with it alone it runs', async () => {
  const manifests = await say('rbac', 'greetings');
  assert.match(manifests, /^kind: ServiceAccount$/m);
  const roles = ['clusterrole,clusterrolebinding', 'default:greetings'];
  await kubectl(['delete', ...roles]);
  const lacking = ['wait', '--for=condition=Ready=false', 'operators.fnlet.dev/greetings'];
  await kubectl([...lacking, '--timeout=30s']);
  const described = await say('describe', 'greetings');
  assert.match(described, /\nMissing permissions, see fnlet operator rbac greetings:\n/);
  assert.match(described, /\n {2}get, list, watch, create, patch, delete configmaps everywhere\n/);
  const { code, stderr } = await fnlet.kubectl(['apply', '-f', '-'], { input: manifests });
  assert.equal(code, 0, stderr);
  const ready = ['wait', '--for=condition=Ready', 'operators.fnlet.dev/greetings'];
  await kubectl([...ready, '--timeout=30s']);
  // A file of that name comes first.
  await writeFile(join(cwd, 'greetings'), 'nothing');
  assert.notEqual((await operator('rbac', 'greetings')).code, 0);
  await rm(join(cwd, 'greetings'));
});

test('replay asks the code of today, and changes nothing', async () => {
  const [, run = ''] = /\n +(greetings\.\S+) /.exec(await say('explain', 'greetings', 'ada')) ?? [];
  assert.match(
    await say('replay', run),
    /^greetings\S+ for Greeting default\/ada: the same answer\n$/,
  );
  await writeFile(join(cwd, 'greeting.ts'), greeting('Bye'));
  await say('deploy', 'greeting.ts');
  const differs = await until(
    async () => {
      const text = await say('replay', run);
      return text.includes('another answer') ? text : undefined;
    },
    { what: 'the new code' },
  );
  assert.match(
    differs,
    /\n- children\[ConfigMap ada\]\.data\.text: "Hello, Bob"\n\+ .*"Bye, Bob"\n$/,
  );
  assert.equal((await operator('replay', 'greetings.none')).code, exitCodes.notFound);
});
