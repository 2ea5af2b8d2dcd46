import { type Condition, findCondition } from '@fnlet/machinery';
import { type Html, html } from './html.ts';

/** One address that Fnlet answers at. */
export interface ListedEndpoint {
  readonly name: string;
  readonly url: string;
  /** What it is for, in a few words. */
  readonly purpose: string;
}

/** A Function as the page shows it. */
export interface ListedFunction {
  readonly namespace: string;
  readonly name: string;
  readonly runtime: string;
  readonly url: string | undefined;
  /** Ready Instances. */
  readonly replicas: number;
  readonly conditions: readonly Condition[];
}

/** Everything that the page tells, at one moment. */
export interface StatusSnapshot {
  readonly version: string;
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly endpoints: readonly ListedEndpoint[];
  readonly kubeconfig: string;
  readonly dataDirectory: string;
  readonly functions: readonly ListedFunction[];
}

/** What a Function does right now, in one word. */
export type FunctionState = 'serving' | 'asleep' | 'starting' | 'failed';

/** The word for a Function's state: the newest generation decides, then whether anything runs. */
export function functionState({ conditions, replicas }: ListedFunction): FunctionState {
  const ready = findCondition(conditions, 'Ready');
  if (ready?.status === 'False') return 'failed';
  if (ready?.status !== 'True') return 'starting';
  return replicas > 0 ? 'serving' : 'asleep';
}

const style = `
:root { color-scheme: light dark; }
:root { --line: light-dark(#d8dee4, #3d444d); --dim: light-dark(#59636e, #9198a1); }
body { font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 68rem; margin: 2.5rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2.2rem 0 .6rem; }
p, td.dim, .dim { color: var(--dim); } p { margin: .2rem 0; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; color: var(--dim); font-size: .85rem; }
td, th { padding: .45rem 1rem .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
code, td.url { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: light-dark(#f6f8fa, #151b23); padding: .8rem 1rem; }
pre { border-radius: 6px; overflow-x: auto; }
.state { white-space: nowrap; } .state::before { content: '●'; margin-right: .4em; }
.serving::before { color: #1a7f37; } .asleep::before { color: #8b949e; }
.starting::before { color: #bf8700; } .failed::before { color: #cf222e; }
`;

/** The whole page. Plain HTML, no script, nothing from elsewhere; it reloads itself. */
export function renderStatusPage(snapshot: StatusSnapshot): string {
  const upSeconds = Math.max(0, Math.floor((snapshot.nowMs - snapshot.startedAtMs) / 1000));
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>Fnlet</title>
<style>${{ raw: style }}</style>
</head>
<body>
<h1>Fnlet is running</h1>
<p>version ${snapshot.version}, up for ${formatUptime(upSeconds)}, data in <code>${snapshot.dataDirectory}</code></p>
<h2>Endpoints</h2>
<table>
<tr><th>What</th><th>Where</th><th>For</th></tr>
${snapshot.endpoints.map(renderEndpoint)}
</table>
<h2>Functions</h2>
${renderFunctions(snapshot)}
<h2>Next</h2>
<pre>export KUBECONFIG=${snapshot.kubeconfig}
kubectl get functions --all-namespaces</pre>
</body>
</html>
`;
  return page.raw;
}

function renderEndpoint({ name, url, purpose }: ListedEndpoint): Html {
  return html`<tr><td>${name}</td><td class="url">${url}</td><td class="dim">${purpose}</td></tr>
`;
}

function renderFunctions({ functions }: StatusSnapshot): Html {
  if (functions.length === 0) {
    return html`<p>None yet. Make one: <code>npx fnlet init hello &amp;&amp; npx fnlet deploy hello hello</code></p>`;
  }
  return html`<table>
<tr><th>Function</th><th>State</th><th>Instances</th><th>Runtime</th><th>URL</th></tr>
${functions.map(renderFunction)}
</table>`;
}

function renderFunction(listed: ListedFunction): Html {
  const state = functionState(listed);
  const message = findCondition(listed.conditions, 'Ready')?.message ?? '';
  const detail = state === 'failed' ? html`<br><span class="dim">${message}</span>` : html``;
  const url = listed.url ?? '';
  return html`<tr>
<td>${listed.namespace}/${listed.name}</td>
<td><span class="state ${state}">${state}</span>${detail}</td>
<td>${listed.replicas}</td>
<td>${listed.runtime}</td>
<td class="url"><a href="${url}">${url}</a></td>
</tr>
`;
}

function formatUptime(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}
