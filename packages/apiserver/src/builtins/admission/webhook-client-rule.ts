import type { FieldError } from '@fnlet/machinery';
import { objectField, textField } from '../../object/object-form.ts';
import { forbidden, invalid, missing } from '../refusal.ts';
import { about, between, fields, isUnset, type Rule, required } from '../rule.ts';

const format = 'desired format: https://host[/path]';

/** An address of a webhook (apiserver, util/webhook/validation.go). */
const webhookUrl: Rule = (value, path) => {
  if (isUnset(value)) return [];
  const url = URL.canParse(String(value)) ? new URL(String(value)) : undefined;
  if (url === undefined) return [required()(undefined, path)].flat();
  const errors: FieldError[] = [];
  if (url.protocol !== 'https:') {
    const scheme = url.protocol.slice(0, -1);
    errors.push(invalid(path, scheme, `'https' is the only allowed URL scheme; ${format}`));
  }
  if (url.host === '') errors.push(invalid(path, '', `host must be specified; ${format}`));
  if (url.username !== '' || url.password !== '') {
    errors.push(invalid(path, value, 'user information is not permitted in the URL'));
  }
  if (url.hash !== '') {
    errors.push(invalid(path, url.hash.slice(1), 'fragments are not permitted in the URL'));
  }
  if (url.search !== '') {
    const text = 'query parameters are not permitted in the URL';
    errors.push(invalid(path, url.search.slice(1), text));
  }
  return errors;
};

const service: Rule = about((one, path) =>
  fields({
    name: required(undefined, 'service name is required'),
    namespace: required(undefined, 'service namespace is required'),
    path: (value, at) =>
      isUnset(value) || String(value).startsWith('/')
        ? []
        : [invalid(at, value, "must start with a '/'")],
    port: between(1, 65_535),
  })(one, path),
);

/** Where a webhook is: exactly one of an address and a Service. */
export const webhookClient: Rule = about((config, path) => {
  const url = textField(config, 'url');
  const hasService = config.service !== undefined && config.service !== null;
  if ((url === '') !== hasService) {
    return [missing(path, 'exactly one of url or service is required')];
  }
  if (hasService) return service(objectField(config, 'service'), `${path}.service`);
  return webhookUrl(url, `${path}.url`);
});

/** The versions of reviews that a webhook understands; this server speaks `v1` only. */
export function reviewVersions(why: string): Rule {
  return (value, path) => {
    if (!Array.isArray(value) || value.length === 0) return [missing(path, why)];
    if (value.includes('v1')) return [];
    return value.includes('v1beta1')
      ? [forbidden(path, 'this API server sends reviews of v1 only')]
      : [invalid(path, value, 'must include at least one of v1, v1beta1')];
  };
}
