import { listNodes, type Node } from '@innkeeper/contract/nodes'
import { Badge, Button, Paper, Skeleton } from '@mantine/core'
import { IconLock, IconPlus, IconRocket, IconSitemap } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { Page, PageHeader } from '../../ui/page.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { DeployDrawer } from './deploy-drawer.tsx'
import { LastHeard, NodeAddresses, NodeProblems, NodeStateLabel, whileInView } from './node-state.tsx'
import classes from './nodes-screen.module.css'

/** The machines that servers run on. */
export function NodesScreen() {
  const t = useT()
  const goTo = useNavigate()
  const mayEdit = useCan('nodes.edit')
  const nodes = useApiQuery(listNodes, {}, whileInView)
  const isLate = useDelayed(nodes.isPending)
  const [deployed, setDeployed] = useState<Node>()
  const retry = () => void nodes.refetch()
  useHotkeys([
    {
      label: t('nodes.Add'),
      group: t('hotkeys.GoTo'),
      icon: <IconPlus size={18} aria-hidden />,
      enabled: mayEdit,
      run: () => void goTo('/addnode'),
    },
  ])

  return (
    <Page>
      <PageHeader
        title={t('nodes.Title')}
        actions={
          mayEdit && (
            <Button component={Link} to="/addnode" leftSection={<IconPlus size={17} aria-hidden />}>
              {t('nodes.Add')}
            </Button>
          )
        }
      />
      {nodes.data ? (
        nodes.data.length === 0 ? (
          <Paper>
            <EmptyState icon={<IconSitemap size={24} aria-hidden />} title={t('errors.ErrNoNodes')} />
          </Paper>
        ) : (
          <ul className={classes.nodes}>
            {nodes.data.map((node) => (
              <li key={node.id}>
                <NodeCard node={node} onDeploy={() => setDeployed(node)} />
              </li>
            ))}
          </ul>
        )
      ) : nodes.error ? (
        <Paper>
          <QueryError title={t('nodes.LoadFailed')} error={nodes.error} retry={retry} />
        </Paper>
      ) : (
        isLate && <Skeleton h={116} radius="lg" aria-label={t('common.Loading')} />
      )}
      {nodes.data?.length === 1 && nodes.data[0]?.isLocal && <p className={classes.quiet}>{t('nodes.OnlyLocal')}</p>}
      {deployed && <DeployDrawer node={deployed} onClose={() => setDeployed(undefined)} />}
    </Page>
  )
}

function NodeCard({ node, onDeploy }: { node: Node; onDeploy: () => void }) {
  const t = useT()
  const mayDeploy = useCan('nodes.deploy')
  return (
    <Paper className={classes.card ?? ''}>
      <div className={classes.head}>
        <div className={classes.title}>
          <NodeStateLabel health={node.health} />
          <Link to={`/node/${node.id}`} aria-label={t('nodes.Open', { name: node.name })}>
            {node.name}
          </Link>
        </div>
        <span className={classes.quiet}>{node.isLocal ? t('nodes.LocalWhy') : <LastHeard health={node.health} />}</span>
        {node.isLocal ? (
          <span className={classes.action}>
            <Badge>
              <IconLock size={13} aria-hidden /> {t('nodes.NotEditable')}
            </Badge>
          </span>
        ) : (
          mayDeploy && (
            <Button
              size="xs"
              variant="default"
              className={classes.action ?? ''}
              leftSection={<IconRocket size={16} aria-hidden />}
              onClick={onDeploy}
            >
              {t('nodes.Deploy')}
            </Button>
          )
        )}
      </div>
      <NodeAddresses node={node} />
      <NodeProblems node={node} />
    </Paper>
  )
}
