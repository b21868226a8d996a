import { getDiskUsage } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'

/** What the files of a server take up, and what is left: quietly, and nothing when nobody knows. */
export function DiskUsage({ server }: { server: string }) {
  const t = useT()
  const { size, dateTime } = useFormatters()
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
  const { bytes, freeBytes, measuredAt } = usage.data
  return (
    <span data-tip={t('files.MeasuredAt', { time: dateTime(Date.parse(measuredAt)) })}>
      {t('files.DiskUsage', { used: size(bytes), free: size(freeBytes) })}
    </span>
  )
}
