import type { ServerRight } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import {
  cancelTask,
  createTask,
  deleteTask,
  listTaskRuns,
  listTasks,
  putTask,
  runTask,
  type TaskView,
} from '@innkeeper/contract/tasks'
import { notifications } from '@mantine/notifications'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { Activity, type ReactNode, useState } from 'react'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { holdAPhone, openPart } from '../../testing/open-part.tsx'
import { PageScope } from '../../ui/page-scope.tsx'
import { TasksTab } from './tasks-tab.tsx'

// Messages of one test would make those of the next one wait.
afterEach(() => {
  notifications.clean()
  notifications.cleanQueue()
})

function aTask(name: string, more: Partial<TaskView> = {}): TaskView {
  return {
    name,
    cronSchedule: null,
    timezone: null,
    operations: [{ type: 'stdin', command: 'say hello' }],
    isRunning: false,
    version: 'v1',
    savedBy: 1,
    ...more,
  }
}

/** The tasks of a server whose node keeps the time of Berlin, before somebody who may everything, or only this. */
async function openTasks(
  tasks: Readonly<Record<string, TaskView>>,
  rights?: readonly ServerRight[],
  frame: (tab: ReactNode) => ReactNode = (tab) => tab,
) {
  const panel = new FakePanel()
  const kept = new Map(Object.entries(tasks))
  const keyIn = (path: string) => path.split('/tasks/')[1]?.split('/')[0] ?? ''
  const become = (id: string, part: Partial<TaskView>): undefined => {
    const task = kept.get(id)
    if (task) kept.set(id, { ...task, ...part })
  }
  panel.answer(listTasks, () => ({ tasks: Object.fromEntries(kept), timezone: 'Europe/Berlin' }))
  panel.answer(createTask, ({ body }) => {
    kept.set('new', aTask('', body as Partial<TaskView>))
    return { id: 'new' }
  })
  panel.answer(putTask, ({ path, body }) => become(keyIn(path), body as Partial<TaskView>))
  panel.answer(deleteTask, ({ path }) => {
    kept.delete(keyIn(path))
    return undefined
  })
  panel.answer(runTask, ({ path }) =>
    become(keyIn(path), {
      isRunning: true,
      lastRun: { id: 'r', startedAt: new Date().toISOString(), cause: 'person' },
    }),
  )
  panel.answer(cancelTask, ({ path }) => become(keyIn(path), { isRunning: false }))
  panel.answer(listTaskRuns, [])
  const can = (right: ServerRight) => rights?.includes(right) ?? true
  const opened = await openPart(frame(<TasksTab server="deadbeef" can={can} />), { panel })
  await screen.findByRole('heading', { name: 'Tasks' })
  const bodyOf = (call: typeof putTask | typeof createTask) => panel.asked(call).at(-1)?.body
  return { ...opened, become, bodyOf }
}

/** The tasks in a tab that can be hidden, as on the page of a server. */
function openHiding(tasks: Readonly<Record<string, TaskView>>) {
  return openTasks(tasks, undefined, (tab) => <Hiding>{tab}</Hiding>)
}

function Hiding({ children }: { children: ReactNode }) {
  const [isShown, setIsShown] = useState(true)
  return (
    <PageScope>
      <button type="button" onClick={() => setIsShown(!isShown)}>
        {isShown ? 'Hide' : 'Show'}
      </button>
      <Activity mode={isShown ? 'visible' : 'hidden'}>{children}</Activity>
    </PageScope>
  )
}

const button = (name: string | RegExp) => screen.findByRole('button', { name })
const dialog = () => screen.findByRole('dialog')
const expression = () => within(screen.getByRole('region', { name: 'Schedule' })).getByText(/^[\d*@].* [\d*?,/]+$/)

