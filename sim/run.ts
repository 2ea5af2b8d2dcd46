/** `npm run sim`: worlds of operators, or with the word `scaling` first, days of the scaler. */
const [, , what] = process.argv;
if (what === 'scaling') await import('./scaling/run-study.ts');
else await import('./run-worlds.ts');
