/**
 * A GitRepository is a bare repository in a directory that a git server serves: something outside
 * of the cluster, which is made, kept as it is to be, and removed with its object.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defineKind, done, field, operator, ready } from 'fnlet/operator';

export const GitRepository = defineKind({
  ...{ group: 'example.dev', version: 'v1', kind: 'GitRepository', plural: 'gitrepositories' },
  description: 'A bare git repository.',
  spec: {
    description: field.text('What it is for.'),
    branch: field.text('What clones check out.', { default: 'main', pattern: '^[a-z0-9-]+$' }),
  },
  status: { path: field.text('Where it is.') },
  columns: { Branch: '.spec.branch', Path: '.status.path' },
});

function pathOf(metadata: { readonly namespace?: string; readonly name: string }): string {
  const { namespace = 'default', name } = metadata;
  return join(process.env.GIT_ROOT ?? '/srv/git', namespace, `${name}.git`);
}

export default operator(GitRepository, {
  concurrency: 8,
  async reconcile({ object: { metadata, spec } }) {
    const path = pathOf(metadata);
    for (const part of ['objects', 'refs/heads'])
      await mkdir(join(path, part), { recursive: true });
    await write(join(path, 'config'), '[core]\n\tbare = true\n\trepositoryformatversion = 0\n');
    await write(join(path, 'description'), `${spec.description}\n`);
    await write(join(path, 'HEAD'), `ref: refs/heads/${spec.branch}\n`);
    // What somebody changes there without asking is put right within the hour.
    return { status: { path }, conditions: [ready()], requeueAfter: '1h' };
  },
  async cleanup({ object }) {
    await rm(pathOf(object.metadata), { recursive: true, force: true });
    return done();
  },
});

async function write(file: string, text: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) return;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
