const allAddresses: readonly string[] = ['0.0.0.0', '::']

/** Whether a listener with this host accepts connections on all addresses of the machine. */
export function isOnAllAddresses(host: string): boolean {
  return allAddresses.includes(host)
}

/** The URL of a listener, for a client on the same machine. */
export function listenerUrl({ host, port, isSecure }: { host: string; port: number; isSecure: boolean }): string {
  const name = isOnAllAddresses(host) || ['127.0.0.1', '::1'].includes(host) ? 'localhost' : host
  return `${isSecure ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`
}
