import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode, isJsonObject, type JsonObject } from '@fnlet/base';
import { applyServerSide } from '../src/apply/server-side-apply.ts';
import {
  applyMergePatch,
  conflictStatus,
  type FieldType,
  type KubeObject,
  trackUpdate,
} from '../src/index.ts';
import { readVectors } from './vector-file.ts';

interface Exchange {
  readonly id: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  readonly response: { readonly status: number; readonly body?: unknown };
}

interface Recording {
  readonly exchanges: readonly Exchange[];
}

function isRecording(value: unknown): value is Recording {
  return isJsonObject(value) && Array.isArray(value.exchanges);
}

function isKubeObject(value: unknown): value is KubeObject {
  return isJsonObject(value) && isJsonObject(value.metadata);
}

const scalar: FieldType = { kind: 'scalar' };

function granular(fields: Record<string, FieldType>, element?: FieldType): FieldType {
  return {
    kind: 'map',
    relationship: 'granular',
    fields,
    ...(element === undefined ? {} : { element }),
  };
}

/** The Widget of the recording, as its CustomResourceDefinition has it. */
const widget = granular({
  apiVersion: scalar,
  kind: scalar,
  metadata: granular({ labels: granular({}, scalar) }, scalar),
  spec: granular({
    size: scalar,
    replicas: scalar,
    color: scalar,
    code: scalar,
    ports: {
      kind: 'list',
      relationship: 'map',
      keys: ['port', 'protocol'],
      keyDefaults: { protocol: 'TCP' },
      element: granular({ port: scalar, protocol: scalar, note: scalar }),
    },
    tags: { kind: 'list', relationship: 'set', keys: [], keyDefaults: {}, element: scalar },
    opts: granular({}, scalar),
    args: { kind: 'list', relationship: 'atomic', keys: [], keyDefaults: {}, element: scalar },
  }),
});

/** What the schema defaults, and what a server fills in. */
function stored(object: KubeObject): KubeObject {
  const spec = isJsonObject(object.spec) ? object.spec : {};
  if (!Array.isArray(spec.ports)) return object;
  const ports = spec.ports.map((port: unknown) =>
    isJsonObject(port) ? { protocol: 'TCP', ...port } : port,
  );
  return { ...object, spec: { ...spec, ports } };
}

/** The parts of an object that a recording fixes: server-made values are normalised there. */
function comparable(object: JsonObject): unknown {
  const { metadata, ...rest } = object;
  const entries: unknown = isJsonObject(metadata) ? metadata.managedFields : undefined;
  const managedFields = Array.isArray(entries)
    ? entries.map((entry: JsonObject) => ({ ...entry, time: 'time' in entry ? 'set' : 'unset' }))
    : undefined;
  return { ...rest, managedFields };
}

const now = '2026-01-01T00:00:00Z';

class Server {
  readonly #objects = new Map<string, KubeObject>();

  /** What the server would answer; undefined for what is not decided in this room. */
  answer({ request }: Exchange): unknown {
    const { query = {}, headers = {}, body } = request;
    const live = this.#objects.get(request.path);
    const type = headers['Content-Type'] ?? '';
    const manager = query.fieldManager ?? 'unknown';
    const after = type.includes('apply-patch')
      ? apply(live, body, { manager, force: query.force === 'true' })
      : type.includes('merge-patch') && live !== undefined
        ? update(live, body, manager)
        : undefined;
    if (after instanceof Error) return after;
    if (after !== undefined && query.dryRun === undefined) this.#objects.set(request.path, after);
    return after;
  }
}

function apply(
  live: KubeObject | undefined,
  config: unknown,
  { manager, force }: { readonly manager: string; readonly force: boolean },
): KubeObject | Error | undefined {
  if (!isKubeObject(config)) return undefined;
  try {
    const result = applyServerSide({ live, config, manager, force, type: widget, now });
    return result.kind === 'applied' ? stored(result.object) : conflictStatus(result.conflicts);
  } catch (error) {
    if (hasCode(error, 'InvalidTypedValue')) return error;
    throw error;
  }
}

function update(live: KubeObject, patch: unknown, manager: string): KubeObject | undefined {
  const after = applyMergePatch(live, patch);
  if (!isKubeObject(after)) return undefined;
  return trackUpdate({ before: live, after: stored(after), manager, type: widget, now });
}

const recording = readVectors('kubernetes/golden-0.36.json');
// Refused before anything is merged, or by the schema: for the API server to say.
const elsewhere =
  /no fieldManager|with managedFields|uid on missing|mismatch|no kind|invalid value|yaml|too long|refused/;

test('applyServerSide() and trackUpdate() answer as a recorded API server', async (context) => {
  if (!isRecording(recording)) {
    context.skip('the recordings are not beside the repository');
    return;
  }
  const server = new Server();
  for (const exchange of recording.exchanges) {
    if (!exchange.id.startsWith('cr-apply/') || elsewhere.test(exchange.id)) continue;
    await context.test(exchange.id, () => {
      const { body } = exchange.response;
      assert.ok(isJsonObject(body));
      const found = server.answer(exchange);
      if (found instanceof Error) {
        assert.equal(found.message, body.message);
        if ('status' in found) assert.deepEqual(found.status, body);
        return;
      }
      assert.ok(isJsonObject(found), 'expected an object');
      assert.deepEqual(comparable(found), comparable(body));
    });
  }
});
