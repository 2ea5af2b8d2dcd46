import { formatApiVersion, parseApiVersion } from '@fnlet/machinery';
import { type BuiltinFacts, messageName } from '../builtins/facts/builtin-facts.ts';
import { readMessage } from './message-reader.ts';
import { WireError } from './wire-error.ts';
import { WireReader } from './wire-reader.ts';

/** The media type of bodies in Kubernetes' protobuf envelope. */
export const protobufType = 'application/vnd.kubernetes.protobuf';

/** What a body says that it is, and the bytes of that. */
export interface ProtobufEnvelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

const prefix: readonly number[] = [...Buffer.from('k8s\0')];

/**
 * Opens the envelope: `k8s\0`, then a runtime.Unknown (apimachinery, runtime/generated.proto).
 *
 * @throws WireError
 */
export function openEnvelope(body: Uint8Array): ProtobufEnvelope {
  if (body.byteLength === 0) throw new WireError('empty data');
  if (!prefix.every((byte, index) => body[index] === byte)) {
    const text = 'provided data does not appear to be a protobuf message, expected prefix';
    throw new WireError(`${text} [${prefix.join(' ')}]`);
  }
  if (body.byteLength === prefix.length) throw new WireError('empty body');
  const reader = new WireReader(body.subarray(prefix.length));
  let type: Pick<ProtobufEnvelope, 'apiVersion' | 'kind'> = { apiVersion: '', kind: '' };
  let raw: Uint8Array = new Uint8Array();
  while (!reader.isDone) {
    const { field, wireType } = reader.tag();
    if (field === 1 && wireType === 2) type = readTypeMeta(reader.bytes());
    else if (field === 2 && wireType === 2) raw = reader.bytes();
    else reader.skip(wireType);
  }
  return { ...type, raw };
}

function readTypeMeta(bytes: Uint8Array): Pick<ProtobufEnvelope, 'apiVersion' | 'kind'> {
  const reader = new WireReader(bytes);
  let apiVersion = '';
  let kind = '';
  while (!reader.isDone) {
    const { field, wireType } = reader.tag();
    if (field === 1 && wireType === 2) apiVersion = reader.text();
    else if (field === 2 && wireType === 2) kind = reader.text();
    else reader.skip(wireType);
  }
  return { apiVersion, kind };
}

/**
 * The JSON form of what is in an envelope. Options are the same message in every group.
 *
 * @throws WireError
 */
export function readEnvelope(
  facts: BuiltinFacts,
  { apiVersion, kind, raw }: ProtobufEnvelope,
): Readonly<Record<string, unknown>> {
  const { group, version } = parseApiVersion(apiVersion);
  const own = messageName({ group, version, kind });
  const names = [own, `meta.v1.${kind}`];
  const message = names.find((name) => facts.has(name) && facts.message(name).isKind);
  if (message === undefined) {
    const known = JSON.stringify(formatApiVersion({ group, version }));
    throw new WireError(`no kind ${JSON.stringify(kind)} is registered for version ${known}`);
  }
  return { apiVersion, kind, ...readMessage(facts, message, raw) };
}
