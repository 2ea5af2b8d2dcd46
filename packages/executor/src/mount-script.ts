import { spawnSync } from 'node:child_process';

/** A place in the file system, and what is to be seen there. */
export interface BoundPath {
  readonly source: string;
  readonly target: string;
  readonly isFile: boolean;
  readonly readOnly: boolean;
}

/**
 * A file system of its own for one process tree, made of the machine's and a few bind mounts. The
 * root is a small tmpfs onto which every entry of the machine's root is bound, so that new
 * directories can be made in it, and in any other directory that is opened the same way, without
 * touching the machine. Arguments: `<empty directory> <working directory> (<source> <target>
 * <d|f> <rw|ro>)… -- <program> <argument>…`.
 */
const script = `
set -e
path=$PATH; PATH=/usr/sbin:/usr/bin:/sbin:/bin
root=$1; workdir=$2; shift 2
open() {
  mount -t tmpfs -o mode=755 tmpfs "$2"
  for entry in "$1"/* "$1"/.[!.]*; do
    name=\${entry##*/}
    if [ -L "$entry" ]; then cp -P "$entry" "$2/$name"
    elif [ -d "$entry" ]; then mkdir "$2/$name"; mount --rbind "$entry" "$2/$name"
    elif [ -e "$entry" ]; then : > "$2/$name"; mount --bind "$entry" "$2/$name"
    fi
  done
}
open "" "$root"
staging=$root/.fnlet; mkdir "$staging"
while [ "$1" != -- ]; do
  source=$1; target=$2; type=$3; access=$4; shift 4
  if [ ! -e "$root$target" ]; then
    above=$target
    while [ ! -e "$root$above" ]; do above=\${above%/*}; done
    if [ -n "$above" ] && ! mountpoint -q "$root$above/.fnlet-opened"; then
      open "$root$above" "$staging"
      mkdir "$staging/.fnlet-opened"; mount -t tmpfs tmpfs "$staging/.fnlet-opened"
      mount --move "$staging" "$root$above"
    fi
    if [ "$type" = d ]; then mkdir -p "$root$target"
    else mkdir -p "$root\${target%/*}"; : > "$root$target"; fi
  fi
  mount --rbind "$source" "$root$target"
  if [ "$access" = ro ]; then mount -o remount,bind,ro "$root$target"; fi
done
shift
exec chroot "$root" /bin/sh -c 'cd "$0" && PATH=$1 && shift && exec "$@"' "$workdir" "$path" "$@"
`;

/** How a mount namespace is made here; `undefined` where this user may not make one. */
export function findMountCommand(): readonly string[] | undefined {
  if (process.platform !== 'linux') return undefined;
  const ways = [
    ['unshare', '--mount', '--propagation', 'private'],
    ['unshare', '--user', '--map-root-user', '--mount', '--propagation', 'private'],
  ];
  return ways.find(([program = '', ...args]) => {
    const test = 'mount -t tmpfs tmpfs /tmp && command -v chroot && command -v mountpoint';
    const options = { stdio: 'ignore', timeout: 2_000 } as const;
    return spawnSync(program, [...args, '/bin/sh', '-c', test], options).status === 0;
  });
}

/** The command that shows `paths` to `command` and to nobody else. */
export function mountedCommand(
  mountCommand: readonly string[],
  options: {
    /** An empty directory. */
    readonly root: string;
    readonly workingDirectory: string;
    readonly paths: readonly BoundPath[];
    readonly command: readonly string[];
  },
): readonly string[] {
  const paths = options.paths.flatMap(({ source, target, isFile, readOnly }) => [
    source,
    target,
    isFile ? 'f' : 'd',
    readOnly ? 'ro' : 'rw',
  ]);
  const { root, workingDirectory, command } = options;
  const shell = ['/bin/sh', '-c', script, 'mount', root, workingDirectory];
  return [...mountCommand, ...shell, ...paths, '--', ...command];
}
