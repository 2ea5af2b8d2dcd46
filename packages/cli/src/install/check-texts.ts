import { errorMessage } from '@fnlet/base';
import { partTexts } from '@fnlet/server/cluster/part-texts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import type { InstallValues } from './install-settings.ts';

/** Who reads the text of a setting when it starts. */
const readers: Readonly<Record<string, (text: string) => void>> = {
  bodyLimit: partTexts.bodyLimit,
  'gateway.url': partTexts.gatewayUrl,
  'gateway.trustedProxies': partTexts.trustedProxies,
  'gateway.tracesEndpoint': partTexts.tracesEndpoint,
  'events.log': partTexts.eventsLog,
  'artifacts.bucket': partTexts.artifactsBucket,
  'ingress.annotations': partTexts.ingressAnnotations,
  'httpRoute.parentRef': partTexts.httpRouteParent,
};

/** Settings that are told to nobody where they are empty. */
const mayBeEmpty: ReadonlySet<string> = new Set([
  ...['gateway.url', 'gateway.tracesEndpoint', 'events.log', 'artifacts.bucket'],
  ...['ingress.annotations', 'httpRoute.parentRef'],
]);

/**
 * Reads the texts of settings as controller and Gateway will: an installation whose parts end when
 * they start would be waited for in vain.
 *
 * @throws CliError `usage`
 */
export function checkTexts(values: InstallValues): void {
  for (const [path, read] of Object.entries(readers)) {
    const text = String(values[path]);
    if (text === '' && mayBeEmpty.has(path)) continue;
    try {
      read(text);
    } catch (cause) {
      const message = `Cannot use "${path}": ${errorMessage(cause)}`;
      throw new CliError(exitCodes.usage, message, { cause });
    }
  }
}
