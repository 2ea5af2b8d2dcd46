import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate with its key, as PEM. */
export interface TestCertificate {
  readonly certificate: string;
  readonly key: string;
}

const kind = ['-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

/** Issues certificates that only those believe who know it. */
export class TestAuthority implements AsyncDisposable {
  readonly certificate: string;
  readonly #directory: string;

  private constructor(directory: string, certificate: string) {
    this.#directory = directory;
    this.certificate = certificate;
  }

  static async make(): Promise<TestAuthority> {
    const directory = await mkdtemp(join(tmpdir(), 'fnlet-authority-'));
    const files = ['-keyout', join(directory, 'ca.key'), '-out', join(directory, 'ca.crt')];
    openssl('req', ...kind, ...files, '-subj', '/CN=Test Authority');
    return new TestAuthority(directory, await readFile(join(directory, 'ca.crt'), 'utf8'));
  }

  /** For this machine by its names, as server and as client. */
  async issue(name: string): Promise<TestCertificate> {
    const place = (file: string): string => join(this.#directory, file);
    openssl(
      ...[
        'req',
        ...kind,
        '-subj',
        `/CN=${name}`,
        '-CA',
        place('ca.crt'),
        '-CAkey',
        place('ca.key'),
      ],
      ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ...['-addext', 'basicConstraints=critical,CA:FALSE'],
      ...['-keyout', place(`${name}.key`), '-out', place(`${name}.crt`)],
    );
    const [certificate, key] = await Promise.all(
      ['crt', 'key'].map((end) => readFile(place(`${name}.${end}`), 'utf8')),
    );
    return { certificate: certificate ?? '', key: key ?? '' };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true });
  }
}

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore' });
}
