import { getUptime } from '@innkeeper/contract/servers/stats-history'
import { Center, Group, Paper, Table, Text, Title } from '@mantine/core'
import { isRefusal } from '../../api/request.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { getAverage } from './chart-data.ts'
import classes from './stats.module.css'

interface UptimeCardProps {
  readonly server: string
  readonly asTable: boolean
}

const dayMs = 24 * 60 * 60 * 1000
const refreshMs = 10 * 60 * 1000

/** A day, and the part of it in which the server ran; `null` before anything was measured. */
interface UptimeDay {
  readonly day: number
  readonly share: number | null
}

/** How much of each of the last days a server ran, as bars or as a table. */
export function UptimeCard({ server, asTable }: UptimeCardProps) {
  const t = useT()
  const { percent } = useFormatters()
  const query = useApiQuery(getUptime, { params: { id: server } }, { refetchInterval: refreshMs })
  // Older nodes do not know it.
  const isUnknown = isRefusal(query.error, 'ErrNotFound')
  const shares = query.data?.days.filter((share) => share !== null) ?? []
  const summary =
    shares.length > 0 &&
    t('stats.UptimeSummary', { count: shares.length, share: formatShare(percent, getAverage(shares)) })
  if (isUnknown) return null
  return (
    <Paper component="section" className={classes.card} aria-label={t('stats.Uptime')}>
      <div className={classes.head}>
        <Title order={2}>{t('stats.Uptime')}</Title>
        {summary && (
          <Text component="span" fz="compact" c="dimmed">
            {summary}
          </Text>
        )}
      </div>
      <div className={classes.uptimeBody}>
        <QueryState
          query={query}
          errorTitle={t('stats.LoadFailed')}
          skeletonHeight={72}
          isEmpty={() => shares.length === 0}
          empty={
            <Center h={72} fz="sm" c="dimmed">
              {t('stats.NoData')}
            </Center>
          }
        >
          {({ fromMs, days }) => {
            const known = days.map((share, index) => ({ day: fromMs + index * dayMs, share }))
            return asTable ? <UptimeTable days={known} /> : <UptimeBars days={known} summary={summary || ''} />
          }}
        </QueryState>
        <Text variant="note" pt="xs">
          {t('stats.UptimeDays')}
        </Text>
      </div>
    </Paper>
  )
}

/** 99.9 % is not 100 %, which a whole number would say. */
function formatShare(percent: (value: number, decimals?: number) => string, share: number): string {
  const value = Math.floor(share * 1_000) / 10
  return percent(value, Number.isInteger(value) ? 0 : 1)
}

const barWidth = 4
const height = 44

/** A bar for each day, from left to right in every language. */
function UptimeBars({ days, summary }: { readonly days: readonly UptimeDay[]; readonly summary: string }) {
  const t = useT()
  const { percent, shortUtcDate } = useFormatters()
  const [first, last] = [days[0], days.at(-1)]
  return (
    <div dir="ltr">
      <svg
        className={classes.uptime}
        viewBox={`0 0 ${days.length * barWidth} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        {days.map(({ day, share }, index) => {
          const date = shortUtcDate(day)
          const tip =
            share === null
              ? t('stats.UptimeUnknown', { date })
              : t('stats.UptimeDay', { date, share: formatShare(percent, share) })
          const bar = { x: index * barWidth, width: barWidth - 1 }
          const filled = (share ?? 0) * height
          return (
            <g key={day} data-tip={tip}>
              <rect {...bar} y={0} height={height} className={share === null ? classes.unknownDay : classes.downDay} />
              <rect {...bar} y={height - filled} height={filled} className={classes.upDay} />
            </g>
          )
        })}
      </svg>
      <Group justify="space-between" className={classes.uptimeAxis}>
        <span>{first && shortUtcDate(first.day)}</span>
        <span>{last && shortUtcDate(last.day)}</span>
      </Group>
    </div>
  )
}

/** Newest first. */
function UptimeTable({ days }: { readonly days: readonly UptimeDay[] }) {
  const t = useT()
  const { percent, shortUtcDate } = useFormatters()
  return (
    <Table.ScrollContainer minWidth={0} maxHeight="40dvh" type="native">
      <Table stickyHeader tabularNums>
        <Table.Thead bg="var(--ik-surface)">
          <Table.Tr>
            <Table.Th>{t('stats.Day')}</Table.Th>
            <Table.Th>{t('stats.Uptime')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {days
            .filter(({ share }) => share !== null)
            .toReversed()
            .map(({ day, share }) => (
              <Table.Tr key={day}>
                <Table.Th scope="row" fz="sm" fw={400} c="var(--ik-text)">
                  {shortUtcDate(day)}
                </Table.Th>
                <Table.Td>{formatShare(percent, share ?? 0)}</Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
