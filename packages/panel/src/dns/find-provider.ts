import type { SettingValues } from '@innkeeper/contract/settings/settings'
import { powerDns } from './powerdns.ts'
import type { DnsProvider } from './provider.ts'
import { rfc2136 } from './rfc2136.ts'

/** The zone of the settings and the server that has it; `undefined` when there is none. */
export function findProvider(settings: SettingValues): { zone: string; provider: DnsProvider } | undefined {
  const zone = settings['panel.dns.zone']
  const type = settings['panel.dns.provider']
  if (zone === '' || type === 'none') return undefined
  return { zone, provider: type === 'rfc2136' ? rfc2136(settings) : powerDns(settings) }
}
