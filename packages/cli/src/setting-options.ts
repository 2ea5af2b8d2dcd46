import type { Setting } from '@fnlet/server/config';
import type { Command } from 'commander';

/** Adds the flag of a setting. */
export function addSetting(command: Command, setting: Setting): void {
  const { flag, kind, description, default: value, env } = setting;
  const usage = kind === 'switch' ? `--${flag}` : `--${flag} <value>`;
  command.option(usage, `${description} (default ${value}; ${env})`);
}

/** Commander turns --api-port into apiPort; the settings are named by their flags. */
export function byFlagName(
  options: Readonly<Record<string, string | true>>,
): Record<string, string> {
  const toFlag = (name: string): string => name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
  const entries = Object.entries(options);
  return Object.fromEntries(entries.map(([name, value]) => [toFlag(name), String(value)]));
}