test('a list says what sets tasks off, when that is next, how they ended and what is wrong', async () => {
  await openTasks({
    a: aTask('Nightly backup', {
      cronSchedule: '0 4 */1 * ?',
      nextRun: '2026-11-22T03:00:00.000Z',
      lastRun: {
        id: 'r',
        startedAt: '2026-11-21T03:00:00.000Z',
        endedAt: '2026-11-21T03:00:09.000Z',
        cause: 'schedule',
        result: 'failed',
        reason: 'The disk is full',
      },
    }),
    b: aTask('Clear drops'),
    c: aTask('Look after it', { triggers: [{ event: 'crashed' }, { event: 'console', pattern: 'panic' }] }),
    d: aTask('Imported', {
      cronSchedule: 'at noon',
      problem: 'cronSchedule is not valid',
      refusal: { code: 'ErrFieldInvalid', metadata: { field: 'cronSchedule' } },
    }),
    e: aTask('Of a newer node', { problem: 'It rests', refusal: { code: 'ErrTaskRests' } }),
  })

  const row = async (name: string) => within(await screen.findByRole('row', { name: new RegExp(name) }))
  const backup = await row('Nightly backup')
  expect(await backup.findByText('At 04:00 AM')).toBeDefined()
  expect(backup.getByText(/^Sun, Nov 22, 4:00\sAM in Europe\/Berlin$/)).toBeDefined()
  expect(backup.getByText('Failed')).toBeDefined()
  expect(backup.getByText('The disk is full')).toBeDefined()
  expect((await row('Clear drops')).getByText('Manual only')).toBeDefined()
  expect((await row('Clear drops')).getByText('Never ran')).toBeDefined()
  expect((await row('Look after it')).getByText('When it crashed')).toBeDefined()
  expect((await row('Look after it')).getByText('When a console line matches panic')).toBeDefined()
  expect((await row('Imported')).getByText('Task Schedule Invalid')).toBeDefined()
  expect((await row('Of a newer node')).getByText('It rests')).toBeDefined()
})

test('where there is none it says what tasks are for', async () => {
  await openTasks({})

  expect(await screen.findByText('No tasks yet.')).toBeDefined()
  expect(screen.getByText('Let the panel restart, back up or announce things for you.')).toBeDefined()
})

test('a phone shows the same as a list', async () => {
  onTestFinished(holdAPhone())
  await openTasks({ a: aTask('Clear drops') })

  const list = within(await screen.findByRole('list', { name: 'Tasks' }))

  expect(list.getByText('Manual only')).toBeDefined()
  expect(list.getByRole('button', { name: 'Run Clear drops now' })).toBeDefined()
})

test('a task that was run can be cancelled, and its end is seen without asking', async () => {
  const { user, panel, become } = await openTasks({ a: aTask('Clear drops') })

  await user.dblClick(await button('Run Clear drops now'))
  await button('Cancel the run of Clear drops')
  const runs = panel.asked(runTask).length
  become('a', {
    isRunning: false,
    lastRun: {
      id: 'r',
      startedAt: '2026-11-21T03:00:00.000Z',
      endedAt: '2026-11-21T03:00:09.000Z',
      cause: 'person',
      result: 'done',
    },
  })
  const ended = await screen.findByText('Done')
  await user.click(await button('Run Clear drops now'))
  const cancel = await button('Cancel the run of Clear drops')
  const isOff = (await button('Run Clear drops now')).ariaDisabled
  await user.click(cancel)

  expect(isOff).toBe('true')
  await waitFor(() => expect(cancel.isConnected).toBe(false))
  expect(runs).toBe(1)
  expect(ended).toBeDefined()
  expect(panel.asked(cancelTask)).toHaveLength(1)
})

test('a deleted task is gone at once, and comes back by Undo as if nothing had been', async () => {
  const { user, panel } = await openTasks({ a: aTask('Clear drops'), b: aTask('Stay') })

  await user.click(await button('Delete Clear drops'))
  const isGone = screen.queryByText('Clear drops') === null
  await user.click(await button('Undo'))

  expect(isGone).toBe(true)
  expect(await screen.findByText('Clear drops')).toBeDefined()
  expect(panel.asked(deleteTask)).toHaveLength(0)
})

test('a deleted task comes back by keyboard: F6 goes to the message about it', async () => {
  const { user, panel } = await openTasks({ a: aTask('Clear drops'), b: aTask('Stay') })
  await user.click(await button('Delete Clear drops'))
  const undo = await button('Undo')

  await user.keyboard('{F6}')
  const isThere = document.activeElement === undo
  await user.keyboard('{Enter}')

  expect(isThere).toBe(true)
  expect(await screen.findByText('Clear drops')).toBeDefined()
  expect(panel.asked(deleteTask)).toHaveLength(0)
})

test('a deleted task is deleted when the message about it has gone', async () => {
  const { user, panel } = await openTasks({ a: aTask('Clear drops'), b: aTask('Stay') })

  await user.click(await button('Delete Clear drops'))
  const before = panel.asked(deleteTask).length
  await user.click(await button('Close'))

  await waitFor(() => expect(panel.asked(deleteTask).map(({ path }) => path.split('/').at(-1))).toEqual(['a']))
  expect(before).toBe(0)
})

