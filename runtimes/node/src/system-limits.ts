import type { InvocationLimits, Specialisation } from '@fnlet/invocation';

const bytesPerMebibyte = 1024 * 1024;

/**
 * The limits that hold for a function: those of its Revision, except that functions of Kyma and
 * Kubeless set their timeout (seconds) and body size (MiB, 1 by default) by variables.
 */
export function systemLimits(specialisation: Specialisation): InvocationLimits {
  const { compatibility, env, limits } = specialisation;
  if (compatibility === undefined) return limits;
  const timeoutSeconds = positive(env.FUNC_TIMEOUT);
  const bodyMebibytes = positive(env.FUNC_BODY_MB_LIMIT) ?? positive(env.REQ_MB_LIMIT) ?? 1;
  return {
    ...limits,
    timeoutMs: timeoutSeconds === undefined ? limits.timeoutMs : timeoutSeconds * 1000,
    bodyBytesMax: Math.floor(bodyMebibytes * bytesPerMebibyte),
  };
}

function positive(text: string | undefined): number | undefined {
  const number = Number(text);
  return text !== undefined && Number.isFinite(number) && number > 0 ? number : undefined;
}
