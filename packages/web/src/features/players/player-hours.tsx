import { getPlayerHistory } from '@innkeeper/contract/servers/players'
import { getTag } from '@innkeeper/contract/text/languages'
import { Box, Button, Center, Paper, Table } from '@mantine/core'
import { IconGridDots, IconListNumbers } from '@tabler/icons-react'
import { type CSSProperties, type ReactNode, useMemo, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useLocale, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { weekdayName, weekdaysFromMonday } from '../../i18n/zoned-time.ts'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { getPlayerHours, type PlayerHour } from './hours.ts'
import classes from './players.module.css'

const refreshMs = 10 * 60 * 1000
const hoursOfDay = Array.from({ length: 24 }, (_, hour) => hour)

/** When people play: the average number of players in each hour of a weekday, as a heat map or as a table. */
export function PlayerHours({ server }: { readonly server: string }) {
  const t = useT()
  const [asTable, setAsTable] = useState(false)
  const query = useApiQuery(getPlayerHistory, { params: { id: server } }, { refetchInterval: refreshMs })
  const hours = useMemo(() => (query.data ? getPlayerHours(query.data) : []), [query.data])
  // Older nodes do not know it.
  if (isRefusal(query.error, 'ErrNotFound')) return null
  const isEmpty = hours.every(({ average }) => average === null)
  return (
    <Paper component="section" aria-label={t('players.Hours')}>
      <CardHeader title={t('players.Hours')} description={t('players.HoursAbout')}>
        {!isEmpty && (
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            leftSection={asTable ? <IconGridDots size={17} aria-hidden /> : <IconListNumbers size={17} aria-hidden />}
            onClick={() => setAsTable(!asTable)}
          >
            {t(asTable ? 'stats.ShowCharts' : 'stats.ShowTable')}
          </Button>
        )}
      </CardHeader>
      <QueryState
        query={query}
        errorTitle={t('stats.LoadFailed')}
        skeletonHeight="11rem"
        isEmpty={() => isEmpty}
        empty={
          <Center mih={96} px="md" fz="sm" c="dimmed" ta="center">
            {t('players.NoHours')}
          </Center>
        }
      >
        {() => (asTable ? <HourTable hours={hours} /> : <HeatMap hours={hours} />)}
      </QueryState>
    </Paper>
  )
}

interface HoursProps {
  readonly hours: readonly PlayerHour[]
}

const getHour = (hours: readonly PlayerHour[], weekday: number, hour: number) => hours[weekday * 24 + hour]

/** A text for each hour, and the names of weekdays and hours. */
function useHourTexts() {
  const t = useT()
  const { number, timeOfDay } = useFormatters()
  const tag = getTag(useLocale().locale)
  const format = (value: number) => number(value, Number.isInteger(value) ? 0 : 1)
  return {
    t,
    timeOfDay: (hour: number) => timeOfDay(hour, 0),
    weekday: (weekday: number, length: 'long' | 'short') => weekdayName(tag, weekday, length),
    describe: ({ weekday, hour, average, peak }: PlayerHour) => {
      const when = { weekday: weekdayName(tag, weekday, 'long'), time: timeOfDay(hour, 0) }
      if (average === null || peak === null) return t('players.HourUnknown', when)
      return t('players.Hour', { ...when, average: format(average), peak: format(peak) })
    },
    format,
  }
}

/** Weekdays below each other, the hours of the day from left to right in every language. */
function HeatMap({ hours }: HoursProps) {
  const { t, timeOfDay, weekday, describe } = useHourTexts()
  const highest = Math.max(...hours.map(({ average }) => average ?? 0))
  const busiest = hours.find(({ average }) => average === highest)
  return (
    <Box p="md">
      <div
        className={classes.heatMap}
        dir="ltr"
        role="img"
        aria-label={
          busiest && highest > 0 ? t('players.Busiest', { hour: describe(busiest) }) : t('players.NoneLately')
        }
      >
        {weekdaysFromMonday.map((day) => (
          <HeatRow key={day} name={weekday(day, 'short')}>
            {hoursOfDay.map((hour) => {
              const one = getHour(hours, day, hour)
              return one && <HeatCell key={hour} hour={one} highest={highest} tip={describe(one)} />
            })}
          </HeatRow>
        ))}
        <span />
        {[0, 6, 12, 18].map((hour) => (
          <span key={hour} className={classes.heatLabel} style={{ gridColumn: 'span 6' }}>
            {timeOfDay(hour)}
          </span>
        ))}
      </div>
    </Box>
  )
}

function HeatRow({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <span className={classes.heatLabel}>{name}</span>
      {children}
    </>
  )
}

interface HeatCellProps {
  readonly hour: PlayerHour
  readonly highest: number
  readonly tip: string
}

function HeatCell({ hour: { average }, highest, tip }: HeatCellProps) {
  if (average === null) return <span className={classes.unknownHour} data-tip={tip} />
  // Few players are seen too, and nobody is not nothing.
  const share = average === 0 ? 0 : 15 + 85 * (average / highest)
  const style = { '--share': `${Math.round(share)}%` }
  return <span className={classes.hour} data-tip={tip} style={style as CSSProperties} />
}

/** Average and peak, an hour in each row. */
function HourTable({ hours }: HoursProps) {
  const { t, timeOfDay, weekday, format } = useHourTexts()
  return (
    <Table.ScrollContainer minWidth={0} maxHeight="60dvh" type="native">
      <Table stickyHeader tabularNums style={{ whiteSpace: 'nowrap' }}>
        <Table.Thead bg="var(--ik-surface)">
          <Table.Tr>
            <Table.Th>{t('stats.Time')}</Table.Th>
            {weekdaysFromMonday.map((day) => (
              <Table.Th key={day}>{weekday(day, 'short')}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {hoursOfDay.map((hour) => (
            <Table.Tr key={hour}>
              <Table.Th scope="row" fz="sm" fw={400} c="var(--ik-text)">
                {timeOfDay(hour)}
              </Table.Th>
              {weekdaysFromMonday.map((day) => {
                const { average, peak } = getHour(hours, day, hour) ?? { average: null, peak: null }
                const isKnown = average !== null && peak !== null
                return (
                  <Table.Td key={day}>
                    {isKnown ? t('players.HourShort', { average: format(average), peak: format(peak) }) : '—'}
                  </Table.Td>
                )
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