test('a deleted task can be taken back after its tab was hidden, and is deleted when the page is left', async () => {
  const hiding = await openHiding({ a: aTask('Clear drops'), b: aTask('Stay') })
  const { user, panel, router } = hiding
  await user.click(await button('Delete Clear drops'))
  const undo = await button('Undo')

  await user.click(await button('Hide'))
  const whileHidden = panel.asked(deleteTask).length
  await user.click(undo)
  await user.click(await button('Show'))
  const isBack = await screen.findByText('Clear drops')
  await user.click(await button('Delete Clear drops'))
  await user.click(await button('Hide'))
  await router.navigate('/elsewhere')

  expect(whileHidden).toBe(0)
  expect(isBack).toBeDefined()
  await waitFor(() => expect(panel.asked(deleteTask)).toHaveLength(1))
})

test('whoever leaves after deleting a task meant it', async () => {
  const { user, panel, router } = await openTasks({ a: aTask('Clear drops') })

  await user.click(await button('Delete Clear drops'))
  await router.navigate('/elsewhere')

  await waitFor(() => expect(panel.asked(deleteTask)).toHaveLength(1))
})

test('a new task needs a name, runs by hand only, and is saved with what its steps do', async () => {
  const { user, bodyOf } = await openTasks({})
  await user.click(await button('Add task'))
  const form = within(await dialog())
  const save = form.getByRole<HTMLButtonElement>('button', { name: 'Save' })
  const name = form.getByRole('textbox', { name: 'Name' })
  const scheduled = form.getByRole('switch', { name: 'Enable schedule' })
  const saves = [save.disabled]
  const then = async (...changes: (() => Promise<void>)[]) => {
    for (const change of changes) await change()
    saves.push(save.disabled)
  }

  await then(() => user.type(name, '  '))
  await then(() => user.type(name, 'Hello '))
  await then(() => user.click(scheduled))
  await then(
    () => user.click(form.getByRole('tab', { name: 'Advanced' })),
    () => user.type(form.getByRole('textbox', { name: 'Cron expression' }), ' x'),
  )
  await then(() => user.click(scheduled))
  await user.click(form.getByRole('button', { name: 'Add step' }))
  expect(form.getByRole('combobox', { name: 'Type' })).toHaveProperty('value', 'Send a console command')
  await user.click(await form.findByRole('textbox', { name: /^Command/ }))
  await user.paste('say hello')
  await user.click(save)

  expect(await screen.findByText('Hello')).toBeDefined()
  expect(saves).toEqual([true, true, false, false, true, false])
  expect(bodyOf(createTask)).toMatchObject({
    name: 'Hello',
    cronSchedule: null,
    operations: [{ type: 'stdin', command: 'say hello' }],
    triggers: [],
  })
})

test('a schedule that comes due too often is refused at its field, in plain words', async () => {
  const { user, panel } = await openTasks({ a: aTask('Tick', { cronSchedule: '* * * * * *' }) })
  panel.answer(putTask, new Refusal('ErrScheduleTooFrequent', { field: 'cronSchedule', seconds: 10 }))
  await user.click(await button('Tick'))
  const form = within(await dialog())

  await user.type(form.getByRole('textbox', { name: 'Name' }), ' tock')
  await user.click(form.getByRole('button', { name: 'Save' }))

  const field = form.getByRole('textbox', { name: 'Cron expression' })
  await waitFor(() => expect(field.ariaInvalid).toBe('true'))
  expect(form.getByText('There must be at least 10 seconds between two times of a schedule')).toBeDefined()
  await user.type(field, '{Backspace}1')
  expect(field.ariaInvalid).not.toBe('true')
})

test('a task opens with the form of its schedule, and is saved with what was chosen', async () => {
  const { user, bodyOf } = await openTasks({ a: aTask('Restart', { cronSchedule: '30 6 ? * 1,4' }) })
  await user.click(await button('Restart'))
  const mode = await screen.findByRole('tab', { name: 'Weekly' })

  await user.click(screen.getByRole('button', { name: 'Monday' }))
  const shown = expression().textContent
  await user.click(screen.getByRole('button', { name: 'Save' }))

  expect(mode.ariaSelected).toBe('true')
  expect(shown).toBe('30 6 ? * 4')
  await waitFor(() => expect(bodyOf(putTask)).toMatchObject({ cronSchedule: '30 6 ? * 4' }))
})

