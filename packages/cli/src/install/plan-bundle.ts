/** Fnlet's own program as immutable ConfigMaps, for clusters that have no image of it. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { KubeObject } from '@fnlet/machinery';
import { bundlePieceBytes } from '../limits.ts';
import { installationLabel } from './installation-labels.ts';
import type { BundleNames } from './pod-template.ts';

/** Texts by their paths below `/fnlet`; files that are none are in base64. */
export type BundleFiles = Readonly<Record<string, string>>;

/** Whether a file of this name is no text. */
export function isBinaryFile(name: string): boolean {
  return /\.(node|wasm)$/.test(name);
}

export interface PlannedBundle {
  readonly names: BundleNames;
  readonly objects: readonly KubeObject[];
}

/** Key of the ConfigMap that a piece stands under. */
const key = 'piece';

/** Beginning of the names of these ConfigMaps. */
export const bundlePrefix = 'fnlet-program';

/**
 * The first argument is the directory to write to, the others are the pieces. It is one program of
 * CommonJS, as `node -e` takes it.
 */
const unpack = [
  "const fs = require('node:fs'), path = require('node:path'), zlib = require('node:zlib');",
  'const [to, ...pieces] = process.argv.slice(1);',
  'const packed = Buffer.concat(pieces.map((piece) => fs.readFileSync(piece)));',
  'for (const [name, text] of Object.entries(JSON.parse(zlib.gunzipSync(packed)))) {',
  '  const file = path.join(to, name);',
  '  fs.mkdirSync(path.dirname(file), { recursive: true });',
  "  fs.writeFileSync(file, text, /\\.(node|wasm)$/.test(name) ? 'base64' : 'utf8');",
  '}',
].join('\n');

/** The ConfigMaps that hold these files. Their names say what is in them: they never change. */
export function planBundle(files: BundleFiles, namespace: string): PlannedBundle {
  const sorted = Object.fromEntries(Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const packed = gzipSync(JSON.stringify(sorted), { level: 9 });
  const digest = createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 12);
  const count = Math.ceil(packed.length / bundlePieceBytes);
  const objects = Array.from({ length: count }, (_, index): KubeObject => {
    const start = index * bundlePieceBytes;
    const labels = {
      'app.kubernetes.io/name': bundlePrefix,
      'app.kubernetes.io/part-of': 'fnlet',
      [installationLabel]: namespace,
    };
    const fields = {
      immutable: true,
      binaryData: { [key]: packed.subarray(start, start + bundlePieceBytes).toString('base64') },
    };
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${bundlePrefix}-${digest}-${index}`, namespace, labels },
      ...fields,
    };
  });
  return { names: { pieces: objects.map(({ metadata }) => metadata.name), unpack }, objects };
}
