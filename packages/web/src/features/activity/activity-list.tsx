import type { ActivityEntry } from '@innkeeper/contract/activity'
import type { Paging } from '@innkeeper/contract/paging'
import type { Refusal } from '@innkeeper/contract/refusals'
import { Button, Skeleton } from '@mantine/core'
import { IconActivity, IconBan, IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useT } from '../../i18n/i18n.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import table from '../../ui/table.module.css'
import { useDelayed } from '../../ui/use-delayed.ts'
import classes from './activity.module.css'
import { nameOfAction, nameOfTarget, reasonOf } from './words.ts'

export interface ActivityListProps {
  readonly list: {
    readonly data: { readonly activity: readonly ActivityEntry[]; readonly paging: Paging } | undefined
    readonly error: Refusal | null
    readonly isPending: boolean
    readonly refetch: () => unknown
  }
  /** What a server is called, where that is known; without it the list is about one server and does not name it. */
  readonly nameOfServer?: (id: string) => string | undefined
  readonly isFiltered: boolean
  readonly onClear: () => void
  readonly onPage: (page: number) => void
}

/** Who did what, to what, from where, with what result. */
export function ActivityList({ list, nameOfServer, isFiltered, onClear, onPage }: ActivityListProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const isLate = useDelayed(list.isPending)
  const { data, error } = list

  if (!data && error) {
    return <QueryError title={t('activity.LoadFailed')} error={error} retry={() => void list.refetch()} />
  }
  if (!data) {
    return (
      <div className={classes.loading} aria-busy="true">
        {isLate && [1, 2, 3, 4, 5].map((row) => <Skeleton key={row} h={20} aria-label={t('common.Loading')} />)}
      </div>
    )
  }
  if (data.activity.length === 0) {
    return (
      <EmptyState
        icon={<IconActivity size={24} aria-hidden />}
        title={t(isFiltered ? 'activity.NothingMatches' : 'activity.Nothing')}
        actions={
          isFiltered && (
            <Button variant="default" onClick={onClear}>
              {t('activity.ClearFilter')}
            </Button>
          )
        }
      />
    )
  }
  const Rows = isPhone ? PhoneRows : WideRows
  return (
    <>
      <Rows entries={data.activity} nameOfServer={nameOfServer} />
      <Pager paging={data.paging} onPage={onPage} />
    </>
  )
}

interface RowsProps {
  readonly entries: readonly ActivityEntry[]
  readonly nameOfServer: ActivityListProps['nameOfServer']
}

function WideRows({ entries, nameOfServer }: RowsProps) {
  const t = useT()
  return (
    <div className={classes.scroller}>
      <table className={`${table.table} ${classes.table}`}>
        <thead>
          <tr>
            <th scope="col">{t('activity.When')}</th>
            <th scope="col">{t('activity.Who')}</th>
            <th scope="col">{t('activity.What')}</th>
            <th scope="col">{t('activity.Object')}</th>
            <th scope="col">{t('activity.From')}</th>
            <th scope="col">{t('activity.Result')}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <td className={classes.when}>
                <RelativeTime at={entry.at} />
              </td>
              <td>
                <Who entry={entry} />
              </td>
              <td className={classes.what}>
                {nameOfAction(t, entry.action)}
                <SummedUp entry={entry} />
              </td>
              <td className={classes.object}>
                <ObjectOf entry={entry} nameOfServer={nameOfServer} />
              </td>
              <td>
                <CodeText className={classes.quiet ?? ''}>{entry.from}</CodeText>
              </td>
              <td>
                <Result entry={entry} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function PhoneRows({ entries, nameOfServer }: RowsProps) {
  const t = useT()
  return (
    <ul className={`${table.rows} ${classes.phone}`}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <div className={classes.phoneHead}>
            <b>{nameOfAction(t, entry.action)}</b>
            <Result entry={entry} />
          </div>
          <SummedUp entry={entry} />
          <div className={classes.object}>
            <ObjectOf entry={entry} nameOfServer={nameOfServer} />
          </div>
          <div className={classes.phoneFacts}>
            <Who entry={entry} />
            <CodeText>{entry.from}</CodeText>
            <RelativeTime at={entry.at} />
          </div>
        </li>
      ))}
    </ul>
  )
}

/** How many an entry stands for, when there were too many to list each. */
function SummedUp({ entry: { count } }: { entry: ActivityEntry }) {
  const t = useT()
  return count !== undefined && <div className={classes.reason}>{t('activity.SummedUp', { count })}</div>
}

function Who({ entry: { user } }: { entry: ActivityEntry }) {
  const t = useT()
  return user ? <bdi>{user.username}</bdi> : <span className={classes.quiet}>{t('activity.Nobody')}</span>
}

/** The server, where the list is not about one, and any other thing it was about. */
function ObjectOf({ entry, nameOfServer }: { entry: ActivityEntry } & Pick<RowsProps, 'nameOfServer'>) {
  const t = useT()
  const parts: ReactNode[] = []
  const name = entry.server === undefined ? undefined : nameOfServer?.(entry.server)
  if (nameOfServer && entry.server !== undefined) {
    parts.push(
      name === undefined ? (
        <CodeText key="server">{entry.server}</CodeText>
      ) : (
        <Link key="server" to={`/server/${entry.server}`}>
          <bdi>{name}</bdi>
        </Link>
      ),
    )
  }
  const target = nameOfTarget(t, entry)
  // A server that was made or renamed is its own target.
  if (target !== undefined && target !== name) {
    parts.push(
      <bdi key="target" dir="auto">
        {target}
      </bdi>,
    )
  }
  return parts
}

const icons = { done: IconCircleCheck, refused: IconBan, failed: IconCircleX }
const names = { done: 'activity.Done', refused: 'activity.Refused', failed: 'activity.Failed' } as const

function Result({ entry: { result, code } }: { entry: ActivityEntry }) {
  const t = useT()
  const Icon = icons[result]
  return (
    <span className={`${classes.result} ${classes[result]}`}>
      <span>
        <Icon size={15} aria-hidden />
        {t(names[result])}
      </span>
      {code !== undefined && <span className={classes.reason}>{reasonOf(t, code)}</span>}
    </span>
  )
}
