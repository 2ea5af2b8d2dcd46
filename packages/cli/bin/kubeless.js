#!/usr/bin/env node
// The command of Kubeless, of the same program.
import { runCommand } from './run-command.js';

await runCommand(import.meta.url, 'kubeless');
