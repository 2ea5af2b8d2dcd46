/**
 * `npm run sim`: worlds of operators; with the word `scaling` first, days of the scaler; with `hub`,
 * replicas of a hub that die.
 */
const [, , what] = process.argv;
if (what === 'scaling') await import('./scaling/run-study.ts');
else if (what === 'hub') await import('./hub/run-rounds.ts');
else await import('./run-worlds.ts');
