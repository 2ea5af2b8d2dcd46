#!/usr/bin/env -S MALLOC_ARENA_MAX=1 MALLOC_TOP_PAD_=0 MALLOC_TRIM_THRESHOLD_=65536 MALLOC_MMAP_THRESHOLD_=32768 MSGPACKR_NATIVE_ACCELERATION_DISABLED=true node --max-semi-space-size=16
// Plain JavaScript, so that any Node can run it: makes sure that a Node which runs TypeScript goes
// on. The flag bounds V8's young generation, which would take 60 MB in a burst of requests; `up`
// holds it at a quarter of that but for floods of events (decision 007). The variables make glibc give
// back what it took for one, too, and spare the start a native helper for large texts, which the
// store packs none of.
import { runCommand } from './run-command.js';

await runCommand(import.meta.url, 'fnlet');
