import {
  editNode,
  getNode,
  getNodeDeployment,
  listNodes,
  type Node,
  type NodeDeployment,
  replaceNodeSecret,
} from '@innkeeper/contract/nodes/nodes'
import { Button, Divider, Drawer, Group, List, Loader, Stack, Switch, Text, ThemeIcon, Title } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import { IconDownload, IconEye, IconEyeOff, IconKey } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { saveAsFile } from '../../ui/feedback/save-as-file.ts'
import { DocsLink } from '../../ui/layout/docs-link.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { CodeBlock } from '../../ui/text/code-block.tsx'
import { CopyTextButton } from '../../ui/text/copy-button.tsx'
import { getConfigCommand, configPath as path } from './config-command.ts'

/** `enable` makes the node start with the machine. */
const restartCommand = 'sudo systemctl enable innkeeper && sudo systemctl restart innkeeper'
const pollMs = 3_000
/** How long to wait before listing common causes. */
const slowMs = 60_000

/** The steps that turn a machine into this node. The last one detects when the node has connected. */
export function DeployDrawer({ node, onClose }: { node: Node; onClose: () => void }) {
  const t = useT()
  const deployment = useApiQuery(getNodeDeployment, { params: { id: node.id } }, { staleTime: 0 })
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={
        <>
          {t('nodes.DeployTitle', { name: node.name })}
          <Text variant="note" fw={400}>
            {t('nodes.DeployHelp')}
          </Text>
        </>
      }
    >
      <QueryState query={deployment} errorTitle={t('nodes.ConfigLoadFailed')} skeletonHeight={320}>
        {(data) => <DeploySteps node={node} deployment={data} />}
      </QueryState>
    </Drawer>
  )
}

function DeploySteps({ node, deployment }: { node: Node; deployment: NodeDeployment }) {
  const t = useT()
  return (
    <Stack component="ol" role="list" gap="lg">
      <Step number={1} title={t('nodes.StepInstall')}>
        <Help>
          {t('nodes.StepInstallProgram')} <DocsLink to="install">{t('nodes.StepInstallDocs')}</DocsLink>
        </Help>
      </Step>
      <Step number={2} title={t('nodes.StepConfig')}>
        <Configuration node={node} deployment={deployment} />
      </Step>
      <Step number={3} title={t('nodes.StepRestart')}>
        <Group gap="xs">
          <CodeBlock>{restartCommand}</CodeBlock>
          <CopyTextButton size="xs" value={restartCommand} text={t('common.Copy')} />
        </Group>
      </Step>
      <Step number={4} isLast title={t('nodes.StepWait')}>
        <BehindNat node={node} />
        <ConnectionCheck node={node} panelUrl={deployment.panelUrl} />
      </Step>
    </Stack>
  )
}

interface StepProps {
  readonly number: number
  readonly isLast?: boolean
  readonly title: string
  readonly children: ReactNode
}

/** A step, with a line from its number to the next step. */
function Step({ number, isLast = false, title, children }: StepProps) {
  return (
    <Group component="li" gap="sm" align="stretch" wrap="nowrap">
      <Stack gap="2xs" align="center" aria-hidden>
        <ThemeIcon variant="outline" bd="1.5px solid" radius="xl" size="1.625rem" fz="compact" fw={600}>
          {number}
        </ThemeIcon>
        {!isLast && <Divider orientation="vertical" size={2} flex={1} mb="-lg" />}
      </Stack>
      <Stack gap="xs" flex={1} miw={0}>
        <Title order={3}>{title}</Title>
        {children}
      </Stack>
    </Group>
  )
}

function Help({ children }: { children: ReactNode }) {
  return <Text variant="note">{children}</Text>
}

