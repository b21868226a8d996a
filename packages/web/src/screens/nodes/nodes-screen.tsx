import { listNodes } from '@innkeeper/contract/nodes'
import { Skeleton } from '@mantine/core'
import { IconSitemap } from '@tabler/icons-react'
import { useCall } from '../../api/use-call.ts'
import { useText } from '../../i18n/text.tsx'
import { EmptyState, LoadFailure } from '../../ui/empty-state.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import records from '../../ui/records.module.css'
import { Badge, Card, Mono } from '../../ui/small.tsx'
import { useIsLate } from '../../ui/use-late.ts'
import { IsolationList } from './isolation-list.tsx'

/** The machines that servers run on. */
export function NodesScreen() {
  const text = useText()
  const nodes = useCall(listNodes, {})
  const isLate = useIsLate(nodes.isPending)
  const again = () => void nodes.refetch()

  return (
    <Page>
      <PageHead title={text('nodes.Title')} />
      <Card>
        {nodes.error ? (
          <LoadFailure title={text('nodes.LoadFailed')} error={nodes.error} again={again} />
        ) : nodes.isPending ? (
          isLate && <Skeleton h={52} aria-label={text('common.Loading')} />
        ) : nodes.data.length === 0 ? (
          <EmptyState icon={<IconSitemap size={24} aria-hidden />} title={text('errors.ErrNoNodes')} />
        ) : (
          <ul className={records.list}>
            {nodes.data.map((node) => (
              <li key={node.id} className={records.record}>
                <span className={records.main}>
                  <b>{node.name}</b>
                  <Mono className={records.quiet ?? ''}>{`${node.publicHost}:${node.publicPort}`}</Mono>
                </span>
                <span className={records.facts}>
                  <span>
                    {text('nodes.Private')} <Mono>{`${node.privateHost}:${node.privatePort}`}</Mono>
                  </span>
                  <span>
                    {text('nodes.Sftp')} <Mono>{String(node.sftpPort)}</Mono>
                  </span>
                </span>
                {node.isLocal && <Badge>{text('nodes.Local')}</Badge>}
                {node.isLocal && <IsolationList node={node.id} />}
              </li>
            ))}
          </ul>
        )}
      </Card>
    </Page>
  )
}
