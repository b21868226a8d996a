import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { OnServer } from '../api/params.ts'
import { ReportedError } from '../errors/refusal-envelope.ts'
import { trimEnd } from '../text/trim-end.ts'

/** The first part of a name: `lobby` of `lobby.play.example.org`. */
export const DnsLabel = z.pipe(
  z.pipe(
    z.string().check(z.maxLength(100)),
    z.transform((text) => text.trim().toLowerCase()),
  ),
  z.string().check(z.regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/)),
)

/** A label that is made from the name of a server; empty when nothing of the name can be in one. */
export function proposeLabel(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('-')
  return trimEnd(words.slice(0, 63), '-')
}

/** Records of one name and type, as in a zone file. */
export const DnsRecords = z.object({ name: z.string(), type: z.string(), values: z.array(z.string()) })
export type DnsRecords = z.infer<typeof DnsRecords>

export const dnsStates = ['waiting', 'correct', 'differs', 'failed'] as const

export const DnsName = z.object({
  label: z.string(),
  /** With the zone: `lobby.play.example.org`. */
  name: z.string(),
  /** `waiting`: not written yet. `differs`: somebody else has changed the records. */
  state: z.enum(dnsStates),
  /** What the panel has written. */
  records: z.array(DnsRecords),
  /** What the name server has, when it differs. */
  found: z.optional(z.array(DnsRecords)),
  error: z.optional(ReportedError),
  /** When the records were last read, ISO 8601. */
  checkedAt: z.optional(z.string()),
})
export type DnsName = z.infer<typeof DnsName>

export const ServerDnsName = z.object({
  /** The zone of the panel; missing when there is none. */
  zone: z.optional(z.string()),
  name: z.nullable(DnsName),
  /** A label that is made from the name of the server. */
  proposal: z.string(),
})
export type ServerDnsName = z.infer<typeof ServerDnsName>

/** The DNS name of a server, and whether the name server has it as it should be. */
export const getDnsName = endpoint('GET', '/api/servers/:id/dns-name', {
  access: { onServer: 'editServerData' },
  params: OnServer,
  response: ServerDnsName,
})

/**
 * Gives a server a name below the zone, instead of the one that it has. ErrDnsNameTaken when another server has it, or
 * the name server has records of it that the panel has not written. The panel writes the records soon afterwards, and
 * again when the address changes.
 */
export const putDnsName = endpoint('PUT', '/api/servers/:id/dns-name', {
  access: { onServer: 'editServerData' },
  audit: 'server.dns.put',
  params: OnServer,
  body: z.strictObject({ label: DnsLabel }),
  response: ServerDnsName,
  errorStatuses: [502],
})

/** Writes the records again, over what somebody else has changed. */
export const writeDnsName = endpoint('POST', '/api/servers/:id/dns-name/write', {
  access: { onServer: 'editServerData' },
  audit: 'server.dns.write',
  params: OnServer,
  response: ServerDnsName,
})

/** Removes the name and its records. */
export const deleteDnsName = endpoint('DELETE', '/api/servers/:id/dns-name', {
  access: { onServer: 'editServerData' },
  audit: 'server.dns.delete',
  params: OnServer,
})
