import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

/** A place in the file system, and what is to be seen there. */
export interface BoundPath {
  readonly source: string;
  readonly target: string;
  readonly isFile: boolean;
  readonly readOnly: boolean;
}

/**
 * A view of the file system for one process tree: the machine's, and a few bind mounts. A directory
 * in which a mount point is missing is opened: a tmpfs takes its place, onto which every entry of
 * it is bound, so that the mount point can be made without touching the machine. Where the root
 * itself must be opened, the tmpfs becomes the root. All its mounts are made by one program: a
 * process for each entry of /etc would take most of a second. Arguments: `<root or nothing> <empty
 * directory> <working directory> (<source> <target> <d|f> <rw|ro>)… -- <program> <argument>…`.
 */
const script = `
set -e
path=$PATH; PATH=/usr/sbin:/usr/bin:/sbin:/bin
root=$1; staging=$2; workdir=$3; shift 3
table=.fnlet-mounts
open() {
  mount -t tmpfs -o mode=755 tmpfs "$2"
  for entry in "$1"/* "$1"/.[!.]*; do
    name=\${entry##*/}
    if [ -L "$entry" ]; then cp -P "$entry" "$2/$name"
    else
      if [ -d "$entry" ]; then mkdir "$2/$name"
      elif [ -e "$entry" ]; then : > "$2/$name"
      else continue
      fi
      case $entry$2 in
        *[!-._/A-Za-z0-9]*) mount --rbind "$entry" "$2/$name" ;;
        *) echo "$entry $2/$name none rbind 0 0" ;;
      esac
    fi
  done > "$2/$table"
  mount -a -T "$2/$table"
  rm "$2/$table"
}
opened=:
if [ -n "$root" ]; then open "" "$root"; fi
while [ "$1" != -- ]; do
  source=$1; target=$2; type=$3; access=$4; shift 4
  if [ ! -e "$root$target" ]; then
    above=$target
    while [ ! -e "$root$above" ]; do above=\${above%/*}; done
    case $opened in
      *":$above:"*) ;;
      *) if [ -n "$above" ]; then
           open "$root$above" "$staging"; mount --move "$staging" "$root$above"
         fi ;;
    esac
    made=$target
    while [ "$made" != "$above" ]; do opened="$opened$made:"; made=\${made%/*}; done
    opened="$opened$above:"
    if [ "$type" = d ]; then mkdir -p "$root$target"
    else mkdir -p "$root\${target%/*}"; : > "$root$target"; fi
  fi
  mount --rbind "$source" "$root$target"
  if [ "$access" = ro ]; then mount -o remount,bind,ro "$root$target"; fi
done
shift
if [ -n "$root" ]; then
  exec chroot "$root" /bin/sh -c 'cd "$0" && PATH=$1 && shift && exec "$@"' "$workdir" "$path" "$@"
fi
cd "$workdir"; PATH=$path; exec "$@"
`;

/** How a mount namespace is made here; `undefined` where this user may not make one. */
export function findMountCommand(): readonly string[] | undefined {
  if (process.platform !== 'linux') return undefined;
  const ways = [
    ['unshare', '--mount', '--propagation', 'private'],
    ['unshare', '--user', '--map-root-user', '--mount', '--propagation', 'private'],
  ];
  return ways.find(([program = '', ...args]) => {
    const test = 'mount -t tmpfs tmpfs /tmp && command -v chroot';
    const options = { stdio: 'ignore', timeout: 2_000 } as const;
    return spawnSync(program, [...args, '/bin/sh', '-c', test], options).status === 0;
  });
}

/** The command that shows `paths` to `command` and to nobody else. */
export function mountedCommand(
  mountCommand: readonly string[],
  options: {
    /** Two empty directories. */
    readonly root: string;
    readonly staging: string;
    readonly workingDirectory: string;
    readonly paths: readonly BoundPath[];
    readonly command: readonly string[];
  },
): readonly string[] {
  const paths = options.paths.map((path) => ({ ...path, target: resolveTarget(path.target) }));
  const needsRoot = paths.some(({ target }) => !existsSync(`/${target.split('/')[1]}`));
  const { staging, workingDirectory, command } = options;
  const root = needsRoot ? options.root : '';
  return [
    ...mountCommand,
    ...['/bin/sh', '-c', script, 'mount', root, staging, workingDirectory],
    ...paths.flatMap(({ source, target, isFile, readOnly }) => [
      source,
      target,
      isFile ? 'f' : 'd',
      readOnly ? 'ro' : 'rw',
    ]),
    '--',
    ...command,
  ];
}

/**
 * Where a path really is: a symbolic link on the way, such as `/var/run`, would lead out of what
 * was opened.
 */
function resolveTarget(path: string): string {
  const target = normalize(join('/', path)).replace(/(.)\/$/, '$1');
  if (target === '/' || existsSync(target)) return realpathSync(target);
  return join(resolveTarget(dirname(target)), basename(target));
}
