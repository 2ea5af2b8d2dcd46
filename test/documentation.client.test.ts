/** Every command of the documentation runs, in the order in which a reader types them. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import { settings } from '../packages/server/src/config.ts';
import { kubectlProgram, runProgram, startFnlet } from './fnlet-process.ts';

const root = join(import.meta.dirname, '..');

/** The commands of a page: its fenced blocks marked `sh`. Blocks marked `console` are not run. */
function commandsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');
}

async function pages(): Promise<string[]> {
  const docs = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md'));
  return ['README.md', 'runtimes/node/README.md', ...docs.map((name) => join('docs', name))];
}

/** Runs a page's commands in one shell, in a directory that looks like a clone. */
async function runPage(page: string): Promise<void> {
  const blocks = commandsOf(await readFile(join(root, page), 'utf8'));
  if (blocks.length === 0) return;
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-docs-'));
  try {
    const dataDirectory = join(directory, '.fnlet');
    await using fnlet = await startFnlet({ dataDirectory, args: ['--https-port', '0'] });
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
    await cp(join(root, 'examples'), join(directory, 'examples'), { recursive: true });
    const { gateway, gatewayTls = '' } = fnlet.endpoints;
    const script = blocks
      .join('\n')
      .replaceAll('http://127.0.0.1:8080', gateway)
      .replaceAll(/:8443\b/g, `:${new URL(gatewayTls).port}`);
    const kubectl = kubectlProgram();
    const path = kubectl.includes('/') ? `${dirname(kubectl)}:` : '';
    const { code, stdout, stderr } = await runProgram('sh', ['-eux'], {
      input: script,
      cwd: directory,
      env: {
        PATH: `${path}${process.env.PATH ?? ''}`,
        HOME: process.env.HOME ?? '',
        KUBECONFIG: fnlet.endpoints.kubeconfig,
      },
    });
    assert.equal(code, 0, `${page}:\n${stdout}\n${stderr}`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

for (const page of await pages()) test(`${page}: every command runs`, () => runPage(page));

test('docs/cli.md lists the exit codes and the settings that there are', async () => {
  const text = await readFile(join(root, 'docs', 'cli.md'), 'utf8');
  for (const code of Object.values(exitCodes))
    assert.match(text, new RegExp(`^\\| ${code} \\|`, 'm'));
  for (const { flag, env, default: value, description } of Object.values(settings)) {
    const row = `| \`--${flag}\` | \`${env}\` | \`${value}\` | ${description} |`;
    assert.ok(text.includes(row), row);
  }
});

test('links between pages lead somewhere', async () => {
  for (const page of [...(await pages()), 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'STYLE.md']) {
    const text = await readFile(join(root, page), 'utf8');
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      const path = join(root, dirname(page), target);
      await assert.doesNotReject(
        readFile(path).catch(() => readdir(path)),
        `${page} -> ${target}`,
      );
    }
  }
});
