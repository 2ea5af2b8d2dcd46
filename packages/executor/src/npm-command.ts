import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

/** Variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

const script = 'npm-cli.js';

/**
 * How npm is started here, or `undefined` when there is none: the npm that runs this process, the
 * one beside this Node, or the one on the path. Its script is run by `node`, because the one that
 * the path has may be too old for it.
 *
 * @param node path of the Node to run it, by which compiled packages are chosen
 */
export function findNpm(
  environment: Environment,
  node: string = process.execPath,
): readonly string[] | undefined {
  const running = environment.npm_execpath;
  const beside = join(dirname(process.execPath), '../lib/node_modules/npm/bin', script);
  for (const path of [running, beside]) {
    if (path !== undefined && basename(path) === script && existsSync(path)) {
      return [node, path];
    }
  }
  const directories = (environment.PATH ?? '').split(delimiter).filter((path) => path !== '');
  const program = directories.map((path) => join(path, 'npm')).find((path) => existsSync(path));
  if (program === undefined) return undefined;
  const real = realpathSync(program);
  return basename(real) === script ? [node, real] : [program];
}

// What decides how npm reaches a registry. Everything else that is set here, such as what an
// `npm run` around this process sets, would only lead it astray.
const passedOn =
  /^(HOME|USERPROFILE|TMPDIR|LANG|((HTTPS?|NO|ALL)_PROXY)|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|NPM_CONFIG_(CACHE|REGISTRY|USERCONFIG|GLOBALCONFIG|PROXY|HTTPS_PROXY|NOPROXY|CA|CAFILE|STRICT_SSL))$/i;

/** The environment of npm: the path, `node` first, and what the host says about registries. */
export function npmEnvironment(
  environment: Environment,
  node: string = process.execPath,
): Record<string, string> {
  const kept: Record<string, string> = {
    PATH: [dirname(node), environment.PATH ?? ''].join(delimiter),
  };
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && passedOn.test(name)) kept[name] = value;
  }
  return kept;
}
