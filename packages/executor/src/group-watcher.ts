import { type ChildProcess, spawn } from 'node:child_process';

// A list in one variable, each number between blanks, so that any of them can be cut out.
const script = `
trap '' HUP INT TERM
groups=' '
while read -r verb group; do
  case $verb in
    add) groups="$groups$group " ;;
    remove)
      case $groups in
        *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;;
      esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
`;

/**
 * Starts the small program that outlives this process by a moment: a POSIX shell, in a session of
 * its own, that reads `add <group>` and `remove <group>` lines. When its input ends it kills the
 * groups that are still on the list, and ends.
 */
export function startGroupWatcher(): ChildProcess {
  return spawn('/bin/sh', ['-c', script], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    cwd: '/',
  });
}
