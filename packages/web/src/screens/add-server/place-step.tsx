import { environmentsOf, environmentTypeOf, type Template } from '@innkeeper/contract/definition'
import { listNodeChoices, type NodeChoice } from '@innkeeper/contract/nodes'
import { Skeleton } from '@mantine/core'
import { IconSitemap } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useCall } from '../../api/use-call.ts'
import { type Text, useText } from '../../i18n/text.tsx'
import { EmptyState, LoadFailure } from '../../ui/empty-state.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import { Card, Mono } from '../../ui/small.tsx'
import { StatusLabel } from '../../ui/status.tsx'
import { useIsLate } from '../../ui/use-late.ts'
import classes from './add-server-screen.module.css'
import type { Draft } from './draft.ts'

interface PlaceStepProps {
  readonly draft: Draft
  readonly template: Template | undefined
  readonly edit: (changed: (before: Draft) => Draft) => void
}

/** Where and how it runs. What cannot be chosen stays in sight and says why. */
export function PlaceStep({ draft, template, edit }: PlaceStepProps) {
  const text = useText()
  const nodes = useCall(listNodeChoices, {}, { refetchOnMount: 'always' })
  const isLate = useIsLate(nodes.isPending || !template)
  const online = (nodes.data ?? []).filter((node) => node.online)
  const only = online.length === 1 ? online[0]?.id : undefined
  const chosen = online.find(({ id }) => id === draft.node)
  const environments = template ? environmentsOf(template).map(({ type }) => type) : []
  const possible = chosen ? environments.filter((type) => objectionTo(text, type, chosen) === undefined) : []
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
    const again = () => void nodes.refetch()
    return (
      <Card>
        <LoadFailure title={text('add-server.NodesFailed')} error={nodes.error} again={again} />
      </Card>
    )
  }
  if (nodes.isPending || !template) {
    return isLate ? <Skeleton h={280} radius="lg" aria-label={text('common.Loading')} /> : null
  }
  if (nodes.data.length === 0) {
    return (
      <Card>
        <EmptyState icon={<IconSitemap size={24} aria-hidden />} title={text('errors.ErrNoNodes')}>
          {text('add-server.NoNodesHow')}
        </EmptyState>
      </Card>
    )
  }

  const sorted = [...nodes.data].sort((a, b) => Number(b.online) - Number(a.online) || a.name.localeCompare(b.name))
  return (
    <>
      <section>
        <h2 id="where">{text('add-server.Where')}</h2>
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
                  <Mono className={classes.quiet ?? ''}>{node.publicHost}</Mono>
                ) : (
                  <span className={classes.quiet}>{text('add-server.NodeOffline')}</span>
                )}
              </span>
            </label>
          ))}
        </div>
      </section>
      <section>
        <h2 id="environment">{text('add-server.Environment')}</h2>
        <p className={classes.quiet}>{text('add-server.EnvironmentHow')}</p>
        <div role="radiogroup" aria-labelledby="environment" className={classes.environments}>
          {environments.map((type) => {
            const objection = chosen ? objectionTo(text, type, chosen) : undefined
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
                  <b>{environmentName(text, type)}</b>
                  <span className={objection ? classes.warning : classes.quiet}>
                    {objection ?? (kind ? text(`add-server.EnvironmentHow_${kind}`) : '')}
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
function objectionTo(text: Text, type: string, node: NodeChoice): string | undefined {
  const kind = environmentTypeOf({ type })
  if (kind === undefined) return text('errors.ErrUnknownEnvironment', { type })
  if (node.features?.environments.some((offered) => environmentTypeOf({ type: offered }) === kind)) return undefined
  return kind === 'docker' ? text('errors.ErrDockerNotSupported') : text('add-server.EnvironmentUnsupported')
}
