import { type TemplateFields, value } from './manifest-template.ts';

/** Says of which installation an object is part: the value is its namespace. */
export const installationLabel = 'fnlet.dev/installation';

/** Labels of an object of the installation. */
export function installationLabels(name: string): TemplateFields {
  return {
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/part-of': 'fnlet',
    [installationLabel]: value('namespace'),
  };
}
