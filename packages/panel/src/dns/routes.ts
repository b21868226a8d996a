import * as calls from '@innkeeper/contract/servers/dns-names'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { DnsNamesService } from './dns-names.ts'

export function dnsRoutes(registerRoute: RegisterRoute, dnsNames: DnsNamesService): void {
  registerRoute(calls.getDnsName, ({ server }) => dnsNames.view(server))
  registerRoute(calls.putDnsName, ({ server, body, audit }) => dnsNames.put(server, body.label, audit))
  registerRoute(calls.writeDnsName, ({ server, audit }) => dnsNames.write(server, audit))
  registerRoute(calls.deleteDnsName, ({ server, audit }) => dnsNames.remove(server, audit))
}
