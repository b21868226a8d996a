import { execFileSync } from 'node:child_process'

const made = execFileSync(
  'openssl',
  [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-keyout', '-', '-out', '-'],
  ],
  { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
)

/** A self-signed certificate for tests with its key, PEM. */
export const certificate = { key: getPart('PRIVATE KEY'), cert: getPart('CERTIFICATE') }

function getPart(name: string): string {
  return RegExp(`-----BEGIN ${name}-----[^-]*-----END ${name}-----`).exec(made)?.[0] ?? ''
}
