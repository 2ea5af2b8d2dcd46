/**
 * Packages that code for Kyma imports without declaring them, because its images have them. Here
 * they are installed with the dependencies of those functions that import them, and of no others.
 */
import type { Compatibility } from '@fnlet/invocation';
import type { SourceFiles } from './source-files.ts';

/** Versions by the names of packages of npm. */
type NodePackages = Readonly<Record<string, string>>;

const kymaNodePackages: NodePackages = {
  '@opentelemetry/api': '^1',
  '@opentelemetry/context-async-hooks': '^2',
  '@opentelemetry/core': '^2',
  '@opentelemetry/exporter-prometheus': '^0',
  '@opentelemetry/exporter-trace-otlp-http': '^0',
  '@opentelemetry/instrumentation': '^0',
  '@opentelemetry/instrumentation-express': '^0',
  '@opentelemetry/instrumentation-http': '^0',
  '@opentelemetry/propagator-b3': '^2',
  '@opentelemetry/resources': '^2',
  '@opentelemetry/sdk-metrics': '^2',
  '@opentelemetry/sdk-trace-base': '^2',
  '@opentelemetry/sdk-trace-node': '^2',
  '@opentelemetry/semantic-conventions': '^1',
  axios: '^1',
  'body-parser': '^2',
  cloudevents: '^10',
  co: '^4',
  express: '^5',
  morgan: '^1',
  mz: '^2',
};

/** Requirements by the modules that they are imported as. */
const kymaPythonPackages: Readonly<Record<string, string>> = {
  cheroot: 'cheroot',
  cloudevents: 'cloudevents<2',
  flask: 'flask<4',
  gevent: 'gevent',
  opentelemetry: 'opentelemetry-api',
  'opentelemetry.exporter.otlp': 'opentelemetry-exporter-otlp-proto-http',
  'opentelemetry.instrumentation.requests': 'opentelemetry-instrumentation-requests',
  'opentelemetry.propagators.b3': 'opentelemetry-propagator-b3',
  'opentelemetry.sdk': 'opentelemetry-sdk',
  prometheus_client: 'prometheus_client',
  requests: 'requests',
  requestlogger: 'wsgi-request-logger',
};

const nodeFile = /(?<!\.d)\.[mc]?[jt]s$/;
const pythonFile = /\.py$/;

/** Whether the text of a file says which packages are imported. */
export function isImporter(path: string): boolean {
  const isInstalled = /(^|\/)(node_modules|site-packages)\//.test(path);
  return !isInstalled && (nodeFile.test(path) || pythonFile.test(path));
}

/**
 * What of the packages of an image code for Node imports, by its text. That a comment or a string
 * may look like an import does no harm.
 */
export function importedNodePackages(
  files: SourceFiles,
  compatibility: Compatibility | undefined,
): NodePackages {
  if (compatibility !== 'kyma') return {};
  const imports = /\b(?:from|import|require)\s*\(?\s*['"]((?:@[^'"/]+\/)?[^'"/]+)/g;
  const found = new Set(textsOf(files, nodeFile).flatMap((text) => firstGroups(text, imports)));
  return Object.fromEntries(Object.entries(kymaNodePackages).filter(([name]) => found.has(name)));
}

/** What of the packages of an image code in Python imports, as requirements. */
export function importedPythonPackages(
  files: SourceFiles,
  compatibility: Compatibility | undefined,
): readonly string[] {
  if (compatibility !== 'kyma') return [];
  const modules = new Set(textsOf(files, pythonFile).flatMap(importedModules));
  return Object.entries(kymaPythonPackages)
    .filter(([name]) => [...modules].some((module) => `${module}.`.startsWith(`${name}.`)))
    .map(([, requirement]) => requirement);
}

// `import a, b.c as d`, `from a.b import c`: the last may be a module, too.
function importedModules(text: string): readonly string[] {
  const plain = firstGroups(text, /^[ \t]*import[ \t]+([^#;\r\n]+)/gm).flatMap((list) =>
    list.split(',').map((each) => each.trim().split(/\s/)[0] ?? ''),
  );
  // Kyma's newer form, which is a view of Flask and need not say so.
  const views = /^def main\(\s*\)/m.test(text) ? ['flask'] : [];
  const members = [...text.matchAll(/^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t(]+(\w+)/gm)];
  return [...plain, ...views, ...members.map(([, module, member]) => `${module}.${member}`)];
}

function textsOf(files: SourceFiles, kind: RegExp): readonly string[] {
  return Object.entries(files)
    .filter(([path]) => isImporter(path) && kind.test(path))
    .map(([, text]) => text);
}

function firstGroups(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].flatMap(([, group]) => group ?? []);
}
