const nobodyAsks = 'nothing calls webhooks here: objects are written without asking it';
const nobodyRules = 'admission policies are kept, not enforced here';

/**
 * Kinds that would change what the server itself does, and do not here: they are kept, so that what
 * brings them along can be installed, and whoever writes one is told. By group and kind.
 */
const inertKinds: Readonly<Record<string, string>> = {
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': nobodyAsks,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': nobodyAsks,
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': nobodyRules,
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': nobodyRules,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': nobodyRules,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': nobodyRules,
  'apiregistration.k8s.io/APIService': 'requests are not passed on to other API servers here',
  'certificates.k8s.io/CertificateSigningRequest': 'nothing signs certificates here',
  'flowcontrol.apiserver.k8s.io/FlowSchema': 'requests are not queued by priority here',
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration':
    'requests are not queued by priority here',
};

/** What is said to whoever writes an object of a kind that is kept and has no effect. */
export function inertWarning({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): string | undefined {
  const [group = ''] = apiVersion.split('/');
  return inertKinds[`${group}/${kind}`];
}
