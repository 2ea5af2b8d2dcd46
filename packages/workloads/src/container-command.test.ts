import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Container } from './container.ts';
import { type CommandContext, planCommand, runtimeImage } from './container-command.ts';

const context: CommandContext = {
  nodeProgram: '/opt/node24',
  nodeVersion: '24.0.0',
  allowHostCommands: false,
  env: { PATH: '/bin', NAME: 'web' },
  locate: (program) => (['ls', 'sh', 'python3'].includes(program) ? `/bin/${program}` : undefined),
};
const allowing: CommandContext = { ...context, allowHostCommands: true };

function plan(container: Omit<Container, 'name'>, given: CommandContext = context): string {
  const found = planCommand({ name: 'main', ...container }, given);
  return found.kind === 'run' ? found.command.join(' ') : found.message;
}

const images: readonly [string, string | undefined][] = [
  ['node', 'node'],
  ['node:22-slim', 'node'],
  ['docker.io/library/node:20', 'node'],
  ['registry.example:5000/node@sha256:0a', 'node'],
  ['localhost/python:3.12', 'python'],
  ['mirror.example/hub/library/python', 'python'],
  ['library/node', 'node'],
  ['someone/node', undefined],
  ['registry.example/someone/node', undefined],
  ['node-exporter', undefined],
  ['nginx', undefined],
];
for (const [image, runtime] of images) {
  test(`runtimeImage() takes ${image} for ${runtime ?? 'no runtime'}`, () => {
    assert.equal(runtimeImage(image), runtime);
  });
}

describe('planCommand()', () => {
  const cases: readonly [string, Omit<Container, 'name'>, CommandContext, RegExp | string][] = [
    [
      'arguments go to the runtime',
      { image: 'node', args: ['a.js', 'b'] },
      context,
      '/opt/node24 a.js b',
    ],
    [
      'the runtime by its name',
      { image: 'node', command: ['node', 'a.js'] },
      context,
      '/opt/node24 a.js',
    ],
    [
      'the runtime by its name, and its arguments beside it',
      { image: 'node', command: ['node'], args: ['a.js', '$(NAME)'] },
      context,
      '/opt/node24 a.js web',
    ],
    ['the runtime alone', { image: 'node' }, context, '/opt/node24'],
    ['a pause', { image: 'registry.k8s.io/pause:3.10' }, context, /^\/opt\/node24 -e .*SIGTERM/],
    ['a pause that is more', { image: 'pause', command: ['ls'] }, context, /may not run "ls"/],
    [
      'python',
      { image: 'python', command: ['python3.12', '-c', 'x'] },
      context,
      '/bin/python3 -c x',
    ],
    [
      'variables in command and arguments',
      { image: 'node', args: ['$(NAME)', '$$(NAME)', '$(OTHER)'] },
      context,
      '/opt/node24 web $(NAME) $(OTHER)',
    ],
    [
      'a program of the machine',
      { image: 'x', command: ['ls'], args: ['-l'] },
      allowing,
      '/bin/ls -l',
    ],
    [
      'no program of the machine',
      { image: 'x', command: ['ls'] },
      context,
      /--allow-host-commands/,
    ],
    [
      'nor by a runtime image',
      { image: 'node', command: ['sh'] },
      context,
      /--allow-host-commands/,
    ],
    ['unless allowed', { image: 'node', command: ['sh'] }, allowing, '/bin/sh'],
    [
      'what is not there',
      { image: 'x', command: ['missing'] },
      allowing,
      /"missing" is not a program/,
    ],
    ['an image alone', { image: 'nginx' }, allowing, /Give it a command that exists/],
    ['an image with arguments alone', { image: 'nginx', args: ['ls'] }, allowing, /has no command/],
    [
      'python where there is none',
      { image: 'python' },
      { ...context, locate: () => undefined },
      /there is no python on this machine/,
    ],
  ];
  for (const [title, container, given, expected] of cases) {
    test(title, () => {
      const found = plan(container, given);
      if (typeof expected === 'string') assert.equal(found, expected);
      else assert.match(found, expected);
    });
  }
});
