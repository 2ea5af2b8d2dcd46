import { isJsonObject } from '@fnlet/base';
import { ArtifactError } from './artifact-error.ts';

/**
 * What pip decided on, as a lock: exactly these files, each with its hash. By URL, so that neither
 * an index is asked again, nor a file that came later preferred.
 *
 * @param report Parsed JSON of `pip install --dry-run --report` (version 1).
 * @throws ArtifactError `InstallFailed` for what has no hash
 */
export function formatPipLock(report: unknown): string {
  const entries = isJsonObject(report) ? report.install : undefined;
  if (!Array.isArray(entries)) throw unreadable('it lists nothing');
  return `${entries.map(formatEntry).sort().join('\n')}\n`;
}

function formatEntry(entry: unknown): string {
  if (!isJsonObject(entry) || !isJsonObject(entry.metadata) || !isJsonObject(entry.download_info)) {
    throw unreadable('a package without metadata');
  }
  const { name } = entry.metadata;
  const { url, archive_info: archive } = entry.download_info;
  const hashes = isJsonObject(archive) && isJsonObject(archive.hashes) ? archive.hashes : {};
  if (typeof name !== 'string' || typeof url !== 'string' || /\s/.test(url)) {
    throw unreadable('a package without name and URL');
  }
  if (typeof hashes.sha256 !== 'string' || !/^[\da-f]{64}$/.test(hashes.sha256)) {
    throw unreadable(`no SHA-256 of ${name}`);
  }
  return `${name} @ ${url} --hash=sha256:${hashes.sha256}`;
}

function unreadable(found: string): ArtifactError {
  const message = `Cannot lock dependencies: found ${found} in what pip decided, expected files with hashes`;
  const remedy = 'Name packages of a package index, or use pip 23 or newer.';
  return new ArtifactError('InstallFailed', message, { remedy });
}
