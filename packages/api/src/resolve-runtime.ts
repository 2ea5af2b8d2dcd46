import { builtinRuntimes, type KnownRuntime } from './known-runtime.ts';

/** Which runtime a name means. */
export type RuntimeResolution =
  | {
      readonly kind: 'found';
      readonly runtime: KnownRuntime;
      /** Set when the name is retired: a sentence that says so. */
      readonly warning?: string;
    }
  | { readonly kind: 'unknown'; readonly message: string };

/** What a machine has to offer. */
export interface OfferedRuntimes {
  /** Runtimes that were added to those that come with Fnlet. */
  readonly added: readonly KnownRuntime[];
  /** Whether the machine itself has this builtin runtime. What was fetched does not count. */
  isHere(name: string): boolean;
}

interface Version {
  readonly family: 'nodejs' | 'python';
  /** In the order of releases: 22 of nodejs22, 311 of python3.11. */
  readonly number: number;
}

/**
 * Which runtime `asked` means, the first that fits of: a runtime of that very name, one with that
 * alias, and for a release that is no longer supported (nodejs6 … nodejs21, nodejs_distroless8,
 * nodejsCE8, python2.7 … python3.10) the nearest one that the machine has by itself. One that would
 * have to be fetched comes last: code that old has no reason to prefer it, and would need a network
 * for it.
 */
export function resolveRuntime(asked: string, offered: OfferedRuntimes): RuntimeResolution {
  const known = [...builtinRuntimes, ...offered.added];
  const named =
    known.find(({ name }) => name === asked) ??
    known.find(({ aliases }) => aliases.includes(asked));
  if (named !== undefined) return { kind: 'found', runtime: named };
  const heir = findHeir(asked, offered);
  if (heir !== undefined) {
    const warning = `Runtime ${asked} is retired: the code runs on ${heir.name}`;
    return { kind: 'found', runtime: heir, warning };
  }
  const names = known.map(({ name }) => name).join(', ');
  const message =
    `Cannot run runtime "${asked}": nothing here has that name, expected one of ${names}; ` +
    'a Runtime object adds another';
  return { kind: 'unknown', message };
}

function findHeir(asked: string, { isHere }: OfferedRuntimes): KnownRuntime | undefined {
  const old = parseVersion(asked);
  if (old === undefined) return undefined;
  const relatives = builtinRuntimes.flatMap((runtime) => {
    const version = parseVersion(runtime.name);
    if (version?.family !== old.family) return [];
    return [{ runtime, number: version.number, distance: Math.abs(version.number - old.number) }];
  });
  // A release of the future is not a retired one.
  if (relatives.every(({ number }) => number < old.number)) return undefined;
  const here = relatives.filter(({ runtime }) => isHere(runtime.name));
  const [nearest] = (here.length > 0 ? here : relatives).sort((a, b) => a.distance - b.distance);
  return nearest?.runtime;
}

function parseVersion(name: string): Version | undefined {
  const node = /^nodejs(?:_distroless|CE)?(\d{1,3})$/.exec(name);
  if (node !== null) return { family: 'nodejs', number: Number(node[1]) };
  const python = /^python([23])\.?(\d{1,2})$/.exec(name);
  if (python === null) return undefined;
  return { family: 'python', number: Number(python[1]) * 100 + Number(python[2]) };
}
