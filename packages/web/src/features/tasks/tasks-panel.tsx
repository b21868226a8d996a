import { listTaskRuns, type TaskRun } from '@innkeeper/contract/servers/tasks'
import { limits } from '@innkeeper/contract/text/limits'
import { Button, Code, Divider, Drawer, Flex, Group, Stack, Text } from '@mantine/core'
import { IconCalendarTime, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useSession } from '../../session/session.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ListSection } from '../../ui/lists/list-section.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { useReturnFocus } from '../../ui/overlays/use-return-focus.ts'
import { getRunResult, runTriggerText, translateTaskReason } from './messages.ts'
import { type Recipe, recipes } from './recipes.ts'
import { RunResultLabel } from './run-result.tsx'
import { TaskDialog, type TaskStepTypes } from './task-dialog.tsx'
import { TaskList } from './task-list.tsx'
import { idlePollMs, type ListedTask, runningPollMs, useTasks } from './use-tasks.ts'

type Overlay =
  | { readonly type: 'new'; readonly recipe?: Recipe }
  | { readonly type: 'edit'; readonly task: ListedTask }
  | { readonly type: 'history'; readonly task: ListedTask }

/** The scheduled tasks of a server. */
export function TasksPanel({ server, stepTypes }: { server: string; stepTypes: TaskStepTypes }) {
  const t = useT()
  const { query, tasks, timezone = 'UTC', hasConditions, run, cancel, remove } = useTasks(server)
  const [overlay, setOverlay] = useState<Overlay>()
  const close = () => setOverlay(undefined)

  const isEmpty = query.data !== undefined && tasks.length === 0
  const addButton = (
    <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={() => setOverlay({ type: 'new' })}>
      {t('tasks.Add')}
    </Button>
  )
  return (
    <>
      <ListSection title={t('server.TabTasks')} actions={query.data !== undefined && !isEmpty && addButton}>
        <QueryState
          query={query}
          errorTitle={t('tasks.NotLoaded')}
          skeletonHeight="11rem"
          isEmpty={() => isEmpty}
          empty={
            <EmptyState
              icon={IconCalendarTime}
              title={t('tasks.Empty')}
              actions={
                <>
                  {recipes
                    .filter(({ steps }) => !steps.some(({ type }) => stepTypes.forbidden.has(type)))
                    .map((recipe) => (
                      <Button
                        key={recipe.name}
                        variant="default"
                        leftSection={<recipe.Icon size={17} aria-hidden />}
                        onClick={() => setOverlay({ type: 'new', recipe })}
                      >
                        {t(recipe.name)}
                      </Button>
                    ))}
                  {addButton}
                </>
              }
            >
              {t('tasks.EmptyAbout')}
            </EmptyState>
          }
        >
          {() => (
            <TaskList
              tasks={tasks}
              timezone={timezone}
              onRun={({ id, view }) => void run(id, view.name)}
              onCancel={({ id }) => cancel(id)}
              onHistory={(task) => setOverlay({ type: 'history', task })}
              onEdit={(task) => setOverlay({ type: 'edit', task })}
              onRemove={({ id, view }) => remove(id, view.name)}
            />
          )}
        </QueryState>
      </ListSection>
      {(overlay?.type === 'new' || overlay?.type === 'edit') && (
        <TaskDialog
          server={server}
          task={overlay.type === 'edit' ? overlay.task : undefined}
          recipe={overlay.type === 'new' ? overlay.recipe : undefined}
          timezone={timezone}
          stepTypes={stepTypes}
          hasConditions={hasConditions}
          onRun={run}
          onClose={close}
        />
      )}
      {overlay?.type === 'history' && <TaskHistory server={server} task={overlay.task} onClose={close} />}
    </>
  )
}

/** The last runs of a task, newest first. */
function TaskHistory({ server, task, onClose }: { server: string; task: ListedTask; onClose: () => void }) {
  useReturnFocus()
  const t = useT()
  const runs = useApiQuery(
    listTaskRuns,
    { params: { id: server, task: task.id } },
    {
      staleTime: 0,
      refetchInterval: ({ state }) =>
        state.data?.some((run) => getRunResult(run) === 'running') ? runningPollMs : idlePollMs,
    },
  )
  const title = t('tasks.HistoryOf', { name: task.view.name })

  return (
    <Drawer opened onClose={onClose} position="right" size="34rem" title={title}>
      <QueryState
        query={runs}
        errorTitle={t('common.HistoryNotLoaded')}
        isEmpty={(all) => all.length === 0}
        empty={<Text c="dimmed">{t('tasks.HistoryEmpty')}</Text>}
      >
        {(all) => (
          <>
            <Text c="dimmed" mb="sm">
              {t('tasks.HistoryAbout', { count: limits.taskRunsKept })}
            </Text>
            <Flex component="ol" direction="column" aria-label={title}>
              {all.map((run) => (
                <Run key={run.id} run={run} />
              ))}
            </Flex>
          </>
        )}
      </QueryState>
    </Drawer>
  )
}

function Run({ run }: { run: TaskRun & { readonly lines: readonly string[] } }) {
  const t = useT()
  const { dateTime } = useFormatters()
  const { self } = useSession()
  const reason = run.reason === undefined ? undefined : translateTaskReason(t, run.reason, run.refusal)
  const start = dateTime(Date.parse(run.startedAt))
  return (
    <Flex component="li" direction="column">
      <Divider />
      <Stack gap="2xs" py="sm">
        <Group justify="space-between" gap="sm">
          <RunResultLabel result={getRunResult(run)} />
          <Text c="dimmed">{runTriggerText(t, run, self?.id)}</Text>
        </Group>
        <Text component="time" c="dimmed" dateTime={run.startedAt}>
          {run.endedAt === undefined
            ? t('tasks.RanSince', { start })
            : t('tasks.RanFromTo', { start, end: dateTime(Date.parse(run.endedAt)) })}
        </Text>
        {reason !== undefined && (
          <Text dir="auto" style={{ overflowWrap: 'anywhere' }}>
            {run.step === undefined ? reason : t('tasks.AtStep', { step: run.step, reason })}
          </Text>
        )}
        {run.lines.length > 0 && (
          <details>
            <Text component="summary" c="var(--ik-link)">
              {t('tasks.Lines', { count: run.lines.length })}
            </Text>
            <Code block mah="18rem" mt="xs" dir="ltr" tabIndex={0} style={{ whiteSpace: 'pre-wrap' }}>
              {run.lines.join('\n')}
            </Code>
          </details>
        )}
      </Stack>
    </Flex>
  )
}
