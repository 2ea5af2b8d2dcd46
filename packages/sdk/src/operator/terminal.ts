/**
 * An error to throw when trying again cannot help before something changes: the object is run again
 * with its next change only.
 *
 * @param reason for people, such as `spec.schedule is no cron expression`
 */
export function terminal(
  reason: string,
  options: { readonly cause?: unknown } = {},
): Error & { readonly code: 'Terminal' } {
  return Object.assign(new Error(reason, options), { code: 'Terminal' as const });
}
