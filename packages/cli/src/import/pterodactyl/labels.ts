import { isSafeKey } from '@innkeeper/contract/text/names'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import type { ImportedServer } from '@innkeeper/panel/import/import-plan'
import { z } from 'zod'
import { textIn } from '../rows.ts'
import { getServerId } from '../source-files.ts'

const Labels = z.record(z.string().max(1_000).refine(isSafeKey), z.coerce.string().max(10_000))

/** Adds the container labels that Pelican has for a server. */
export function withLabels(
  servers: readonly ImportedServer[],
  rows: readonly ForeignRow[],
  notes: string[],
): ImportedServer[] {
  const labels = new Map<string, z.output<typeof Labels>>()
  for (const row of rows) {
    const text = textIn(row, 'docker_labels')
    if (!text || text === '[]') continue
    const { data } = Labels.safeParse(parseJsonOrUndefined(text))
    if (data) labels.set(getServerId('pterodactyl', textIn(row, 'uuid_short') ?? ''), data)
    else notes.push(`server ${textIn(row, 'name')}: its container labels cannot be read`)
  }
  return servers.map((server) => {
    const [own, { definition }] = [labels.get(server.id), server]
    if (!own || !definition) return server
    const environment = { ...(definition.environment as object), labels: own }
    return { ...server, definition: { ...definition, environment, supportedEnvironments: [environment] } }
  })
}
