import type { ServerUsage } from '../../features/servers/use-server-usage.ts'
import type { Formatters } from '../../i18n/formatters.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { statusLabel } from '../../ui/feedback/status.tsx'
import { useNow } from '../../ui/hooks/use-now.ts'

export interface UsageText {
  readonly value: string
  /** The value with its maximum, if it has one. */
  readonly details: string
}

/** CPU and memory as text. Undefined where nothing is measured. */
export function getUsageTexts(
  t: TFunction,
  { percent, fileSize }: Pick<Formatters, 'percent' | 'fileSize'>,
  usage: ServerUsage | undefined,
): { readonly cpu: UsageText; readonly memory: UsageText } | undefined {
  const { stats, cpuMax, memoryMax } = usage ?? {}
  if (!stats) return undefined
  const toText = (format: (value: number) => string, used: number, max: number | undefined): UsageText => {
    const value = format(used)
    return { value, details: max === undefined ? value : t('servers.OfMax', { value, max: format(max) }) }
  }
  return { cpu: toText(percent, stats.cpu, cpuMax), memory: toText(fileSize, stats.memory, memoryMax) }
}

/** Players and places as text, in detail with the bots. Undefined where they are not known. */
export function getPlayersTexts(t: TFunction, players: ServerUsage['players']): UsageText | undefined {
  if (!players) return undefined
  const { bots, ...counts } = players
  if (counts.max === 0) return { value: String(counts.online), details: t('servers.PlayersOnline', counts) }
  return {
    value: t('servers.PlayersShort', counts),
    details: bots ? t('servers.PlayersAndBots', { ...counts, bots }) : t('servers.Players', counts),
  }
}

/** The latest report of a node that is unreachable now, as text. */
export function LastKnown({ state, seenAt }: NonNullable<ServerUsage['lastKnown']>) {
  const t = useT()
  const { relative } = useFormatters()
  const timestamp = Date.parse(seenAt)
  const now = useNow(timestamp)
  return t('servers.LastKnown', { state: statusLabel(t, state), ago: relative(timestamp, now) })
}
