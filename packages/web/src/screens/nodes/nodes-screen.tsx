import { listNodes, type Node } from '@innkeeper/contract/nodes'
import { Button, Skeleton } from '@mantine/core'
import { IconLock, IconPlus, IconRocket, IconSitemap } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useCall } from '../../api/use-call.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { EmptyState, LoadFailure } from '../../ui/empty-state.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import { Badge, Card } from '../../ui/small.tsx'
import { useIsLate } from '../../ui/use-late.ts'
import { DeployDrawer } from './deploy-drawer.tsx'
import { LastHeard, NodeAddresses, NodeProblems, NodeStateLabel, whileInView } from './node-state.tsx'
import classes from './nodes-screen.module.css'

/** The machines that servers run on. */
export function NodesScreen() {
  const text = useText()
  const goTo = useNavigate()
  const mayEdit = useMay('nodes.edit')
  const nodes = useCall(listNodes, {}, whileInView)
  const isLate = useIsLate(nodes.isPending)
  const [deployed, setDeployed] = useState<Node>()
  const again = () => void nodes.refetch()
  useHotkeys([
    {
      label: text('nodes.Add'),
      group: text('hotkeys.GoTo'),
      icon: <IconPlus size={18} aria-hidden />,
      when: mayEdit,
      run: () => void goTo('/addnode'),
    },
  ])

  return (
    <Page>
      <PageHead
        title={text('nodes.Title')}
        actions={
          mayEdit && (
            <Button component={Link} to="/addnode" leftSection={<IconPlus size={17} aria-hidden />}>
              {text('nodes.Add')}
            </Button>
          )
        }
      />
      {nodes.data ? (
        nodes.data.length === 0 ? (
          <Card>
            <EmptyState icon={<IconSitemap size={24} aria-hidden />} title={text('errors.ErrNoNodes')} />
          </Card>
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
        <Card>
          <LoadFailure title={text('nodes.LoadFailed')} error={nodes.error} again={again} />
        </Card>
      ) : (
        isLate && <Skeleton h={116} radius="lg" aria-label={text('common.Loading')} />
      )}
      {nodes.data?.length === 1 && nodes.data[0]?.isLocal && <p className={classes.quiet}>{text('nodes.OnlyLocal')}</p>}
      {deployed && <DeployDrawer node={deployed} onClose={() => setDeployed(undefined)} />}
    </Page>
  )
}

function NodeCard({ node, onDeploy }: { node: Node; onDeploy: () => void }) {
  const text = useText()
  const mayDeploy = useMay('nodes.deploy')
  return (
    <Card className={classes.card ?? ''}>
      <div className={classes.head}>
        <div className={classes.title}>
          <NodeStateLabel health={node.health} />
          <Link to={`/node/${node.id}`} aria-label={text('nodes.Open', { name: node.name })}>
            {node.name}
          </Link>
        </div>
        <span className={classes.quiet}>
          {node.isLocal ? text('nodes.LocalWhy') : <LastHeard health={node.health} />}
        </span>
        {node.isLocal ? (
          <span className={classes.action}>
            <Badge>
              <IconLock size={13} aria-hidden /> {text('nodes.NotEditable')}
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
              {text('nodes.Deploy')}
            </Button>
          )
        )}
      </div>
      <NodeAddresses node={node} />
      <NodeProblems node={node} />
    </Card>
  )
}
