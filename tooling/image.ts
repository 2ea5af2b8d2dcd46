/**
 * Makes the image of Fnlet's own parts without a builder of images, from a base that lies on the
 * disk in the layout of OCI (image-spec, `oci-layout`): what deploy/Dockerfile makes, with the same
 * digest each time.
 *
 *     skopeo copy --all docker://node:24-slim oci:base
 *     node tooling/image.ts base fnlet-image
 *     skopeo copy --all oci:fnlet-image docker://registry.example/fnlet:0.1.0
 *
 * I1. One layer more for every platform of the base; it is the same for all: the program is text,
 *     and machine code for each of them.
 * I2. Bytes come from the program and the base alone: no times, no owners, no names of machines.
 */
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { create } from 'tar';
import { isJsonObject, type JsonObject } from '../packages/base/src/index.ts';
import { writeProgram } from './write-program.ts';

/** Who runs it, and what: as deploy/Dockerfile says. */
const runs = {
  User: '65532:65532',
  Entrypoint: ['node', '/fnlet/packages/cli/bin/fnlet.js'],
} as const;

const layerType = 'application/vnd.oci.image.layer.v1.tar+gzip';
/** The types of OCI, and those that Docker had before. */
const types = {
  index: /^application\/vnd\.(oci\.image\.index|docker\.distribution\.manifest\.list)\./,
  manifest: /^application\/vnd\.(oci\.image\.manifest|docker\.distribution\.manifest)\./,
} as const;

/** A blob as others name it. */
export interface Descriptor extends JsonObject {
  readonly mediaType: string;
  /** `sha256:` and the digest in hex. */
  readonly digest: string;
  readonly size: number;
}

/**
 * The program as a layer, compressed: the same bytes for the same files.
 *
 * @param program directory that becomes `/fnlet`
 */
