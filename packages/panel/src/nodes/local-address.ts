import type { ClientInfo } from '../routing/route-context.ts'

/** The public address of the local node: the host of the master URL, else of the request. */
export function localAddress(masterUrl: string | undefined, from: ClientInfo): { host: string; port: number } {
  const url = URL.parse(masterUrl ?? `${from.isSecure ? 'https' : 'http'}://${from.host}`)
  if (!url?.hostname) return { host: '127.0.0.1', port: 8080 }
  const usual = url.protocol === 'https:' ? 443 : 80
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || usual }
}
