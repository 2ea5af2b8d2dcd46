/** Where a source finds its dependencies: a link at its top, by the name that its language knows. */
export type DependencyFolder = 'node_modules' | 'site-packages';

/** The names of {@link DependencyFolder}. */
export const dependencyFolders: readonly DependencyFolder[] = ['node_modules', 'site-packages'];