test('a wrong schedule says so under its field, and cannot be saved', async () => {
  const { user, bodyOf } = await openTasks({ a: aTask('Restart', { cronSchedule: '*/5 * * * *' }) })
  await user.click(await button('Restart'))
  const form = within(await dialog())
  const field = form.getByRole('textbox', { name: 'Cron expression' })
  const save = form.getByRole<HTMLButtonElement>('button', { name: 'Save' })

  await user.clear(field)
  const whenEmpty = save.disabled
  await user.clear(form.getByRole('textbox', { name: 'Name' }))
  const whenNameless = save.disabled
  await user.type(form.getByRole('textbox', { name: 'Name' }), 'Restart')
  await user.click(field)
  await user.paste('now and then')
  const message = form.getByText('Task Schedule Invalid')
  const describes = field.getAttribute('aria-describedby')?.split(' ').includes(message.id)
  const whenWrong = save.disabled
  await user.clear(field)
  await user.paste('@daily')
  await user.click(save)

  expect([whenEmpty, whenNameless, whenWrong]).toEqual([false, true, true])
  expect(describes).toBe(true)
  await waitFor(() => expect(bodyOf(putTask)).toMatchObject({ cronSchedule: '@daily' }))
})

test('a task without a schedule opens with it switched off, and switching it off clears it', async () => {
  const { user, bodyOf } = await openTasks({
    a: aTask('Manual'),
    b: aTask('Nightly', { cronSchedule: '0 4 */1 * ?', catchUp: true, timezone: 'Asia/Tokyo' }),
  })

  await user.click(await button('Manual'))
  const scheduled = await screen.findByRole<HTMLInputElement>('switch', { name: 'Enable schedule' })
  const atFirst = [scheduled.checked, screen.queryByRole('region', { name: 'Schedule' })]
  await user.click(scheduled)
  const offered = expression().textContent
  await user.click(await button('Save'))
  await waitFor(() => expect(bodyOf(putTask)).toMatchObject({ name: 'Manual', cronSchedule: '0 0 */1 * *' }))

  await user.click(await button('Nightly'))
  await user.click(await screen.findByRole('switch', { name: 'Enable schedule' }))
  await user.click(await button('Save'))

  expect(atFirst).toEqual([false, null])
  expect(offered).toBe('0 0 */1 * *')
  await waitFor(() => expect(bodyOf(putTask)).toMatchObject({ name: 'Nightly', cronSchedule: null }))
})

test('the zone is the node’s or any other, and a missed time can be made up for', async () => {
  const { user, bodyOf } = await openTasks({ a: aTask('Nightly', { cronSchedule: '0 4 */1 * ?' }) })
  await user.click(await button('Nightly'))
  const zone = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Time zone' })
  const before = zone.value

  await user.click(zone)
  await user.clear(zone)
  await user.type(zone, 'Tokyo')
  await user.click(await screen.findByRole('option', { name: 'Asia/Tokyo' }))
  await user.click(screen.getByRole('switch', { name: /Make up for a missed time once/ }))
  const list = await screen.findByRole('list', { name: 'Next (Asia/Tokyo):' })
  await user.click(await button('Save'))

  expect(before).toBe("The node's (Europe/Berlin)")
  expect(within(list).getAllByText(/\b4:00\sAM$/)).toHaveLength(5)
  await waitFor(() => expect(bodyOf(putTask)).toMatchObject({ timezone: 'Asia/Tokyo', catchUp: true }))
})

test('events and lines of the console set a task off; what the node has against a pattern stands at it', async () => {
  const { user, bodyOf, panel } = await openTasks({ a: aTask('Look after it') })
  await user.click(await button('Look after it'))
  await user.click(await screen.findByRole('checkbox', { name: 'When it crashed' }))
  await user.click(await button('Add console pattern'))
  const pattern = await screen.findByRole('textbox', { name: 'When a console line matches' })
  await user.click(pattern)
  await user.paste('(')
  panel.answer(putTask, new Refusal('ErrFieldInvalid', { field: 'triggers.1.pattern', reason: 'missing )' }))

  await user.click(await button('Save'))

  expect(await screen.findByText('This is not a pattern: missing )')).toBeDefined()
  expect(pattern.getAttribute('aria-invalid')).toBe('true')
  expect(bodyOf(putTask)).toMatchObject({ triggers: [{ event: 'crashed' }, { event: 'console', pattern: '(' }] })
})

