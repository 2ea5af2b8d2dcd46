import { fstatSync } from 'node:fs';

/** Names a file, whatever path leads to it. */
export function fileIdentity({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}

/** The files that this process prints into, as with `fnlet dev > dev.txt`, by identity. */
export function ownOutputFiles(descriptors: readonly number[] = [1, 2]): ReadonlySet<string> {
  const identities = descriptors.flatMap((fd) => {
    try {
      const found = fstatSync(fd);
      return found.isFile() ? [fileIdentity(found)] : [];
    } catch {
      // Whoever closed it before the start does not print into a file.
      return [];
    }
  });
  return new Set(identities);
}
