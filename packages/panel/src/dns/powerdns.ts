import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { SettingValues } from '@innkeeper/contract/settings/settings'
import { trimEnd } from '@innkeeper/contract/text/trim-end'
import { request } from 'undici'
import { z } from 'zod'
import { readText } from '../nodes/client/node-response.ts'
import { type DnsProvider, dnsTimeoutMs, type RecordSet, recordTtl } from './provider.ts'

const maxResponseBytes = 16 * 1024 * 1024

const Zone = z.object({
  rrsets: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      records: z.array(z.object({ content: z.string(), disabled: z.boolean().default(false) })),
    }),
  ),
})
const Failure = z.object({ error: z.string() })

/** The HTTP API of the PowerDNS Authoritative Server. Only administrators set its address, which may be private. */
export function powerDns(settings: SettingValues): DnsProvider {
  const zone = `${settings['panel.dns.zone']}.`
  const url = new URL(`${trimEnd(settings['panel.dns.url'], '/')}/api/v1/servers/localhost/zones/${zone}`)

  async function call(method: 'GET' | 'PATCH', signal: AbortSignal, body?: unknown, query?: Record<string, string>) {
    const address = new URL(url)
    address.search = String(new URLSearchParams(query))
    const limit = AbortSignal.any([signal, AbortSignal.timeout(dnsTimeoutMs)])
    try {
      const response = await request(address, {
        method,
        signal: limit,
        headers: { 'x-api-key': settings['panel.dns.key'], 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const answer = await readText(response.body, maxResponseBytes)
      if (response.statusCode < 300) return answer
      throw failed(getReason(response.statusCode, answer))
    } catch (error) {
      if (error instanceof Refusal) throw error
      throw failed(limit.aborted ? 'it did not respond in time' : getMessage(error), error)
    }
  }

  /** Older versions ignore the query, and answer with the whole zone. */
  async function readZone(name: string, signal: AbortSignal) {
    const answer = await call('GET', signal, undefined, { rrset_name: `${name}.` })
    const parsed = Zone.safeParse(safeJson(answer))
    if (!parsed.success) throw failed('its answer is not a zone', parsed.error)
    return parsed.data.rrsets.filter((rrset) => rrset.name.toLowerCase() === `${name}.`)
  }

  return {
    async replace(sets, signal) {
      const rrsets = sets.map(({ name, type, values }) => ({
        name: `${name}.`,
        type,
        ...(values.length === 0
          ? { changetype: 'DELETE' }
          : {
              changetype: 'REPLACE',
              ttl: recordTtl,
              records: values.map((value) => ({ content: type === 'SRV' ? `${value}.` : value, disabled: false })),
            }),
      }))
      await call('PATCH', signal, { rrsets })
    },

    async read(sets, signal) {
      const read: RecordSet[] = []
      for (const { name, type } of sets) {
        const rrset = (await readZone(name, signal)).find((one) => one.type === type)
        const active = rrset?.records.filter(({ disabled }) => !disabled) ?? []
        read.push({ name, type, values: active.map(({ content }) => content.replace(/\.$/, '')) })
      }
      return read
    },

    has: async (name, signal) => (await readZone(name, signal)).length > 0,
  }
}

const failed = (reason: string, cause?: unknown) => new Refusal('ErrDnsFailed', { reason }, { cause })

function getReason(status: number, answer: string): string {
  const { data } = Failure.safeParse(safeJson(answer))
  return data ? `${data.error} (${status})` : `the status is ${status}`
}

/** The error of a connection is the cause of that of the request. */
function getMessage(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
}

function safeJson(answer: string): unknown {
  try {
    return JSON.parse(answer)
  } catch {
    return undefined
  }
}
