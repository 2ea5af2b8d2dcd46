import type { JsonObject } from '@fnlet/base';
import { type FieldError, type KubeObject, toKubeTime } from '@fnlet/machinery';
import { ageColumn, humanDuration, nameColumn } from '../../answer/column.ts';
import { listField, objectField, textField, withFields } from '../../object/object-form.ts';
import type { HookContext, UpdateContext } from '../../resource/strategy.ts';
import { column, none, specText } from '../cells.ts';
import { fill } from '../fill.ts';
import type { KindRules } from '../kind-rules.ts';
import {
  issuedCertificateRule,
  signingRequestConditionsRule,
  signingRequestSpecRule,
  signingStatusChanges,
} from './signing-request-rule.ts';

/** Who asks is not for the asker to say. */
function prepareCreate(request: KubeObject, { user }: HookContext): KubeObject {
  const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...spec } = specOf(request);
  const asker =
    user === undefined
      ? {}
      : {
          username: user.name,
          ...(user.uid === undefined ? {} : { uid: user.uid }),
          groups: user.groups,
          ...(user.extra === undefined ? {} : { extra: user.extra }),
        };
  return withFields(request, { spec: { ...spec, ...asker }, status: {} });
}

/** What was asked for stands; a status leaves it alone whether that was approved. */
function prepareUpdate(request: KubeObject, update: UpdateContext): KubeObject {
  const { old, subresource, now } = update;
  const kept = withFields(request, { spec: old.spec });
  if (subresource === undefined) return kept;
  const before = listField(objectField(old, 'status'), 'conditions');
  const stated = listField(objectField(kept, 'status'), 'conditions');
  if (stated.length === 0) return kept;
  const settled = subresource === 'status' ? keepDecisions(stated, before) : stated;
  const conditions = settled.map((condition) => withTimes(condition, before, toKubeTime(now)));
  return withFields(kept, { status: { ...objectField(kept, 'status'), conditions } });
}

function keepDecisions(
  stated: readonly JsonObject[],
  before: readonly JsonObject[],
): readonly JsonObject[] {
  return stated.map((condition) => {
    const isDecision = condition.type === 'Approved' || condition.type === 'Denied';
    const known = before.find(({ type }) => type === condition.type);
    return isDecision && known !== undefined ? known : condition;
  });
}

function withTimes(condition: JsonObject, before: readonly JsonObject[], now: string): JsonObject {
  const same = before.find(
    ({ type, status }) => type === condition.type && status === condition.status,
  );
  const since = same === undefined ? '' : textField(same, 'lastTransitionTime');
  return fill(condition, {
    lastUpdateTime: now,
    lastTransitionTime: since === '' ? now : since,
  });
}

function validate(
  request: KubeObject,
  old: KubeObject | undefined,
  subresource: string | undefined,
): readonly FieldError[] {
  const { conditions, certificate } = objectField(request, 'status');
  return [
    ...(old === undefined ? signingRequestSpecRule(request.spec, 'spec') : []),
    ...signingRequestConditionsRule(conditions, 'status.conditions'),
    ...issuedCertificateRule(certificate, 'status.certificate'),
    ...(old === undefined ? [] : signingStatusChanges(request, old, subresource)),
  ];
}

function specOf(request: KubeObject): JsonObject {
  return objectField(request, 'spec');
}

function requestedDuration(request: KubeObject): string {
  const { expirationSeconds } = specOf(request);
  return typeof expirationSeconds === 'number' ? humanDuration(expirationSeconds * 1000) : none;
}

function conditionCell(request: KubeObject): string {
  const status = objectField(request, 'status');
  const types = listField(status, 'conditions').map(({ type }) => type);
  const decision = ['Denied', 'Approved'].find((type) => types.includes(type)) ?? 'Pending';
  const failed = types.includes('Failed') ? ',Failed' : '';
  return decision + failed + (textField(status, 'certificate') === '' ? '' : ',Issued');
}

/** certificates.k8s.io/v1 CertificateSigningRequest. */
export const certificateSigningRequestRules: KindRules = {
  group: 'certificates.k8s.io',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  nameRule: 'pathSegment',
  columns: [
    nameColumn,
    ageColumn,
    column(
      'SignerName',
      'Who is asked to sign.',
      (request) => specText('signerName')(request) || none,
    ),
    column('Requestor', 'Who asked.', specText('username')),
    column('RequestedDuration', 'How long the certificate should be valid.', requestedDuration),
    column('Condition', 'Whether it was approved, denied, signed.', conditionCell),
  ],
  selectableFields: { 'spec.signerName': specText('signerName') },
  prepareCreate,
  prepareUpdate,
  validate,
  admit: async (request, old, asker) => {
    const { admitSigningRequest } = await import('../../auth/admit-signing-request.ts');
    await admitSigningRequest(request, old, asker);
  },
};
