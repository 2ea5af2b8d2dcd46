import { existsSync, readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson, sha256 } from '@fnlet/base';
import type { InstallDirectory } from './install-directory.ts';
import { type InstallerSetting, placeCache, runInstaller } from './installer-run.ts';
import { LastLines } from './last-lines.ts';
import { limits } from './limits.ts';
import {
  findPip,
  type PipCommands,
  type PythonProgram,
  pipEnvironment,
  pipLogFile,
} from './pip-command.ts';
import { pipFailure } from './pip-failure.ts';
import { formatPipLock } from './pip-report.ts';
import { constraintsFile, type Requirements } from './pip-requirements.ts';
import { redactCredentials } from './redact-credentials.ts';
import type { WorkCaller } from './shared-work.ts';

/** Packages of Python that are to be installed. */
export interface PipDependencies {
  readonly requirements: Requirements;
  /** Whose packages they are. */
  readonly python: PythonProgram;
  /** Text of a pip.conf, such as indexes and their credentials. */
  readonly pipConf?: string | undefined;
  /** Whether what is only there as source may be built, which runs its programs. Default false. */
  readonly allowInstallScripts?: boolean | undefined;
}

interface PipSetting extends InstallerSetting {
  readonly directory: InstallDirectory;
}

/**
 * The directory whose `site-packages` has these packages.
 *
 * Versions are decided once; what is installed then is exactly what was decided, by hash.
 *
 * @throws ArtifactError
 */
export async function installPip(
  source: PipDependencies,
  setting: PipSetting,
  caller: WorkCaller,
): Promise<string> {
  const { directory, environment, place } = setting;
  const { requirements, python, pipConf, allowInstallScripts = false } = source;
  const commands = findPip({
    python,
    // Elsewhere there is pip: it came with Python.
    environment: place === undefined ? environment : {},
    cacheDirectory: place === undefined ? directory.cacheOf(pipConf) : placeCache,
    allowInstallScripts,
    hasPipConf: pipConf !== undefined,
  });
  // Packages with native code differ by these, and what is decided on may, too.
  const platform = [python.name, process.platform, process.arch];
  const decides = canonicalJson({ pip: { pipConf, allowInstallScripts, platform } });
  const pip = (command: readonly string[], staging: string, run: Required<WorkCaller>) =>
    runPip({ command, staging, run, setting, source, name: commands.name });
  const lock = requirements.isLocked
    ? requirements.text
    : await directory.lock(
        `${sha256(decides + requirements.text + (requirements.constraints ?? ''))}.txt`,
        caller,
        async (staging, run) => {
          run.onProgress('Deciding on versions of dependencies');
          await writeFile(join(staging, 'requirements.txt'), requirements.text);
          await writeFile(join(staging, constraintsFile), requirements.constraints ?? '');
          await pip(commands.lock, staging, run);
          return readDecision(commands, staging);
        },
      );
  return directory.installed(sha256(decides + lock), caller, async (staging, run) => {
    run.onProgress('Installing dependencies');
    await writeFile(join(staging, 'lock.txt'), lock);
    await pip(commands.install, staging, run);
    // Credentials stay with whoever gave them.
    await rm(join(staging, 'pip.conf'), { force: true });
  });
}

async function readDecision({ name }: PipCommands, staging: string): Promise<string> {
  const text = await readFile(join(staging, 'decided'), 'utf8');
  return name === 'uv' ? text : formatPipLock(JSON.parse(text));
}

async function runPip({
  command,
  staging,
  run,
  setting,
  source: { pipConf, requirements, python },
  name,
}: {
  readonly command: readonly string[];
  readonly staging: string;
  readonly run: Required<WorkCaller>;
  readonly setting: PipSetting;
  readonly source: PipDependencies;
  readonly name: PipCommands['name'];
}): Promise<void> {
  const { place, reaper, clock } = setting;
  const environment = pipEnvironment(setting.environment);
  if (pipConf !== undefined) {
    const file = join(staging, 'pip.conf');
    await writeFile(file, pipConf, { mode: 0o600 });
    environment.PIP_CONFIG_FILE = place === undefined ? file : 'pip.conf';
  }
  const redact = redactCredentials(pipConf ?? '');
  await runInstaller({
    ...{ name, runtime: python.name, command, place, reaper, clock },
    directory: staging,
    environment,
    texts: [pipConf, requirements.text, environment.PIP_INDEX_URL, environment.PIP_EXTRA_INDEX_URL],
    findService: setting.findService,
    output: new LastLines(),
    signal: run.signal,
    redact,
    onProgress: run.onProgress,
    explain: (lines) => pipFailure([...refusals(staging).map(redact), ...lines], name),
  });
}

/** What the log of pip says about an index that did not answer as it should; the last lines of it. */
function refusals(staging: string): readonly string[] {
  const log = join(staging, pipLogFile);
  if (!existsSync(log)) return [];
  return readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line) => /Could not fetch URL .*/.exec(line)?.[0] ?? [])
    .filter((line) => !/\b404 Client Error\b/.test(line))
    .map((line) => line.slice(0, limits.installerLineBytesMax))
    .slice(-limits.refusalsMax);
}
