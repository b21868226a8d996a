import { networkInterfaces } from 'node:os'

/**
 * The address at which a server of this machine is reached that listens on `ip`; undefined for an address of another
 * machine: users may edit it, and the daemon must not connect elsewhere for them.
 */
export function findLocalHost(ip: string): string | undefined {
  if (ip === '::') return '::1'
  if (ip === '0.0.0.0' || ip === '{ip}' || ip === 'localhost') return '127.0.0.1'
  if (ip === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(ip)) return ip
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  return own.some(({ address }) => address === ip) ? ip : undefined
}
