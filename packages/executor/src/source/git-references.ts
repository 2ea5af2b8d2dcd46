const fullCommit = /^[0-9a-f]{40}$/i;
const shortCommit = /^[0-9a-f]{4,39}$/i;

/** Whether a reference names a commit itself. */
export function isCommit(reference: string): boolean {
  return fullCommit.test(reference);
}

/** Whether a reference looks like a commit that was shortened: no server can be asked for one. */
export function isShortCommit(reference: string): boolean {
  return shortCommit.test(reference);
}

/** The names that `git ls-remote` is asked for. Default: what HEAD of the repository points to. */
export function referenceNames(reference: string | undefined): readonly string[] {
  if (reference === undefined) return ['HEAD'];
  if (reference.startsWith('refs/')) return [reference, `${reference}^{}`];
  const tag = `refs/tags/${reference}`;
  // A branch wins; a tag with a message is an object of its own that points to the commit (^{}).
  return [`refs/heads/${reference}`, `${tag}^{}`, tag];
}

/** Reads what `git ls-remote` prints: one commit and one name a line. */
export function parseReferences(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').map((line) => /^([0-9a-f]{40})\t(\S+)$/.exec(line));
  return new Map(
    lines.flatMap((match) => {
      const [, commit = '', name = ''] = match ?? [];
      return match === null ? [] : [[name, commit] as const];
    }),
  );
}

/** The commit that a reference points to, by what the server says about its references. */
export function findCommit(
  references: ReadonlyMap<string, string>,
  reference: string | undefined,
): string | undefined {
  const names = referenceNames(reference);
  const peeled = reference?.startsWith('refs/') === true ? [...names].reverse() : names;
  return peeled.map((name) => references.get(name)).find((commit) => commit !== undefined);
}
