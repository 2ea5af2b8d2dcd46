/**
 * Writes what is in `deploy/` and the table of values in docs/cluster.md from what `fnlet install`
 * applies: `node tooling/deploy.ts`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import {
  defaultValues,
  type InstallSetting,
  installSettings,
} from '../packages/cli/src/install/install-settings.ts';
import {
  installedDefinitions,
  installTemplate,
  planInstall,
} from '../packages/cli/src/install/plan-install.ts';
import type { KubeObject } from '../packages/machinery/src/index.ts';
import { fnletVersion } from '../packages/server/src/version.ts';
import { dashboards, toGrafana } from './dashboards.ts';
import { escapeForHelm, planValuesSchema, printManifests, printValues } from './helm-chart.ts';
import { repositoryRoot } from './source-file.ts';

/** What a kustomization replaces (`images:`) by the name of the image that was pushed. */
const placeholderImage = 'fnlet';
const made = '# Made by tooling/deploy.ts.\n';
const page = 'docs/cluster.md';
const tableMarks = ['<!-- values -->', '<!-- /values -->'] as const;

/** Path in the repository -> text, of everything that is made. */
export function planDeployFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(chartFiles()).map(([path, text]) => [`deploy/helm/${path}`, text] as const),
    ...Object.entries(kustomizeFiles()).map(
      ([path, text]) => [`deploy/kustomize/${path}`, text] as const,
    ),
    ...dashboards.map((dashboard) => {
      const text = `${JSON.stringify(toGrafana(dashboard), undefined, 2)}\n`;
      return [`deploy/dashboards/${dashboard.uid}.json`, text] as const;
    }),
    [page, withTable(readFileSync(join(repositoryRoot, page), 'utf8'))],
  ]);
}

function chartFiles(): Record<string, string> {
  const kept = installedDefinitions.map((definition) => ({
    ...definition,
    metadata: {
      ...definition.metadata,
      // Deleting a definition deletes all objects of the kind.
      annotations: { 'helm.sh/resource-policy': 'keep' },
    },
  }));
  const chart = {
    apiVersion: 'v2',
    name: 'fnlet',
    description: 'Functions on Kubernetes without building an image, asleep at zero',
    ...{ type: 'application', version: fnletVersion, appVersion: fnletVersion },
    kubeVersion: '>=1.28.0-0',
  };
  return {
    'Chart.yaml': made + stringify(chart),
    'values.yaml': printValues(installSettings),
    'values.schema.json': `${JSON.stringify(planValuesSchema(installSettings), undefined, 2)}\n`,
    'templates/definitions.yaml': made + escapeForHelm(toYaml(kept)),
    'templates/fnlet.yaml': made + printManifests(installTemplate()),
  };
}

function kustomizeFiles(): Record<string, string> {
  const values = { ...defaultValues, image: placeholderImage };
  const [namespace, ...others] = planInstall({ namespace: 'fnlet-system', values });
  const rest = others.filter(({ kind }) => kind !== 'CustomResourceDefinition');
  const resources = ['namespace.yaml', 'definitions.yaml', 'fnlet.yaml'];
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources,
  };
  return {
    'kustomization.yaml': made + stringify(kustomization),
    'namespace.yaml': made + toYaml(namespace === undefined ? [] : [namespace]),
    'definitions.yaml': made + toYaml(installedDefinitions),
    'fnlet.yaml': made + toYaml(rest),
  };
}

function toYaml(objects: readonly KubeObject[]): string {
  // kubectl and Helm read YAML 1.1, where a plain `off` is false.
  const options = { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' } as const;
  return objects.map((object) => `---\n${stringify(object, options)}`).join('');
}

/** The page with the table of values as they are now. */
function withTable(text: string): string {
  const [start, end] = tableMarks;
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`Cannot write ${page}: found no ${start} and ${end}`);
  const head = '\n| value | default | meaning |\n|---|---|---|\n';
  const rows = installSettings.map((setting) => `${printRow(setting)}\n`).join('');
  return text.slice(0, from + start.length) + head + rows + text.slice(to);
}

function printRow({ path, default: fallback, choices, description }: InstallSetting): string {
  const chosen = choices === undefined ? '' : `: ${choices.map((c) => `\`${c}\``).join(', ')}`;
  const shown =
    fallback === ''
      ? ''
      : `\`${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}\``;
  return `| \`${path}\` | ${shown} | ${description}${chosen} |`;
}

if (import.meta.main) {
  for (const [path, text] of planDeployFiles()) {
    const file = join(repositoryRoot, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
