import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Writes a self-signed certificate for panel.example.org, valid for 90 days, with its key. */
export async function selfSignedCertificate(folder: string, name: string): Promise<{ cert: string; key: string }> {
  const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) }
  const subject = ['-subj', '/CN=panel.example.org', '-addext', 'subjectAltName=DNS:panel.example.org,IP:2001:db8::1']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '90']
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...subject, '-out', files.cert, '-keyout', files.key])
  return files
}
