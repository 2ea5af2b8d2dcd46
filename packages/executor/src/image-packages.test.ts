import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readNeeds } from './artifact-dependencies.ts';
import { importedNodePackages, importedPythonPackages } from './image-packages.ts';

const nodeCode: readonly (readonly [string, readonly string[]])[] = [
  ["const axios = require('axios');", ['axios']],
  ['import axios from "axios";', ['axios']],
  ["import 'express';", ['express']],
  ["export { HTTP } from 'cloudevents';", ['cloudevents']],
  ["const { get } = await import('axios/lib/axios.js');", ['axios']],
  ["import { trace } from '@opentelemetry/api';", ['@opentelemetry/api']],
  ["import {\n  a,\n} from\n  'morgan';", ['morgan']],
  ["require('node:http'); require('./axios'); require('lodash'); require('axios-retry');", []],
  ["const from = 'a'; const text = `axios`;", []],
];

for (const [code, expected] of nodeCode) {
  it(`finds what Kyma's images of Node have in ${JSON.stringify(code)}`, () => {
    const found = importedNodePackages({ 'handler.js': code }, 'kyma');
    assert.deepEqual(Object.keys(found), expected);
  });
}

const pythonCode: readonly (readonly [string, readonly string[]])[] = [
  ['import requests', ['requests']],
  ['import os, requests as r  # both', ['requests']],
  ['def main(event, context):\n    from requests.auth import HTTPBasicAuth', ['requests']],
  ['from opentelemetry.trace import get_tracer', ['opentelemetry-api']],
  ['from opentelemetry import trace', ['opentelemetry-api']],
  ['from opentelemetry.sdk.trace import Tracer', ['opentelemetry-api', 'opentelemetry-sdk']],
  ['from cloudevents.http import CloudEvent', ['cloudevents<2']],
  ['from flask import request', ['flask<4']],
  ["def main():\n    return 'Hello'", ['flask<4']],
  ['from .requests import x\nimport requests_oauthlib\nimport bottle\ntext = "import"', []],
];

for (const [code, expected] of pythonCode) {
  it(`finds what Kyma's images of Python have in ${JSON.stringify(code)}`, () => {
    assert.deepEqual(importedPythonPackages({ 'handler.py': code }, 'kyma'), expected);
  });
}

it('asks for nothing for other functions, in other files, and in installed packages', () => {
  const code = "require('axios')";
  const files = { 'README.md': code, 'types.d.ts': code, 'node_modules/a/index.js': code };
  assert.deepEqual(importedNodePackages(files, 'kyma'), {});
  assert.deepEqual(importedNodePackages({ 'a.js': code }, 'kubeless'), {});
  assert.deepEqual(importedNodePackages({ 'a.js': code }, undefined), {});
  assert.deepEqual(importedPythonPackages({ 'a.py': 'import requests' }, undefined), []);
});

const handler = { 'handler.js': "require('axios');" };
const wantedBy = (question: Parameters<typeof readNeeds>[0]): unknown => {
  const { wanted } = readNeeds({ compatibility: 'kyma', ...question });
  if (wanted === undefined || 'requirements' in wanted) return wanted?.requirements.text;
  const { manifest, lock, lockToComplete } = wanted;
  return { dependencies: manifest.dependencies, lock, lockToComplete };
};

it('what is declared says which version, and its lock is kept', () => {
  const lock = '{}';
  const locked = { ...handler, 'package-lock.json': lock };
  const none = { lock: undefined, lockToComplete: undefined };
  assert.deepEqual(wantedBy({ files: handler }), { dependencies: { axios: '^1' }, ...none });
  assert.deepEqual(wantedBy({ files: locked, dependencies: '{"axios": "0.26.1"}' }), {
    ...{ dependencies: { axios: '0.26.1' }, lock, lockToComplete: undefined },
  });
  assert.deepEqual(wantedBy({ files: locked, dependencies: '{"lodash": "4"}' }), {
    ...{ dependencies: { axios: '^1', lodash: '4' }, lock: undefined, lockToComplete: lock },
  });
});

it('requirements that are declared, or locked, stay as they are', () => {
  const python = { name: 'python3.12', program: '/python' };
  const files = { 'handler.py': 'import requests, prometheus_client' };
  const wanted = (dependencies: string): unknown => wantedBy({ files, dependencies, python });
  assert.equal(wanted(''), 'prometheus_client\nrequests\n');
  assert.equal(wanted('Requests==2.31.0'), 'Requests==2.31.0\nprometheus_client\n');
  assert.equal(wanted('prometheus-client\nrequests'), 'prometheus-client\nrequests\n');
  const locked = 'idna==3.7 --hash=sha256:00';
  assert.equal(wanted(locked), `${locked}\n`);
});

it('a source that brings packages along is left alone', () => {
  const files = { ...handler, 'node_modules/axios/index.js': '' };
  assert.equal(wantedBy({ files }), undefined);
});
