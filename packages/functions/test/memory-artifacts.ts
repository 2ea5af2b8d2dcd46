import { canonicalJson, sha256 } from '@fnlet/base';
import type { ArtifactSource, ArtifactStore } from '@fnlet/executor';

/** An ArtifactStore without a disk. */
export class MemoryArtifacts implements Pick<ArtifactStore, 'prepare' | 'sweep'> {
  readonly stored: Map<string, ArtifactSource> = new Map();
  prepared: number = 0;
  /** What every preparation waits for, or fails with. */
  gate: Promise<unknown> = Promise.resolve();

  async prepare(
    source: ArtifactSource,
    { signal, onProgress }: { readonly signal: AbortSignal; onProgress?(line: string): void },
  ): Promise<{ directory: string; digest: string }> {
    this.prepared++;
    if (source.dependencies !== undefined) onProgress?.('added 1 package');
    await this.gate;
    signal.throwIfAborted();
    const digest = sha256(canonicalJson({ ...source, tree: source.tree?.identity }));
    this.stored.set(digest, source);
    return { directory: `/artifacts/${digest}`, digest };
  }

  async sweep(keep: ReadonlySet<string>): Promise<void> {
    for (const digest of this.stored.keys()) if (!keep.has(digest)) this.stored.delete(digest);
  }
}
