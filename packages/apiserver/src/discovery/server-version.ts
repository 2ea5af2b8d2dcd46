/**
 * What `/version` tells: the Kubernetes whose API this server speaks. Clients compare these
 * numbers with their own, so they name Kubernetes' version and not Fnlet's.
 */
export const serverVersion: Readonly<Record<string, string>> & { readonly gitVersion: string } = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.0+fnlet',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};
