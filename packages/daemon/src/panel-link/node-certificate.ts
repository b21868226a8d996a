import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { loadOrCreateSecret } from './secret-file.ts'

/** A key and its certificate as PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** The panel pins this certificate, so its validity period is irrelevant: it must be valid whatever the clocks say. */
const [notBeforeDate, notAfterDate] = [new Date('2000-01-01'), new Date('2200-01-01')]

/** The self-signed certificate of a node, stored in the data directory. */
export async function openNodeCertificate(dataDir: string): Promise<Certificate> {
  const path = join(dataDir, 'node-certificate.pem')
  const pem = await loadOrCreateSecret(path, makeCertificate)
  const key = getPart(pem, 'PRIVATE KEY')
  const cert = getPart(pem, 'CERTIFICATE')
  try {
    return { key, cert: new X509Certificate(cert).toString() }
  } catch (cause) {
    throw new Error(`${path} is damaged. Restore it from a backup, or remove it and enrol the node again.`, { cause })
  }
}

function getPart(pem: string, kind: string): string {
  return new RegExp(`-----BEGIN ${kind}-----[^-]*-----END ${kind}-----`).exec(pem)?.[0] ?? ''
}

async function makeCertificate(): Promise<string> {
  // Only for the first start of a remote node, because loading it takes a twentieth of each start.
  const { generate } = await import('selfsigned')
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'Innkeeper node' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate,
    notAfterDate,
  })
  return `${key.trim()}\n${cert.trim()}\n`
}
