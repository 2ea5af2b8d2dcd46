import assert from 'node:assert/strict';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';

/** A Fnlet as people with manifests of Kyma meet it. */
export interface KymaClients extends AsyncDisposable {
  readonly fnlet: FnletProcess;
  /** Runs kubectl, which must succeed; gives what it prints. */
  kubectl(...args: string[]): Promise<string>;
  /** Applies objects as a user's file holds them. */
  apply(...objects: object[]): Promise<void>;
  /** Applies Kyma Functions and waits until they are Running. */
  run(...functions: KymaFunction[]): Promise<void>;
  /** Calls a Function, `<name>` or `<name>.<namespace>`, through the Gateway. */
  call(name: string, path?: string, request?: RequestInit): Promise<Response>;
  /** The text of a call that is answered with 200. */
  answer(name: string, path?: string, request?: RequestInit): Promise<string>;
}

export interface KymaFunction {
  readonly name: string;
  readonly namespace?: string;
  readonly runtime?: string;
  readonly source?: string;
  readonly dependencies?: object | string;
  /** Further fields of the spec. */
  readonly spec?: object;
}

/** Starts one, with these variables of its own. */
export async function startKymaClients(
  env: Readonly<Record<string, string>> = {},
): Promise<KymaClients> {
  const fnlet = await startFnlet({ env });
  const kubectl = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await fnlet.kubectl(args);
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const apply = async (...objects: object[]): Promise<void> => {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    const { code, stderr } = await fnlet.kubectl(['apply', '-f', '-'], { input });
    assert.equal(code, 0, stderr);
  };
  const call: KymaClients['call'] = (name, path = '', request = {}) => {
    const [service = '', namespace = 'default'] = name.split('.');
    return fetch(`${fnlet.endpoints.gateway}/${namespace}/${service}/${path}`, request);
  };
  return {
    fnlet,
    kubectl,
    apply,
    call,
    async run(...functions) {
      await apply(...functions.map(manifestOf));
      for (const { name, namespace = 'default' } of functions) {
        const kind = `functions.serverless.kyma-project.io/${name}`;
        const wait = ['wait', '--for=condition=Running', kind, '-n', namespace];
        const { code, stderr } = await fnlet.kubectl([...wait, '--timeout=90s']);
        const status = ['get', kind, '-n', namespace, '-o', 'jsonpath={.status.conditions}'];
        assert.equal(code, 0, code === 0 ? '' : `${stderr}${await kubectl(...status)}`);
      }
    },
    async answer(name, path, request) {
      const response = await call(name, path, request);
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return text;
    },
    [Symbol.asyncDispose]: () => fnlet[Symbol.asyncDispose](),
  };
}

/** A manifest in the shape of Kyma's samples. */
export function manifestOf(wanted: KymaFunction): object {
  const { name, namespace = 'default', runtime = 'nodejs24', source, dependencies, spec } = wanted;
  const text = typeof dependencies === 'object' ? JSON.stringify(dependencies) : dependencies;
  const inline = { source, ...(text === undefined ? {} : { dependencies: text }) };
  return {
    apiVersion: 'serverless.kyma-project.io/v1alpha2',
    kind: 'Function',
    metadata: { name, namespace },
    spec: { runtime, ...(source === undefined ? {} : { source: { inline } }), ...spec },
  };
}
