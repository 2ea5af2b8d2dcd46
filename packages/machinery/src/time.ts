/** An instant as Kubernetes' Time writes it: RFC 3339, UTC, whole seconds. */
export function toKubeTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** An instant as Kubernetes' MicroTime writes it: RFC 3339, UTC, six digits of a second. */
export function toKubeMicroTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 23)}000Z`;
}
