import { isJsonObject } from '@fnlet/base';
import { type FieldError, goTypeName } from '@fnlet/machinery';
import { badRequest } from '../answer/status-texts.ts';
import { notRegistered } from './decode-object.ts';
import {
  checkDryRun,
  fieldError,
  invalidOption,
  parseFlag,
  parseInteger,
} from './request-options.ts';

/** What happens to dependents when their owner is deleted. */
export type PropagationPolicy = 'Foreground' | 'Background' | 'Orphan';

/** DeleteOptions from the body or, without one, from the query. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number | undefined;
  /** `undefined`: the finalizers on the object decide. */
  readonly propagation?: PropagationPolicy | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

const policies: readonly string[] = ['Foreground', 'Background', 'Orphan'];

/** @throws StatusError `Invalid`, `BadRequest` */
export function parseDeleteOptions(query: URLSearchParams, body: unknown): DeleteOptions {
  const source =
    isJsonObject(body) && Object.keys(body).length > 0 ? checkKind(body) : queryOptions(query);
  const errors = checkOptions(source);
  if (errors.length > 0) throw invalidOption('DeleteOptions', errors);
  const preconditions = isJsonObject(source.preconditions) ? source.preconditions : {};
  return {
    dryRun: dryRunOf(source).includes('All'),
    gracePeriodSeconds:
      typeof source.gracePeriodSeconds === 'number' ? source.gracePeriodSeconds : undefined,
    propagation: propagationOf(source),
    uid: typeof preconditions.uid === 'string' ? preconditions.uid : undefined,
    resourceVersion:
      typeof preconditions.resourceVersion === 'string' ? preconditions.resourceVersion : undefined,
  };
}

interface OptionsSource {
  readonly dryRun?: unknown;
  readonly gracePeriodSeconds?: unknown;
  readonly propagationPolicy?: unknown;
  readonly orphanDependents?: unknown;
  readonly preconditions?: unknown;
}

function checkKind(
  body: OptionsSource & { readonly kind?: unknown; readonly apiVersion?: unknown },
): OptionsSource {
  const { kind = 'DeleteOptions', apiVersion = 'v1', gracePeriodSeconds = 0 } = body;
  if (kind !== 'DeleteOptions') {
    throw badRequest(notRegistered({ apiVersion: String(apiVersion), kind: String(kind) }));
  }
  if (gracePeriodSeconds === null || typeof gracePeriodSeconds === 'number') return body;
  const into = 'Go struct field DeleteOptions.gracePeriodSeconds of type int64';
  throw badRequest(`json: cannot unmarshal ${goTypeName(gracePeriodSeconds)} into ${into}`);
}

function queryOptions(query: URLSearchParams): OptionsSource {
  return {
    dryRun: query.getAll('dryRun'),
    gracePeriodSeconds: parseInteger(query, 'gracePeriodSeconds'),
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    orphanDependents: parseFlag(query, 'orphanDependents'),
  };
}

function dryRunOf(source: OptionsSource): readonly string[] {
  return Array.isArray(source.dryRun) ? source.dryRun.map(String) : [];
}

function checkOptions(source: OptionsSource): FieldError[] {
  const errors: FieldError[] = [];
  const policy = source.propagationPolicy;
  if (policy !== undefined && policy !== null) {
    const field = 'propagationPolicy';
    if (source.orphanDependents !== undefined) {
      const text = 'orphanDependents and deletionPropagation cannot be both set';
      errors.push(
        fieldError('FieldValueInvalid', field, `Invalid value: ${JSON.stringify(policy)}: ${text}`),
      );
    } else if (!policies.includes(String(policy))) {
      const list = [...policies, 'nil'].map((name) => `"${name}"`).join(', ');
      const text = `Unsupported value: ${JSON.stringify(policy)}: supported values: ${list}`;
      errors.push(fieldError('FieldValueNotSupported', field, text));
    }
  }
  return [...errors, ...checkDryRun(dryRunOf(source))];
}

function propagationOf(source: OptionsSource): PropagationPolicy | undefined {
  const policy = source.propagationPolicy;
  if (policy === 'Foreground' || policy === 'Background' || policy === 'Orphan') return policy;
  if (source.orphanDependents === true) return 'Orphan';
  return source.orphanDependents === false ? 'Background' : undefined;
}
