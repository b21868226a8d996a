import { getDiskUsage } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { VisuallyHidden } from '@mantine/core'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { InfoTooltip } from '../../ui/info-tooltip.tsx'

/** The size of a server's files and the free space. Renders nothing until it has been measured. */
export function DiskUsage({ server }: { server: string }) {
  const t = useT()
  const { fileSize, dateTime } = useFormatters()
  const usage = useApiQuery(
    getDiskUsage,
    { params: { id: server } },
    {
      staleTime: limits.diskUsageEveryMs,
      refetchInterval: ({ state }) =>
        state.data && state.data.measuredAt === undefined ? limits.diskUsageWaitMs : false,
    },
  )
  if (usage.data?.measuredAt === undefined) return null
  const { bytes, freeBytes, measuredAt, limit } = usage.data
  const size = (value: number) => fileSize(value, { decimals: 2 })
  const measured = t('files.MeasuredAt', { time: dateTime(Date.parse(measuredAt)) })
  return (
    <InfoTooltip label={measured}>
      <span>
        {limit
          ? t('nodes.UsedOf', { used: size(limit.usedBytes), total: size(limit.limitBytes) })
          : t('files.DiskUsage', { used: size(bytes), free: size(freeBytes) })}
        <VisuallyHidden>{measured}</VisuallyHidden>
      </span>
    </InfoTooltip>
  )
}
