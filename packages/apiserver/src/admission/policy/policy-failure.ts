import { StatusError, type StatusReason } from '@fnlet/machinery';
import { forbidden } from '../../answer/status-texts.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { MutatingPolicy, PolicyBinding } from './policy.ts';
import type { Misconfiguration } from './policy-invocations.ts';

/** Why a policy cannot do its work. */
export interface PolicyFailure {
  readonly policy: MutatingPolicy;
  /** Absent: that of the policy itself. */
  readonly binding: PolicyBinding | undefined;
  readonly message: string;
  readonly reason?: StatusReason;
}

/** A policy that cannot be asked, as it is told of. */
export function misconfigured({
  policy,
  binding,
  message,
}: Misconfiguration<MutatingPolicy>): PolicyFailure {
  return { policy, binding, message };
}

/** The Status of a refusal (apiserver, admission/plugin/policy/generic). */
export function refusal(
  { resource, name }: AdmissionAttributes,
  failures: readonly PolicyFailure[],
): StatusError {
  const causes = failures.map((failure) => ({ message: failureText(failure) }));
  const text = causes[0]?.message ?? '';
  const { status } = forbidden(resource.strategy.type, name, { text, causes });
  // The reason is that of the first one; the code is told apart from it.
  return new StatusError({
    ...status,
    message: text,
    reason: failures[0]?.reason ?? 'Forbidden',
  });
}

function failureText({ policy, binding, message }: PolicyFailure): string {
  return binding === undefined
    ? `policy "${policy.name}" denied request: ${message}`
    : `policy '${policy.name}' with binding '${binding.name}' denied request: ${message}`;
}