function Configuration({ node, deployment }: { node: Node; deployment: NodeDeployment }) {
  const t = useT()
  const confirm = useConfirm()
  const [isRevealed, setIsRevealed] = useState(false)
  const replace = useApiMutation(replaceNodeSecret, { invalidates: [getNodeDeployment, getNode, listNodes] })
  const { config, clientSecret, publicKey } = deployment
  const hasSecret = clientSecret !== ''
  const shownConfig = hasSecret && !isRevealed ? config.replace(clientSecret, '\u2022'.repeat(12)) : config

  const confirmReplace = () =>
    confirm({
      title: t('nodes.ReplaceTitle', { name: node.name }),
      body: t('nodes.ReplaceBody'),
      action: t('nodes.ReplaceSecret'),
      onConfirm: () => replace.mutate({ params: { id: node.id } }),
    })
  return (
    <>
      {hasSecret ? (
        <Help>{t('nodes.StepConfigHelp', { path })}</Help>
      ) : (
        <Alert type="info">{t('nodes.StepConfigUsed')}</Alert>
      )}
      <CodeBlock>{shownConfig.trimEnd()}</CodeBlock>
      <Group gap="xs">
        {hasSecret && (
          <>
            <CopyTextButton size="xs" value={config} text={t('common.Copy')} />
            <CopyTextButton size="xs" value={getConfigCommand(config)} text={t('nodes.CopyCommand')} />
            <Button
              size="xs"
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden />}
              onClick={() => saveAsFile('config.json', config)}
            >
              {t('nodes.DownloadConfig')}
            </Button>
            <Button
              size="xs"
              variant="subtle"
              leftSection={isRevealed ? <IconEyeOff size={16} aria-hidden /> : <IconEye size={16} aria-hidden />}
              onClick={() => setIsRevealed(!isRevealed)}
            >
              {t(isRevealed ? 'nodes.Hide' : 'nodes.Reveal')}
            </Button>
          </>
        )}
        <Button
          size="xs"
          variant="default"
          c="var(--ik-offline)"
          loading={replace.isPending}
          onClick={() => void confirmReplace()}
        >
          {t('nodes.ReplaceSecret')}
        </Button>
      </Group>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconKey size={16} aria-hidden />}
          onClick={() => saveAsFile('public-key.txt', `${publicKey}\n`)}
        >
          {t('nodes.DownloadKey')}
        </Button>
        <Help>{t('nodes.KeyHint')}</Help>
      </Group>
    </>
  )
}

/** Whether panels try to reach the machine themselves. */
function BehindNat({ node }: { node: Node }) {
  const t = useT()
  const canEdit = useCan('nodes.edit')
  const edit = useApiMutation(editNode, { invalidates: [getNode, listNodes] })
  const current = useApiQuery(getNode, { params: { id: node.id } })
  if (!canEdit) return null
  return (
    <Switch
      label={t('nodes.BehindNat')}
      description={t('nodes.BehindNatHint')}
      checked={(current.data ?? node).privateHost === ''}
      disabled={edit.isPending}
      onChange={({ currentTarget: { checked: isBehindNat } }) =>
        edit.mutate({ params: { id: node.id }, body: { isBehindNat } })
      }
    />
  )
}

/** Polls until the node has connected. */
function ConnectionCheck({ node, panelUrl }: { node: Node; panelUrl: string }) {
  const t = useT()
  const [isSlow, setIsSlow] = useState(false)
  useTimeout(() => setIsSlow(true), slowMs, { autoInvoke: true })
  const current = useApiQuery(getNode, { params: { id: node.id } }, { refetchInterval: pollMs })
  const { health, privateHost } = current.data ?? node
  const state = health?.state

  if (state === 'online' || state === 'degraded') {
    return (
      <Alert type="success" role="status">
        {t('nodes.Connected', { name: node.name })}
      </Alert>
    )
  }
  return (
    <>
      <Help>{t('nodes.StepWaitHelp')}</Help>
      <Group justify="space-between" mt="lg">
        <Group component="span" role="status" gap="xs">
          <Loader size={14} aria-hidden />
          {t('nodes.Waiting', { host: privateHost || node.name })}
        </Group>
        <Button size="xs" loading={current.isFetching} onClick={() => void current.refetch()}>
          {t('nodes.CheckNow')}
        </Button>
      </Group>
      {isSlow && (
        <Alert type="warning" role="status">
          {t('nodes.Causes')}
          <List fz="inherit" my="2xs" withPadding>
            <List.Item>{t('nodes.CauseReach', { url: panelUrl })}</List.Item>
            {privateHost !== '' && (
              <List.Item>{t('nodes.CauseFirewall', { port: String(node.privatePort) })}</List.Item>
            )}
            <List.Item>{t('nodes.CauseClock')}</List.Item>
          </List>
          {t('nodes.CauseLog')}
        </Alert>
      )}
    </>
  )
}
