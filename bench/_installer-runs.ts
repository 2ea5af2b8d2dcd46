import { readdirSync, readFileSync } from 'node:fs';

/** How often packages were installed, so far. */
export interface InstallerRuns extends Disposable {
  readonly installed: number;
}

const lookMs = 25;
// What is asked which versions there are, and installs nothing.
const deciding = ['--package-lock-only', '--dry-run', 'compile'];

/**
 * Counts the processes of npm and pip that work below a directory, by looking at what runs. They
 * live for hundreds of milliseconds at least, so that none is missed.
 */
export function countInstallerRuns(directory: string): InstallerRuns {
  const installed = new Set<string>();
  const look = (): void => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const words = commandOf(pid);
      if (!words.some((word) => word.startsWith(directory))) continue;
      if (deciding.some((word) => words.includes(word))) continue;
      if (words.includes('ci') || words.includes('pip')) installed.add(pid);
    }
  };
  const timer = setInterval(look, lookMs);
  return {
    get installed() {
      return installed.size;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function commandOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    // It has ended.
    return [];
  }
}
