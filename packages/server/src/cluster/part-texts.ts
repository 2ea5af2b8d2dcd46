/** Texts that controller and Gateway read when they start: what they refuse, nobody has to install. */
import { parseBlobLocation } from '@fnlet/executor/cluster';
import { parseEventsLog } from '../events-log.ts';
import { readTrustedProxies } from '../read-trusted-proxies.ts';
import { parseBytes, parseHttpUrl } from '../setting.ts';
import { resolveRouteSettings } from './routes/route-settings.ts';

/** Reads a text, and throws `FnletError` for what a part would end with. */
type TextReader = (text: string) => void;

/** Readers of texts, by what is read. */
export const partTexts: Readonly<Record<PartText, TextReader>> = {
  bodyLimit: (text) => void parseBytes({ from: '--body-limit', text }),
  gatewayUrl: (text) => void parseHttpUrl({ from: '--gateway-url', text }),
  tracesEndpoint: (text) => void parseHttpUrl({ from: 'OTEL_EXPORTER_OTLP_ENDPOINT', text }),
  trustedProxies: (text) => void readTrustedProxies(text),
  eventsLog: (text) => void parseEventsLog(text),
  artifactsBucket: (text) => void parseBlobLocation(text),
  ingressAnnotations: (text) => readRoutes({ ingressClass: 'any', ingressAnnotations: text }),
  httpRouteParent: (text) => readRoutes({ httpRouteParent: text }),
};

type PartText =
  | 'bodyLimit'
  | 'gatewayUrl'
  | 'tracesEndpoint'
  | 'trustedProxies'
  | 'eventsLog'
  | 'artifactsBucket'
  | 'ingressAnnotations'
  | 'httpRouteParent';

function readRoutes(texts: Partial<Parameters<typeof resolveRouteSettings>[0]>): void {
  const none = { ingressClass: 'none', ingressAnnotations: 'none', httpRouteParent: 'none' };
  resolveRouteSettings({ ...none, ...texts });
}
