import { Button, Paper } from '@mantine/core'
import { IconCalendarTime, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import type { StepEditing } from './steps.ts'
import { TaskDialog } from './task-dialog.tsx'
import { TaskHistory } from './task-history.tsx'
import { TaskList } from './task-list.tsx'
import classes from './tasks.module.css'
import { type ListedTask, useTasks } from './use-tasks.ts'

type Opened =
  | { readonly is: 'new' }
  | { readonly is: 'edit'; readonly task: ListedTask }
  | { readonly is: 'history'; readonly task: ListedTask }

/** What a server does by itself. */
export function TasksPanel({ server, steps }: { server: string; steps: StepEditing }) {
  const t = useT()
  const { list, tasks, timezone = 'UTC', run, cancel, remove } = useTasks(server)
  const isLate = useDelayed(list.isPending)
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)

  if (list.isError && !list.data) {
    return <QueryError title={t('tasks.NotLoaded')} error={list.error} retry={() => void list.refetch()} />
  }
  const isEmpty = list.data !== undefined && tasks.length === 0
  const add = (
    <Button leftSection={<IconPlus size={17} aria-hidden />} onClick={() => setOpened({ is: 'new' })}>
      {t('tasks.Add')}
    </Button>
  )
  return (
    <section className={classes.tasks} aria-label={t('tasks.Title')}>
      <div className={classes.head}>
        <h2>{t('tasks.Title')}</h2>
        {list.data !== undefined && !isEmpty && add}
      </div>
      {list.isPending ? (
        isLate && <div className={classes.skeleton} role="status" aria-label={t('common.Loading')} />
      ) : (
        <Paper className={classes.card ?? ''}>
          {isEmpty ? (
            <EmptyState icon={<IconCalendarTime size={24} aria-hidden />} title={t('tasks.Empty')} actions={add}>
              {t('tasks.EmptyAbout')}
            </EmptyState>
          ) : (
            <TaskList
              tasks={tasks}
              timezone={timezone}
              onRun={({ id, view }) => void run(id, view.name)}
              onCancel={({ id }) => cancel(id)}
              onHistory={(task) => setOpened({ is: 'history', task })}
              onEdit={(task) => setOpened({ is: 'edit', task })}
              onRemove={({ id, view }) => remove(id, view.name)}
            />
          )}
        </Paper>
      )}
      {(opened?.is === 'new' || opened?.is === 'edit') && (
        <TaskDialog
          server={server}
          task={opened.is === 'edit' ? opened.task : undefined}
          timezone={timezone}
          steps={steps}
          onRun={run}
          onClose={close}
        />
      )}
      {opened?.is === 'history' && <TaskHistory server={server} task={opened.task} onClose={close} />}
    </section>
  )
}
