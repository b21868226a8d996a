import { environmentsOf, environmentTypeOf, type Template } from '@innkeeper/contract/definition'
import { listNodeChoices, type NodeChoice } from '@innkeeper/contract/nodes'
import { Paper, Skeleton } from '@mantine/core'
import { IconSitemap } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import { StatusLabel } from '../../ui/status.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import classes from './add-server-screen.module.css'
import type { Draft } from './draft.ts'

interface PlaceStepProps {
  readonly draft: Draft
  readonly template: Template | undefined
  readonly edit: (changed: (before: Draft) => Draft) => void
}

/** Where and how it runs. What cannot be chosen stays in sight and says why. */
export function PlaceStep({ draft, template, edit }: PlaceStepProps) {
  const t = useT()
  const nodes = useApiQuery(listNodeChoices, {}, { refetchOnMount: 'always' })
  const isLate = useDelayed(nodes.isPending || !template)
  const online = (nodes.data ?? []).filter((node) => node.online)
  const only = online.length === 1 ? online[0]?.id : undefined
  const chosen = online.find(({ id }) => id === draft.node)
  const environments = template ? environmentsOf(template).map(({ type }) => type) : []
  const possible = chosen ? environments.filter((type) => objectionTo(t, type, chosen) === undefined) : []
  const preferred = possible.find((type) => type === template?.environment?.type) ?? possible[0]
  const isNodeGone = nodes.isSuccess && draft.node !== undefined && chosen === undefined
  const isEnvironmentGone = chosen !== undefined && !possible.includes(draft.environment ?? '')

  useEffect(() => {
    if (draft.node === undefined && only !== undefined) edit((before) => ({ ...before, node: only }))
  }, [draft.node, only, edit])
  useEffect(() => {
    if (isNodeGone) edit(({ node: _, environment: __, ...before }) => before)
    else if (isEnvironmentGone && preferred !== draft.environment) {
      edit(({ environment: _, ...before }) =>
        preferred === undefined ? before : { ...before, environment: preferred },
      )
    }
  }, [isNodeGone, isEnvironmentGone, preferred, draft.environment, edit])

  if (nodes.error) {
    const retry = () => void nodes.refetch()
    return (
      <Paper>
        <QueryError title={t('add-server.NodesFailed')} error={nodes.error} retry={retry} />
      </Paper>
    )
  }
  if (nodes.isPending || !template) {
    return isLate ? <Skeleton h={280} radius="lg" aria-label={t('common.Loading')} /> : null
  }
  if (nodes.data.length === 0) {
    return (
      <Paper>
        <EmptyState icon={<IconSitemap size={24} aria-hidden />} title={t('errors.ErrNoNodes')}>
          {t('add-server.NoNodesHow')}
        </EmptyState>
      </Paper>
    )
  }

  const sorted = [...nodes.data].sort((a, b) => Number(b.online) - Number(a.online) || a.name.localeCompare(b.name))
  return (
    <>
      <section>
        <h2 id="where">{t('add-server.Where')}</h2>
        <div role="radiogroup" aria-labelledby="where" className={classes.choices}>
          {sorted.map((node) => (
            <label key={node.id} className={classes.choice} data-off={!node.online || undefined}>
              <input
                type="radio"
                name="node"
                disabled={!node.online}
                checked={draft.node === node.id}
                onChange={() => edit((before) => ({ ...before, node: node.id }))}
              />
              <span>
                <span className={classes.choiceHead}>
                  <b>{node.name}</b>
                  <StatusLabel state={node.online ? 'online' : 'offline'} />
                </span>
                {node.online ? (
                  <CodeText className={classes.quiet ?? ''}>{node.publicHost}</CodeText>
                ) : (
                  <span className={classes.quiet}>{t('add-server.NodeOffline')}</span>
                )}
              </span>
            </label>
          ))}
        </div>
      </section>
      <section>
        <h2 id="environment">{t('add-server.Environment')}</h2>
        <p className={classes.quiet}>{t('add-server.EnvironmentHow')}</p>
        <div role="radiogroup" aria-labelledby="environment" className={classes.environments}>
          {environments.map((type) => {
            const objection = chosen ? objectionTo(t, type, chosen) : undefined
            const kind = environmentTypeOf({ type })
            return (
              <label key={type} className={classes.choice} data-off={objection !== undefined || undefined}>
                <input
                  type="radio"
                  name="environment"
                  disabled={!chosen || objection !== undefined}
                  checked={draft.environment === type}
                  onChange={() => edit(({ docker: _, ...before }) => ({ ...before, environment: type }))}
                />
                <span>
                  <b>{environmentName(t, type)}</b>
                  <span className={objection ? classes.warning : classes.quiet}>
                    {objection ?? (kind ? t(`add-server.EnvironmentHow_${kind}`) : '')}
                  </span>
                </span>
              </label>
            )
          })}
        </div>
      </section>
    </>
  )
}

/** Why a node cannot run an environment; `undefined` when it can. */
function objectionTo(t: TFunction, type: string, node: NodeChoice): string | undefined {
  const kind = environmentTypeOf({ type })
  if (kind === undefined) return t('errors.ErrUnknownEnvironment', { type })
  if (node.features?.environments.some((offered) => environmentTypeOf({ type: offered }) === kind)) return undefined
  return kind === 'docker' ? t('errors.ErrDockerNotSupported') : t('add-server.EnvironmentUnsupported')
}