export async function packLayer(program: string): Promise<Buffer> {
  const staging = mkdtempSync(join(tmpdir(), 'layer-'));
  try {
    cpSync(program, join(staging, 'fnlet'), { recursive: true });
    const names = readdirSync(staging, { recursive: true, withFileTypes: true })
      .map((entry) => ({ path: join(entry.parentPath, entry.name), isFile: entry.isFile() }))
      .sort((one, other) => (one.path < other.path ? -1 : 1));
    for (const { path, isFile } of names) chmodSync(path, isFile ? 0o644 : 0o755);
    const file = join(staging, 'layer.tar');
    // `portable` leaves out owners; the time is a constant. Directories are named one by one,
    // because readdir() has no order.
    const terms = { portable: true, mtime: new Date(0), noDirRecurse: true };
    const paths = names.map(({ path }) => path.slice(staging.length + 1));
    await create({ ...terms, cwd: staging, file }, paths);
    return neutral(gzipSync(await readFile(file), { level: 9 }));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * Writes an image into a new directory: the base, and the program on top of it.
 *
 * @param base directory in the layout of OCI
 * @returns the digest of its index
 */
export async function writeImage(base: string, layer: Buffer, output: string): Promise<string> {
  mkdirSync(join(output, 'blobs', 'sha256'), { recursive: true });
  cpSync(join(base, 'blobs'), join(output, 'blobs'), { recursive: true });
  const found = await readJson(join(base, 'index.json'), 'index.json of an OCI layout');
  const diffId = digestOf(gunzipSync(layer));
  const top = { ...(await put(output, layer)), mediaType: layerType };
  const manifests: Descriptor[] = [];
  for (const described of await listImages(base, descriptorsOf(found.manifests))) {
    manifests.push(await extend(output, described, { top, diffId }));
  }
  if (manifests.length === 0)
    throw new Error(`Cannot use the base "${base}": found no image in it`);
  const mediaType = 'application/vnd.oci.image.index.v1+json';
  const index = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, manifests }));
  await writeFile(join(output, 'index.json'), index);
  await writeFile(join(output, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  return digestOf(index);
}

/** The images of a layout, through lists of images for several platforms. */
async function listImages(
  base: string,
  descriptors: readonly Descriptor[],
): Promise<readonly Descriptor[]> {
  const images: Descriptor[] = [];
  for (const described of descriptors) {
    const { mediaType, platform } = described;
    if (types.index.test(mediaType)) {
      const inner = await readBlob(base, described);
      images.push(...(await listImages(base, descriptorsOf(inner.manifests))));
      // Of no platform are notes about how others were built.
    } else if (types.manifest.test(mediaType) && !isUnknown(platform)) images.push(described);
  }
  return images;
}

function isUnknown(platform: unknown): boolean {
  return isJsonObject(platform) && platform.os === 'unknown';
}

/** One image with one layer more. */
async function extend(
  output: string,
  described: Descriptor,
  { top, diffId }: { readonly top: Descriptor; readonly diffId: string },
): Promise<Descriptor> {
  const manifest = await readBlob(output, described);
  const [configured] = descriptorsOf([manifest.config]);
  if (configured === undefined) throw new Error('Cannot use the base: found an image of no config');
  const config = await readBlob(output, configured);
  const { rootfs, history } = config;
  if (!isJsonObject(rootfs) || !Array.isArray(rootfs.diff_ids)) {
    throw new Error('Cannot use the base: found a config without layers');
  }
  const own = isJsonObject(config.config) ? config.config : {};
  const { Cmd: _, ...kept } = own;
  const step = { created: '1970-01-01T00:00:00Z', created_by: 'COPY /program /fnlet' };
  const changed = {
    ...config,
    created: step.created,
    config: { ...kept, ...runs },
    rootfs: { ...rootfs, diff_ids: [...rootfs.diff_ids, diffId] },
    history: [...(Array.isArray(history) ? history : []), step],
  };
  const written = await put(output, Buffer.from(JSON.stringify(changed)));
  const layers = Array.isArray(manifest.layers) ? manifest.layers : [];
  // Layers keep their type; a list of both kinds is what every runtime takes.
  const whole = {
    ...manifest,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: { ...written, mediaType: 'application/vnd.oci.image.config.v1+json' },
    layers: [...layers, top],
  };
  const { os, architecture, variant } = config;
  const platform = { os, architecture, ...(variant === undefined ? {} : { variant }) };
  const { mediaType } = whole;
  return { ...(await put(output, Buffer.from(JSON.stringify(whole)))), mediaType, platform };
}

async function put(output: string, bytes: Buffer): Promise<Descriptor> {
  const digest = digestOf(bytes);
  await writeFile(pathOf(output, digest), bytes);
  return { mediaType: '', digest, size: bytes.length };
}

async function readBlob(layout: string, { digest }: Descriptor): Promise<JsonObject> {
  return await readJson(pathOf(layout, digest), `blob ${digest}`);
}

async function readJson(file: string, what: string): Promise<JsonObject> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`Cannot read the ${what}: found none at "${file}"`, { cause });
  });
  const found: unknown = JSON.parse(text);
  if (isJsonObject(found)) return found;
  throw new Error(`Cannot read the ${what}: expected an object in "${file}"`);
}

function descriptorsOf(found: unknown): readonly Descriptor[] {
  return (Array.isArray(found) ? found : []).filter(isDescriptor);
}

function isDescriptor(found: unknown): found is Descriptor {
  if (!isJsonObject(found)) return false;
  const { mediaType, digest, size } = found;
  const isDigest = typeof digest === 'string' && /^sha256:[0-9a-f]{64}$/.test(digest);
  return isDigest && typeof mediaType === 'string' && typeof size === 'number';
}

function pathOf(layout: string, digest: string): string {
  return join(layout, 'blobs', 'sha256', digest.slice('sha256:'.length));
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** A gzip that does not say on which system it was made (RFC 1952: OS 255 is unknown). */
function neutral(gzip: Buffer): Buffer {
  gzip[9] = 255;
  return gzip;
}

if (import.meta.main) {
  const [base, output] = process.argv.slice(2);
  if (base === undefined || output === undefined) {
    throw new Error('Cannot make an image: expected the base and a directory to write it to');
  }
  const program = mkdtempSync(join(tmpdir(), 'program-'));
  try {
    await writeProgram(program);
    const digest = await writeImage(base, await packLayer(program), output);
    process.stdout.write(`${digest}\n`);
  } finally {
    rmSync(program, { recursive: true, force: true });
  }
}