test('a task that somebody else changed meanwhile keeps what was typed, and can be overwritten', async () => {
  const { user, panel, bodyOf } = await openTasks({ a: aTask('Restart') })
  await user.click(await button('Restart'))
  panel.answer(putTask, ({ headers }) => (headers.has('if-match') ? new Refusal('ErrStaleVersion') : undefined))

  const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' })
  await user.type(name, ' soon')
  await user.click(await button('Save'))
  const notice = await screen.findByText(/Somebody changed this task/)
  const kept = name.value
  await user.click(await button('Overwrite'))

  expect(notice).toBeDefined()
  expect(kept).toBe('Restart soon')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(panel.asked(putTask).map(({ headers }) => headers.get('if-match'))).toEqual(['"v1"', null])
  expect(bodyOf(putTask)).toMatchObject({ name: 'Restart soon' })
})

test('a task that is read again shows the form of the schedule that it has now', async () => {
  const { user, panel, become } = await openTasks({ a: aTask('Restart', { cronSchedule: '30 6 */1 * ?' }) })
  await user.click(await button('Restart'))
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), ' soon')
  become('a', { cronSchedule: '30 6 ? * 1,4', version: 'v2' })
  panel.answer(putTask, new Refusal('ErrStaleVersion'))
  await user.click(await button('Save'))

  await user.click(await button('Reload'))

  await waitFor(() => expect(screen.getByRole('tab', { name: 'Weekly' }).ariaSelected).toBe('true'))
  expect(expression().textContent).toBe('30 6 ? * 1,4')
})

test('closing with changes asks first', async () => {
  const { user, panel } = await openTasks({ a: aTask('Restart') })
  const opener = await button('Restart')
  await user.click(opener)

  await user.type(await screen.findByRole('textbox', { name: 'Name' }), ' soon')
  await user.click(await button('Cancel'))
  const question = await screen.findByRole('dialog', { name: 'Close without saving?' })
  await user.click(within(question).getByRole('button', { name: 'Cancel' }))
  const kept = screen.getByDisplayValue('Restart soon')
  await user.click(await button('Cancel'))
  await user.click(await button('Discard changes'))

  expect(kept).toBeDefined()
  await waitFor(() => expect(screen.queryByDisplayValue('Restart soon')).toBeNull())
  await waitFor(() => expect(document.activeElement).toBe(opener))
  expect(panel.asked(putTask)).toHaveLength(0)
})

test('a task is run from its dialog as it is saved, or saved first', async () => {
  const { user, panel } = await openTasks({ a: aTask('Hello') })
  await user.click(await button('Hello'))
  const isUnchanged = await button('Run now')

  await user.type(screen.getByRole('textbox', { name: 'Name' }), ' there')
  await user.click(await button('Save and run'))

  expect(isUnchanged).toBeDefined()
  await waitFor(() => expect(panel.asked(runTask)).toHaveLength(1))
  expect(panel.asked(putTask)).toHaveLength(1)
  expect(await button('Cancel the run of Hello there')).toBeDefined()
})

test('what is typed into a task while it is saved stays in the open dialog, and is saved on top', async () => {
  const { user, panel, become, bodyOf } = await openTasks({ a: aTask('Hello') })
  panel.answer(putTask, ({ body }) => become('a', { ...(body as Partial<TaskView>), version: 'v2' }))
  await user.click(await button('Hello'))
  const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' })
  await user.type(name, ' there')
  const end = panel.hold(putTask)
  await user.click(await button('Save'))
  await user.type(name, ', all')

  end()

  expect(await screen.findByText('Saved')).toBeDefined()
  expect(name.isConnected && name.value).toBe('Hello there, all')
  await user.click(await button('Save'))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(panel.asked(putTask).map(({ headers }) => headers.get('if-match'))).toEqual(['"v1"', '"v2"'])
  expect(bodyOf(putTask)).toMatchObject({ name: 'Hello there, all' })
})

