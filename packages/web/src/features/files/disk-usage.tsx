import { getDiskUsage } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { useCall } from '../../api/use-call.ts'
import { useFormats, useText } from '../../i18n/text.tsx'

/** What the files of a server take up, and what is left: quietly, and nothing when nobody knows. */
export function DiskUsage({ server }: { server: string }) {
  const text = useText()
  const { size, dateTime } = useFormats()
  const usage = useCall(
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
    <span data-tip={text('files.MeasuredAt', { time: dateTime(Date.parse(measuredAt)) })}>
      {text('files.DiskUsage', { used: size(bytes), free: size(freeBytes) })}
    </span>
  )
}
