import { jsonEqual } from '@fnlet/base';
import { invalidError, type KubeObject } from '@fnlet/machinery';
import { forbidden } from '../answer/status-texts.ts';
import { pemOf } from '../builtins/certificates/signing-request-rule.ts';
import { invalid } from '../builtins/refusal.ts';
import { objectField, textField } from '../object/object-form.ts';
import type { Asker } from '../resource/strategy.ts';
import { readCertificationRequest } from '../tls/certification-request.ts';

const group = 'certificates.k8s.io';

/**
 * A request must be signed by the key that it is about, and nobody becomes an administrator by it;
 * who approves or signs it must hold that verb on its signer (admission plugins
 * CertificateSubjectRestriction, CertificateApproval and CertificateSigning).
 *
 * @throws StatusError `Forbidden`, `Invalid`
 */
export async function admitSigningRequest(
  request: KubeObject,
  old: KubeObject | undefined,
  asker: Asker,
): Promise<void> {
  if (old === undefined) return await checkRequest(request);
  const signer = textField(objectField(old, 'spec'), 'signerName');
  if (asker.subresource === 'approval') {
    await checkSignerAccess(request, { verb: 'approve', signer }, asker);
  }
  if (asker.subresource === 'status' && !jsonEqual(request.status, old.status)) {
    await checkSignerAccess(request, { verb: 'sign', signer }, asker);
  }
}

async function checkRequest(object: KubeObject): Promise<void> {
  const { request, signerName } = objectField(object, 'spec');
  const read = await readCertificationRequest(pemOf(request));
  const { name } = object.metadata;
  if (typeof read === 'string') {
    throw invalidError({ group, kind: object.kind }, name, [
      invalid('spec.request', request, read),
    ]);
  }
  const isClient = signerName === 'kubernetes.io/kube-apiserver-client';
  if (!isClient || !read.organizations.includes('system:masters')) return;
  throw refusal(name, `use of ${signerName} signer with system:masters group is not allowed`);
}

async function checkSignerAccess(
  { metadata }: KubeObject,
  { verb, signer }: { readonly verb: 'approve' | 'sign'; readonly signer: string },
  { user, access }: Asker,
): Promise<void> {
  const target = { group, version: '*', resource: 'signers', subresource: '', namespace: '' };
  const [domain = ''] = signer.split('/');
  for (const name of [signer, `${domain}/*`]) {
    const attributes = { kind: 'resource' as const, user, verb, ...target, name };
    if ((await access.authorize(attributes)).allowed) return;
  }
  const text = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`;
  throw refusal(metadata.name, text);
}

function refusal(name: string, text: string): Error {
  return forbidden({ group, plural: 'certificatesigningrequests' }, name, { text });
}
