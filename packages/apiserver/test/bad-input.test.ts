import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isJsonObject } from '@fnlet/base';
import { bodyValuesMax } from '../src/limits.ts';
import { at, listAt } from './at.ts';
import { type AskOptions, type OpenedServer, openServer } from './opened-server.ts';
import { delimited, envelope } from './wire-writer.ts';

const maps = '/api/v1/namespaces/default/configmaps';

interface Outcome {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

/** Asks, and insists that the answer is a Failure whose code is that of the answer. */
async function refused(
  server: OpenedServer,
  [method, path]: readonly [method: string, path: string],
  options: AskOptions = {},
): Promise<Outcome> {
  const { status: code, body } = await server.ask(method, path, options);
  const found: unknown = body;
  assert.ok(isJsonObject(found), `${method} ${path}: ${JSON.stringify(found)}`);
  assert.equal(found.kind, 'Status');
  assert.equal(found.status, 'Failure');
  assert.equal(found.code, code);
  const alive = await server.ask('GET', '/livez');
  assert.equal(alive.status, 200);
  return { code, reason: String(found.reason), message: String(found.message) };
}

function configMap(text: string): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},${text}}`;
}

describe('a bad request', () => {
  it('is told what is wrong with its selectors', async () => {
    await using server = await openServer();
    const selectors = ['a=b=c', 'a in (', '!!a', ',', '=', 'a>b', '(((((', 'ü=1'];
    for (const labelSelector of selectors) {
      const { code, reason } = await refused(server, ['GET', maps], { query: { labelSelector } });
      assert.deepEqual([code, reason], [400, 'BadRequest'], labelSelector);
    }
    for (const fieldSelector of ['metadata.name', 'data.k=1', 'a>b', '=']) {
      const { code } = await refused(server, ['GET', maps], { query: { fieldSelector } });
      assert.equal(code, 400, fieldSelector);
    }
  });

  it('is refused for its patch, of each type, without a trace', async () => {
    await using server = await openServer();
    await server.ask('POST', maps, { body: configMap('"data":{"k":"v"}') });
    const before = await server.ask('GET', `${maps}/a`);
    const operations = (count: number): string =>
      JSON.stringify(Array.from({ length: count }, () => ({ op: 'test', path: '/kind' })));
    const patches: readonly (readonly [type: string, body: string, code: number])[] = [
      ['json-patch+json', '{', 400],
      ['json-patch+json', '[{"op":"fly","path":"/data"}]', 400],
      ['json-patch+json', '[{"op":"remove","path":"/data/none"}]', 422],
      ['json-patch+json', '[{"op":"test","path":"/data/k","value":"w"}]', 422],
      ['json-patch+json', operations(10_001), 413],
      ['merge-patch+json', '[1,', 400],
      ['merge-patch+json', '{"data":[1]}', 422],
      ['strategic-merge-patch+json', '{"data":', 400],
      ['apply-patch+yaml', '&', 400],
      ['unknown-patch+json', '{}', 415],
    ];
    for (const [type, body, code] of patches) {
      const query = type.startsWith('apply') ? { fieldManager: 'test' } : {};
      const options = { contentType: `application/${type}`, body, query };
      const outcome = await refused(server, ['PATCH', `${maps}/a`], options);
      assert.equal(outcome.code, code, `${type} ${body.slice(0, 50)}: ${outcome.message}`);
      assert.ok(outcome.message.length < 4_000, type);
    }
    assert.deepEqual((await server.ask('GET', `${maps}/a`)).body, before.body);
  });

  it('cannot make the server unfold YAML or nest without end', async () => {
    await using server = await openServer();
    const unfolded = await refused(server, ['POST', maps], {
      contentType: 'application/yaml',
      body: yamlBomb(),
    });
    assert.equal(unfolded.code, 400);
    const deep = configMap(`"data":${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`);
    assert.equal((await refused(server, ['POST', maps], { body: deep })).code, 400);
    const flow = `a: ${'['.repeat(20_000)}`;
    const yaml = { contentType: 'application/yaml', body: flow };
    assert.equal((await refused(server, ['POST', maps], yaml)).code, 400);
  });

  it('is refused for its size, but not just below it', async () => {
    await using server = await openServer();
    const body = configMap(`"data":{"k":"${'x'.repeat(3 * 1024 * 1024)}"}`);
    const { code, reason } = await refused(server, ['POST', maps], { body });
    assert.deepEqual([code, reason], [413, 'RequestEntityTooLarge']);
  });

  it('is refused for its values, in every format, before they cost much', async () => {
    await using server = await openServer();
    const type = { contentType: 'application/vnd.kubernetes.protobuf' };
    // Metadata (1) with so many empty finalizers (14).
    const finalizers = Buffer.from('7200'.repeat(bodyValuesMax), 'hex');
    const message = delimited(1, finalizers);
    const protobuf = envelope({ apiVersion: 'v1', kind: 'ConfigMap' }, message);
    const many = Array.from({ length: bodyValuesMax }, (_, n) => n);
    const keys = many.map((n) => `k${n}: v`).join('\n');
    const bodies: readonly (readonly [body: string | Uint8Array, options: AskOptions])[] = [
      [configMap(`"a":[${many.map(() => '0').join()}]`), {}],
      [configMap(`"a":[${many.map(() => '{}').join()}]`), {}],
      [configMap(`"a":{${many.map((n) => `"${n}":0`).join()}}`), {}],
      [`apiVersion: v1\nkind: ConfigMap\n${keys}`, { contentType: 'application/yaml' }],
      [protobuf, type],
    ];
    for (const [body, options] of bodies) {
      const { code, reason, message } = await refused(server, ['POST', maps], { ...options, body });
      assert.deepEqual([code, reason], [413, 'RequestEntityTooLarge'], message);
    }
  });

  it('is told of keys that appear twice in YAML, however many there are', async () => {
    await using server = await openServer();
    const keys = Array.from({ length: 20_000 }, (_, n) => `  k${n}: v`).join('\n');
    const body = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n${keys}\n  k7: w\n`;
    const options = { contentType: 'application/yaml', query: { fieldValidation: 'Strict' } };
    const { message } = await refused(server, ['POST', maps], { ...options, body });
    assert.match(message, /line 20005: key "k7" already set in map/);
  });

  it('keeps the thread from nobody while YAML is read, however long that takes', async () => {
    await using server = await openServer();
    let turns = 0;
    let isRead = false;
    const count = (): void => {
      turns++;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);
    const comments = '# c\n'.repeat(50_000);
    const body = `${comments}apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: &a v, l: *a}\n`;
    const contentType = 'application/yaml';
    const { status } = await server.ask('POST', maps, { contentType, body });
    isRead = true;
    assert.equal(status, 201);
    assert.deepEqual(at((await server.ask('GET', `${maps}/a`)).body, '/data'), { k: 'v', l: 'v' });
    // Read on this thread, it would be one turn in all.
    assert.ok(turns > 20, `${turns} turns`);
  });

  it('is refused for many anchors and aliases in YAML, of which each is looked for', async () => {
    await using server = await openServer();
    const pairs = Array.from({ length: 200 }, (_, n) => `  k${n}: &a${n} v\n  l${n}: *a${n}\n`);
    const body = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n${pairs.join('')}`;
    const options = { contentType: 'application/yaml', body };
    const { code, message } = await refused(server, ['POST', maps], options);
    assert.equal(code, 413);
    assert.match(message, /limit is 250 anchors and aliases of YAML$/);
  });

  it('is told of a hundred fields that are not known, however many there are', async () => {
    await using server = await openServer();
    const fields = Array.from({ length: 20_000 }, (_, n) => `"k${n}":0`);
    const options = { body: configMap(fields.join()), query: { fieldValidation: 'Strict' } };
    const { message } = await refused(server, ['POST', maps], options);
    assert.equal(message.match(/unknown field/g)?.length, 100);
  });

  it('leaves nothing behind in memory', async () => {
    await using server = await openServer();
    const size = 3 * 1024 * 1024 - 200;
    const bodies: readonly (readonly [body: string | Uint8Array, contentType: string])[] = [
      [configMap(`"data":{"k":${'x'.repeat(size)}}`), 'application/json'],
      [configMap(`"data":{"k":["${'x'.repeat(size)}"]}`), 'application/json'],
      [configMap(`"data":${'['.repeat(size)}`), 'application/json'],
      [configMap(`"data":${'['.repeat(size / 3)}${']'.repeat(size / 3)}`), 'application/json'],
      [yamlBomb(), 'application/yaml'],
      [Buffer.alloc(size, 'k8s\0'), 'application/vnd.kubernetes.protobuf'],
    ];
    const round = async (): Promise<number> => {
      for (const [body, contentType] of bodies) {
        const { code } = await refused(server, ['POST', maps], { body, contentType });
        assert.ok(code >= 400 && code < 500, `${contentType}: ${code}`);
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    await round();
    const before = await round();
    for (let n = 0; n < 2; n++) await round();
    const grownMB = ((await round()) - before) / 2 ** 20;
    // One body that stayed in each round would be 9 MB.
    assert.ok(grownMB < 5, `grown by ${grownMB} MB`);
  });

  it('reaches nothing by a name that is a path', async () => {
    await using server = await openServer();
    for (const name of ['..', '.', '%2e%2e', '..%2f..%2fsecrets', 'a%2fb', 'a%00', '%ff', '%']) {
      for (const method of ['GET', 'DELETE']) {
        const { code } = await refused(server, [method, `${maps}/${name}`]);
        assert.ok(code === 400 || code === 404, `${method} ${name}: ${code}`);
      }
      const metadata = { name: decodeLeniently(name) };
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      const { code } = await refused(server, ['POST', maps], { body });
      assert.ok(code === 422 || code === 400, `POST ${name}: ${code}`);
    }
    const { body } = await server.ask('GET', maps);
    assert.deepEqual(listAt(body, '/items').length, 1);
  });

  it('is refused for options that make no sense', async () => {
    await using server = await openServer();
    const queries: readonly (readonly [query: Record<string, string>, code: number])[] = [
      [{ limit: 'many' }, 400],
      [{ resourceVersion: '-1' }, 400],
      [{ resourceVersion: '999999999' }, 504],
      [{ continue: 'not a token' }, 400],
      [{ continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":"x"}').toString('base64url') }, 400],
      [{ resourceVersionMatch: 'Exact' }, 422],
      [{ resourceVersionMatch: 'Exact', resourceVersion: '0' }, 422],
      [{ sendInitialEvents: 'true' }, 422],
      [{ watch: '1', sendInitialEvents: 'true' }, 422],
      [{ timeoutSeconds: 'x', watch: '1' }, 400],
    ];
    for (const [query, code] of queries) {
      const outcome = await refused(server, ['GET', maps], { query });
      assert.equal(outcome.code, code, `${JSON.stringify(query)}: ${outcome.message}`);
    }
  });

  it('is nobody with a token that is not known', async () => {
    await using server = await openServer();
    for (const token of ['', 'wrong', 'a.b.c', 'x'.repeat(10_000)]) {
      const headers = { authorization: `Bearer ${token}` };
      const { code } = await refused(server, ['GET', maps], { headers, anonymous: true });
      assert.equal(code, 401, token.slice(0, 10));
    }
    assert.equal((await refused(server, ['GET', maps], { anonymous: true })).code, 403);
  });
});

/** A list of lists of lists, by aliases: a million million texts ("billion laughs"). */
function yamlBomb(): string {
  const laughs = Array.from({ length: 12 }, (_, n) => {
    const items = n === 0 ? '"ha"' : Array.from({ length: 10 }, () => `*l${n - 1}`).join(',');
    return `l${n}: &l${n} [${items}]`;
  });
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n${laughs.join('\n')}\n`;
}

/** What `--expose-gc` gives, without the flag. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

function decodeLeniently(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
