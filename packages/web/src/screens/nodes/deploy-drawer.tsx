import { limits } from '@innkeeper/contract/limits'
import {
  getNode,
  getNodeDeployment,
  listNodes,
  type Node,
  type NodeDeployment,
  replaceNodeSecret,
} from '@innkeeper/contract/nodes'
import { Button, Drawer, Loader, Skeleton } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy, IconDownload, IconEye, IconEyeOff, IconKey, IconTerminal2 } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { saveAsFile } from '../../ui/save-as-file.ts'
import classes from './nodes-screen.module.css'

const path = '/etc/innkeeper/config.json'
const restart = 'sudo systemctl restart innkeeper'
/** How often the page looks whether the node is there, and when it begins to guess why not. */
const lookMs = 3_000
const longMs = 60_000

/** One command that writes the configuration and keeps it from the eyes of others. */
export const commandFor = (config: string): string =>
  `sudo install -d -m 700 /etc/innkeeper && sudo tee ${path} > /dev/null <<'CONFIG'\n${config}CONFIG\nsudo chmod 600 ${path}`

interface DeployDrawerProps {
  readonly node: Node
  readonly onClose: () => void
}

/** Walks through what makes a machine this node, and turns green by itself when it has connected. */
export function DeployDrawer({ node, onClose }: DeployDrawerProps) {
  const t = useT()
  const params = { id: node.id }
  const deployment = useApiQuery(getNodeDeployment, { params }, { staleTime: 0 })
  const retry = () => void deployment.refetch()
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={
        <span>
          {t('nodes.DeployTitle', { name: node.name })}
          <small className={classes.quiet} style={{ display: 'block', fontWeight: 400 }}>
            {t('nodes.DeployWhat')}
          </small>
        </span>
      }
    >
      {deployment.data ? (
        <Walkthrough node={node} deployment={deployment.data} />
      ) : deployment.error ? (
        <QueryError title={t('nodes.ConfigLoadFailed')} error={deployment.error} retry={retry} />
      ) : (
        <Skeleton h={320} radius="lg" aria-label={t('common.Loading')} />
      )}
    </Drawer>
  )
}

function Walkthrough({ node, deployment }: { node: Node; deployment: NodeDeployment }) {
  const t = useT()
  const confirm = useConfirm()
  const [isRevealed, setIsRevealed] = useState(false)
  const replace = useApiMutation(replaceNodeSecret, { invalidates: [getNodeDeployment, getNode, listNodes] })
  const { config, clientSecret, publicKey } = deployment
  const hasSecret = clientSecret !== ''
  const shown = hasSecret && !isRevealed ? config.replace(clientSecret, '\u2022'.repeat(12)) : config

  const askAndReplace = async () => {
    const isWanted = await confirm({
      title: t('nodes.ReplaceTitle', { name: node.name }),
      body: t('nodes.ReplaceBody'),
      action: t('nodes.ReplaceSecret'),
      danger: true,
    })
    if (!isWanted) return
    try {
      await replace.mutateAsync({ params: { id: node.id } })
    } catch {
      // It was told already, and the old secret counts on.
    }
  }
  return (
    <ol className={classes.steps}>
      <Step title={t('nodes.StepInstall')}>
        <p className={classes.quiet}>{t('nodes.StepInstallHow')}</p>
      </Step>
      <Step title={t('nodes.StepConfig')}>
        {hasSecret ? (
          <p className={classes.quiet}>{t('nodes.StepConfigHow', { path })}</p>
        ) : (
          <Alert type="info">{t('nodes.StepConfigUsed')}</Alert>
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
        <pre className={classes.code} dir="ltr" tabIndex={0}>
          {shown.trimEnd()}
        </pre>
        <div className={classes.tools}>
          {hasSecret && (
            <>
              <CopyText value={config} label={t('nodes.Copy')} icon={<IconCopy size={16} aria-hidden />} />
              <CopyText
                value={commandFor(config)}
                label={t('nodes.CopyCommand')}
                icon={<IconTerminal2 size={16} aria-hidden />}
              />
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
                color="gray"
                leftSection={isRevealed ? <IconEyeOff size={16} aria-hidden /> : <IconEye size={16} aria-hidden />}
                onClick={() => setIsRevealed(!isRevealed)}
              >
                {t(isRevealed ? 'nodes.Hide' : 'nodes.Reveal')}
              </Button>
            </>
          )}
          <Button
            size="xs"
            variant="subtle"
            color="red"
            loading={replace.isPending}
            onClick={() => void askAndReplace()}
          >
            {t('nodes.ReplaceSecret')}
          </Button>
        </div>
        <div className={classes.tools}>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconKey size={16} aria-hidden />}
            onClick={() => saveAsFile('public-key.txt', `${publicKey}\n`)}
          >
            {t('nodes.DownloadKey')}
          </Button>
          <span className={classes.quiet}>{t('nodes.KeyHint')}</span>
        </div>
      </Step>
      <Step title={t('nodes.StepRestart')}>
        <div className={classes.tools}>
          <CodeText className={classes.code ?? ''}>{restart}</CodeText>
          <CopyText value={restart} label={t('nodes.Copy')} icon={<IconCopy size={16} aria-hidden />} />
        </div>
      </Step>
      <Step title={t('nodes.StepWait')}>
        <Wait node={node} panelUrl={deployment.panelUrl} />
      </Step>
    </ol>
  )
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li>
      <div className={classes.step}>
        <h3>{title}</h3>
        {children}
      </div>
    </li>
  )
}

function CopyText({ value, label, icon }: { value: string; label: string; icon: ReactNode }) {
  const t = useT()
  const { copied, copy } = useClipboard({ timeout: limits.copiedMs })
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={copied ? <IconCheck size={16} aria-hidden /> : icon}
      onClick={() => copy(value)}
    >
      {copied ? t('common.Copied') : label}
    </Button>
  )
}

function Wait({ node, panelUrl }: { node: Node; panelUrl: string }) {
  const t = useT()
  const [isLong, setIsLong] = useState(false)
  const now = useApiQuery(getNode, { params: { id: node.id } }, { refetchInterval: lookMs })
  const state = now.data?.health?.state
  const isThere = state === 'online' || state === 'degraded'
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), longMs)
    return () => clearTimeout(timer)
  }, [])

  if (isThere) return <Alert type="success">{t('nodes.Connected', { name: node.name })}</Alert>
  return (
    <>
      <p className={classes.quiet}>{t('nodes.StepWaitHow')}</p>
      <div className={classes.foot}>
        <span role="status" className={classes.state}>
          <Loader size={14} aria-hidden />
          {t('nodes.Waiting', { host: node.privateHost })}
        </span>
        <Button size="xs" loading={now.isFetching} onClick={() => void now.refetch()}>
          {t('nodes.CheckNow')}
        </Button>
      </div>
      {isLong && (
        <Alert type="warning">
          {t('nodes.Causes')}
          <ul>
            <li>{t('nodes.CauseReach', { url: panelUrl })}</li>
            <li>{t('nodes.CauseFirewall', { port: String(node.privatePort) })}</li>
            <li>{t('nodes.CauseClock')}</li>
            <li>{t('nodes.CauseLog')}</li>
          </ul>
        </Alert>
      )}
    </>
  )
}
