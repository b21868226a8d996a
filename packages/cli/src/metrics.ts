import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList, isIP, isIPv6 } from 'node:net'
import type { MetricsAccess } from '@innkeeper/contract/settings/metrics-format'
import { collectDefaultMetrics, type OpenMetricsContentType, Registry } from 'prom-client'
import type { Config } from './installation/config.ts'

type Settings = Pick<Config, 'metricsToken' | 'metricsAllow'>

/** The metrics of this process, and who may read them. */
export interface Metrics {
  readonly registry: Registry<OpenMetricsContentType>
  readonly access: MetricsAccess
}

/**
 * Default metrics that are left out: they are read through functions of Node.js that are not documented, or are gauges with
 * the name of a counter.
 */
const leftOut = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/** The metrics of this process in the OpenMetrics format; undefined unless a token or an address is configured. */
export function openMetrics(settings: Settings): Metrics | undefined {
  if (settings.metricsToken === undefined && settings.metricsAllow.length === 0) return undefined
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  collectDefaultMetrics({ register: registry })
  for (const name of leftOut) registry.removeSingleMetric(name)
  return { registry, access: metricsAccess(settings) }
}

/** A request needs the token and an allowed address, as far as they are configured. */
export function metricsAccess({ metricsToken, metricsAllow }: Settings): MetricsAccess {
  const addresses = new BlockList()
  for (const allowed of metricsAllow) {
    const [address = '', prefix] = allowed.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (prefix === undefined) addresses.addAddress(address, family)
    else addresses.addSubnet(address, Number(prefix), family)
  }
  return ({ address, authorization = '' }) => {
    if (metricsAllow.length > 0) {
      // A proxy may name a client by any text.
      const isListed =
        address !== undefined && isIP(address) !== 0 && addresses.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
      if (!isListed) return 'hidden'
    }
    if (metricsToken === undefined) return 'allowed'
    const token = /^Bearer (.+)$/i.exec(authorization)?.[1] ?? ''
    return isSame(token, metricsToken) ? 'allowed' : 'unauthorized'
  }
}

/** Compares digests, which have the same length, in constant time. */
function isSame(actual: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(actual), digest(expected))
}
