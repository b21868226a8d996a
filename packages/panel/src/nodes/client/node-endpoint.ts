import { isIPv6 } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { limits } from '@innkeeper/contract/text/limits'
import type { buildConnector } from 'undici'

/** Location of a node: a unix socket for the local one, or an address of another machine. */
export type NodeEndpoint =
  | { readonly socketPath: string }
  | {
      readonly host: string
      readonly port: number
      /** The pinned certificate, PEM; empty when it has one from a certificate authority. */
      readonly certificate: string
    }

/** The origin of requests to a node. */
export function getOrigin(endpoint: NodeEndpoint): string {
  if ('socketPath' in endpoint) return 'http://node'
  return `https://${isIPv6(endpoint.host) ? `[${endpoint.host}]` : endpoint.host}:${endpoint.port}`
}

/** Trusts exactly the certificate that the node presented when it joined, with any host name. */
export function pinnedCertificate({ certificate }: { readonly certificate: string }): TlsOptions {
  const minVersion = 'TLSv1.3'
  if (certificate === '') return { minVersion }
  return { minVersion, ca: certificate, checkServerIdentity: () => undefined }
}

type TlsOptions = Pick<ConnectionOptions, 'minVersion' | 'ca' | 'checkServerIdentity'>

/** How the HTTP agent connects to a node. */
export function connectOptions(endpoint: NodeEndpoint): buildConnector.BuildOptions {
  if ('socketPath' in endpoint) return { socketPath: endpoint.socketPath }
  return { ...pinnedCertificate(endpoint), timeout: limits.nodeUsageMs } as buildConnector.BuildOptions
}
