import { Button } from '@mantine/core'
import { IconCalendarTime, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ListSection } from '../../ui/list-section.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { TaskDialog, type TaskStepTypes } from './task-dialog.tsx'
import { TaskHistory } from './task-history.tsx'
import { TaskList } from './task-list.tsx'
import { type ListedTask, useTasks } from './use-tasks.ts'

type Overlay =
  | { readonly type: 'new' }
  | { readonly type: 'edit'; readonly task: ListedTask }
  | { readonly type: 'history'; readonly task: ListedTask }

/** The scheduled tasks of a server. */
export function TasksPanel({ server, stepTypes }: { server: string; stepTypes: TaskStepTypes }) {
  const t = useT()
  const { query, tasks, timezone = 'UTC', run, cancel, remove } = useTasks(server)
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
      <ListSection title={t('tasks.Title')} actions={query.data !== undefined && !isEmpty && addButton}>
        <QueryState
          query={query}
          errorTitle={t('tasks.NotLoaded')}
          skeletonHeight="11rem"
          isEmpty={() => isEmpty}
          empty={
            <EmptyState icon={IconCalendarTime} title={t('tasks.Empty')} actions={addButton}>
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
          timezone={timezone}
          stepTypes={stepTypes}
          onRun={run}
          onClose={close}
        />
      )}
      {overlay?.type === 'history' && <TaskHistory server={server} task={overlay.task} onClose={close} />}
    </>
  )
}