test('what is typed into a new task while it is saved and run is saved into the same task', async () => {
  const { user, panel, bodyOf } = await openTasks({})
  await user.click(await button('Add task'))
  const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' })
  await user.type(name, 'Hello')
  const end = panel.hold(createTask)
  await user.click(await button('Save and run'))
  await user.type(name, ' there')

  end()

  await waitFor(() => expect(panel.asked(runTask)).toHaveLength(1))
  expect(name.isConnected && name.value).toBe('Hello there')
  await user.click(await within(await dialog()).findByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(panel.asked(createTask)).toHaveLength(1)
  expect(panel.asked(putTask)).toHaveLength(1)
  expect(bodyOf(putTask)).toMatchObject({ name: 'Hello there' })
})

test('a task that was typed when the session ended is offered where it was typed, and saved it is not any more', async () => {
  const { user } = await openTasks({})
  await user.click(await button('Add task'))
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Hello')
  await waitFor(() => expect(sessionStorage.getItem('innkeeper.form.1.server-deadbeef-task-new')).toContain('Hello'))
  cleanup()

  const { user: retry, bodyOf } = await openTasks({})
  await retry.click(await button('Add task'))
  await retry.click(await button('Restore them'))

  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('Hello')
  await retry.click(await button('Save'))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(bodyOf(createTask)).toMatchObject({ name: 'Hello' })
  expect(Object.keys(sessionStorage).filter((key) => key.includes('.form.'))).toEqual([])
})

test('a step that lacks something is not saved, and is marked', async () => {
  const { user, panel } = await openTasks({
    a: aTask('Move logs', { operations: [{ type: 'move', source: 'logs', target: '' }] }),
  })

  await user.click(await button('Move logs'))
  await user.click(await button('Save'))

  expect(await screen.findByText('The marked steps lack something. Nothing is saved yet.')).toBeDefined()
  expect(screen.getByRole('img', { name: /Target/ })).toBeDefined()
  expect(panel.asked(putTask)).toEqual([])
})

test('a console command that was left empty is required, and the step is not dropped', async () => {
  const { user, panel, bodyOf } = await openTasks({ b: aTask('Hello') })
  await user.click(await button('Hello'))
  await user.click(await button('Add step'))
  const step = within(await screen.findByRole('group', { name: 'Step 2, Send a console command' }))
  await user.type(step.getByRole('textbox', { name: /^Command/ }), '  ')
  await user.click(await button('Save'))

  expect(step.getByText('Command is required')).toBeDefined()
  expect(panel.asked(putTask)).toEqual([])
  await user.type(step.getByRole('textbox', { name: /^Command/ }), 'save')
  await user.click(await button('Save'))

  await waitFor(() => expect(panel.asked(putTask)).toHaveLength(1))
  expect(bodyOf(putTask)).toMatchObject({ operations: [{ type: 'stdin' }, { type: 'stdin', command: '  save' }] })
})

test('steps that a person could not do by hand are offered to nobody without the right, with the reason', async () => {
  const { user } = await openTasks({ a: aTask('Hello') }, ['viewServer', 'editServerData', 'sendServerConsole'])
  await user.click(await button('Hello'))
  await user.click(await button(/^Edit Step 1/))
  await user.click(await screen.findByRole('combobox', { name: 'Type' }))

  const option = (name: string | RegExp) => screen.getByRole('option', { name }).hasAttribute('data-combobox-disabled')
  expect(await screen.findByRole('option', { name: 'Send a console command' })).toBeDefined()
  expect(option('Run commands (only administrators)')).toBe(true)
  expect(option('Start, stop, restart or kill (needs the right to start or stop the server)')).toBe(true)
  expect(option('Wait')).toBe(false)
})

test('the history tells of each of the last 50 runs when, why, how it ended and what it printed', async () => {
  const { user, panel } = await openTasks({ a: aTask('Hello') })
  const at = '2026-11-21T03:00:00.000Z'
  panel.answer(listTaskRuns, [
    {
      id: '2',
      startedAt: at,
      endedAt: at,
      cause: 'event',
      event: 'crashed',
      result: 'failed',
      reason: 'File not found: world/level.dat',
      refusal: { code: 'ErrFileNotFound', metadata: { path: 'world/level.dat' } },
      step: 2,
      lines: [],
    },
    { id: '1', startedAt: at, endedAt: at, cause: 'person', by: 1, result: 'done', lines: ['one', 'two'] },
    ...Array.from({ length: 48 }, (_, run) => ({
      id: `older ${run}`,
      startedAt: at,
      endedAt: at,
      cause: 'schedule' as const,
      result: 'done' as const,
      lines: [],
    })),
  ])

  await user.click(await button('History of Hello'))

  const runs = await within(await screen.findByRole('list', { name: 'History of Hello' })).findAllByRole('listitem')
  expect(runs).toHaveLength(50)
  expect(runs.slice(0, 2).map((run) => run.textContent)).toEqual([
    expect.stringMatching(/^FailedThe server crashed.*2026.* to .*2026.*Step 2: File not found: world\/level.dat$/),
    expect.stringMatching(/^DoneRun by you.*2 lines printedone\ntwo$/s),
  ])
})
