import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { listPlayerActions } from '@innkeeper/contract/servers/player-actions'
import {
  cancelTask,
  createTask,
  deleteTask,
  listTaskRuns,
  listTasks,
  putTask,
  runTask,
  type TaskView,
} from '@innkeeper/contract/servers/tasks'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { Activity, type ReactNode, useState } from 'react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { PageScope } from '../../ui/layout/page-scope.tsx'
import { TasksTab } from './tasks-tab.tsx'

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

/** The tasks of a server whose node keeps the time of Berlin, for a user with all permissions, or the given ones. */
async function openTasks(
  tasks: Readonly<Record<string, TaskView>>,
  permissions?: readonly RequiredPermission[],
  frame: (tab: ReactNode) => ReactNode = (tab) => tab,
) {
  const panel = new FakePanel()
  const kept = new Map(Object.entries(tasks))
  const keyIn = (path: string) => path.split('/tasks/')[1]?.split('/')[0] ?? ''
  const become = (id: string, part: Partial<TaskView>): undefined => {
    const task = kept.get(id)
    if (task) kept.set(id, { ...task, ...part })
  }
  panel.respond(listTasks, () => ({ tasks: Object.fromEntries(kept), timezone: 'Europe/Berlin', hasConditions: true }))
  panel.respond(listPlayerActions, { actions: [{ type: 'broadcast', arguments: [] }] })
  panel.respond(createTask, ({ body }) => {
    kept.set('new', aTask('', body as Partial<TaskView>))
    return { id: 'new' }
  })
  panel.respond(putTask, ({ path, body }) => become(keyIn(path), body as Partial<TaskView>))
  panel.respond(deleteTask, ({ path }) => {
    kept.delete(keyIn(path))
    return undefined
  })
  panel.respond(runTask, ({ path }) =>
    become(keyIn(path), {
      isRunning: true,
      lastRun: { id: 'r', startedAt: new Date().toISOString(), cause: 'person' },
    }),
  )
  panel.respond(cancelTask, ({ path }) => become(keyIn(path), { isRunning: false }))
  panel.respond(listTaskRuns, [])
  const can = (permission: RequiredPermission) => permissions?.includes(permission) ?? true
  const opened = await openPart(frame(<TasksTab server="deadbeef" can={can} />), { panel })
  await screen.findByRole('heading', { name: 'Tasks' })
  const getBody = (endpoint: typeof putTask | typeof createTask) => panel.requests(endpoint).at(-1)?.body
  return { ...opened, become, getBody }
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

test('the list shows triggers, next run, last result and problems of tasks', async () => {
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
    f: aTask('Restart', {
      if: 'players == 0',
      unmet: { at: '2026-11-22T03:50:00.000Z', refusal: { code: 'ErrPlayersUnknown', metadata: {} } },
    }),
    e: aTask('Of a newer node', { problem: 'It rests', refusal: { code: 'ErrTaskRests' } }),
  })

  const row = async (name: string) => within(await screen.findByRole('row', { name: new RegExp(name) }))
  const backup = await row('Nightly backup')
  expect(await backup.findByText('Every day at 4:00 AM')).toBeDefined()
  expect(backup.getByText(/^Sun, Nov 22, 4:00\sAM in Europe\/Berlin$/)).toBeDefined()
  expect(backup.getByText('Failed')).toBeDefined()
  expect(backup.getByText('The disk is full')).toBeDefined()
  expect((await row('Clear drops')).getByText('Manual only')).toBeDefined()
  expect((await row('Clear drops')).getByText('Never ran')).toBeDefined()
  expect((await row('Look after it')).getByText('When the server crashes')).toBeDefined()
  expect((await row('Look after it')).getByText('When a console line matches panic')).toBeDefined()
  expect((await row('Imported')).getByText('Task Schedule Invalid')).toBeDefined()
  expect((await row('Restart')).getByText('if players == 0')).toBeDefined()
  expect((await row('Restart')).getByText(/^Not run at .*: The game does not answer, so it/)).toBeDefined()
  expect((await row('Of a newer node')).getByText('It rests')).toBeDefined()
})

test('the empty list offers a task that restarts the server every night', async () => {
  const { user, getBody } = await openTasks({})

  await user.click(await screen.findByRole('button', { name: 'Restart every night' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(await dialog.findByRole('button', { name: 'Save' }))

  await waitFor(() =>
    expect(getBody(createTask)).toMatchObject({
      name: 'Restart every night',
      cronSchedule: '0 5 */1 * ?',
      operations: [{ type: 'power', action: 'restart' }],
    }),
  )
})

test('a restart with a countdown can have a condition', async () => {
  const { user, getBody } = await openTasks({})

  await user.click(await screen.findByRole('button', { name: 'Restart every night with a countdown' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(await dialog.findByRole('textbox', { name: 'Only if' }), 'players > 0')
  await user.click(await dialog.findByRole('button', { name: 'Save' }))

  await waitFor(() =>
    expect(getBody(createTask)).toMatchObject({
      if: 'players > 0',
      operations: [{ type: 'countdown' }, { type: 'power', action: 'restart' }],
    }),
  )
})

test('the empty list explains what tasks are for', async () => {
  await openTasks({})

  expect(await screen.findByText('No tasks yet.')).toBeDefined()
  expect(screen.getByText('Schedule restarts, backups, and announcements.')).toBeDefined()
})

test('the next run is shown once where the clocks of task and browser agree', async () => {
  const timezone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  await openTasks({ a: aTask('Nightly backup', { nextRun: '2026-11-22T03:00:00.000Z', timezone }) })

  const row = within(await screen.findByRole('row', { name: /Nightly backup/ }))

  expect(row.getAllByText(/Nov/)).toHaveLength(1)
})

test('the menu of a task, for phones, has the same actions as its buttons', async () => {
  const { user } = await openTasks({ a: aTask('Clear drops') })

  await user.click(await screen.findByLabelText('Actions for Clear drops'))
  const items = await screen.findAllByRole('menuitem')
  expect(items.map(({ textContent }) => textContent)).toEqual(['Run now', 'History', 'Edit', 'Delete'])
})

test('a running task can be canceled, and its end is polled', async () => {
  const { user, panel, become } = await openTasks({ a: aTask('Clear drops') })

  await user.dblClick(await button('Run Clear drops now'))
  await button('Cancel the run of Clear drops')
  const runs = panel.requests(runTask).length
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
  expect(panel.requests(cancelTask)).toHaveLength(1)
})

test('a deleted task is hidden at once, and Undo restores it without a request', async () => {
  const { user, panel } = await openTasks({ a: aTask('Clear drops'), b: aTask('Stay') })

  await user.click(await button('Delete Clear drops'))
  const isGone = screen.queryByText('Clear drops') === null
  await user.click(await button('Undo'))

  expect(isGone).toBe(true)
  expect(await screen.findByText('Clear drops')).toBeDefined()
  expect(panel.requests(deleteTask)).toHaveLength(0)
})

test('Undo is reached by keyboard: F6 focuses the toast', async () => {
  const { user, panel } = await openTasks({ a: aTask('Clear drops'), b: aTask('Stay') })
  await user.click(await button('Delete Clear drops'))
  const undo = await button('Undo')

  await user.keyboard('{F6}')
  const isThere = document.activeElement === undo
  await user.keyboard('{Enter}')

  expect(isThere).toBe(true)
  expect(await screen.findByText('Clear drops')).toBeDefined()
  expect(panel.requests(deleteTask)).toHaveLength(0)
})

test('a task is deleted when its toast has disappeared', async () => {
  const { user, panel } = await openTasks({ a: aTask('Clear drops'), b: aTask('Stay') })

  await user.click(await button('Delete Clear drops'))
  const before = panel.requests(deleteTask).length
  await user.click(await button(/^Close/))

  await waitFor(() => expect(panel.requests(deleteTask).map(({ path }) => path.split('/').at(-1))).toEqual(['a']))
  expect(before).toBe(0)
})

test('a deletion can be undone after the tab was hidden, and is committed when the user leaves the page', async () => {
  const hiding = await openHiding({ a: aTask('Clear drops'), b: aTask('Stay') })
  const { user, panel, router } = hiding
  await user.click(await button('Delete Clear drops'))
  const undo = await button('Undo')

  await user.click(await button('Hide'))
  const whileHidden = panel.requests(deleteTask).length
  await user.click(undo)
  await user.click(await button('Show'))
  const isBack = await screen.findByText('Clear drops')
  await user.click(await button('Delete Clear drops'))
  await user.click(await button('Hide'))
  await router.navigate('/elsewhere')

  expect(whileHidden).toBe(0)
  expect(isBack).toBeDefined()
  await waitFor(() => expect(panel.requests(deleteTask)).toHaveLength(1))
})

test('leaving the page commits a deletion', async () => {
  const { user, panel, router } = await openTasks({ a: aTask('Clear drops') })

  await user.click(await button('Delete Clear drops'))
  await router.navigate('/elsewhere')

  await waitFor(() => expect(panel.requests(deleteTask)).toHaveLength(1))
})

test('a new task needs a name, has no triggers, and is saved with its steps', async () => {
  const { user, getBody } = await openTasks({})
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
  await user.click(form.getByRole('button', { name: /^Add step/ }))
  expect(form.getByRole('combobox', { name: 'Type' })).toHaveProperty('value', 'Send a console command')
  await user.click(await form.findByRole('textbox', { name: /^Command/ }))
  await user.paste('say hello')
  await user.click(save)

  expect(await screen.findByText('Hello')).toBeDefined()
  expect(saves).toEqual([true, true, false, false, true, false])
  expect(getBody(createTask)).toMatchObject({
    name: 'Hello',
    cronSchedule: null,
    operations: [{ type: 'stdin', command: 'say hello' }],
    triggers: [],
  })
})

test('a schedule that runs too often has an error at its field', async () => {
  const { user, panel } = await openTasks({ a: aTask('Tick', { cronSchedule: '* * * * * *' }) })
  panel.respond(putTask, new Refusal('ErrScheduleTooFrequent', { field: 'cronSchedule', seconds: 10 }))
  await user.click(await button('Tick'))
  const form = within(await dialog())

  await user.type(form.getByRole('textbox', { name: 'Name' }), ' tock')
  await user.click(form.getByRole('button', { name: 'Save' }))

  const field = form.getByRole('textbox', { name: 'Cron expression' })
  await waitFor(() => expect(field.ariaInvalid).toBe('true'))
  expect(form.getByText('Scheduled times must be at least 10 seconds apart')).toBeDefined()
  await user.type(field, '{Backspace}1')
  expect(field.ariaInvalid).not.toBe('true')
})

test('a task opens with the form of its schedule, and is saved with the changed schedule', async () => {
  const { user, getBody } = await openTasks({ a: aTask('Restart', { cronSchedule: '30 6 ? * 1,4' }) })
  await user.click(await button('Restart'))
  const mode = await screen.findByRole('tab', { name: 'Weekly' })

  await user.click(screen.getByRole('button', { name: 'Monday' }))
  const shown = expression().textContent
  await user.click(screen.getByRole('button', { name: 'Save' }))

  expect(mode.ariaSelected).toBe('true')
  expect(shown).toBe('30 6 ? * 4')
  await waitFor(() => expect(getBody(putTask)).toMatchObject({ cronSchedule: '30 6 ? * 4' }))
})

test('an invalid schedule has an error at its field, and cannot be saved', async () => {
  const { user, getBody } = await openTasks({ a: aTask('Restart', { cronSchedule: '*/5 * * * *' }) })
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
  await waitFor(() => expect(getBody(putTask)).toMatchObject({ cronSchedule: '@daily' }))
})

test('a task without a schedule opens with it disabled, and disabling a schedule clears it', async () => {
  const { user, getBody } = await openTasks({
    a: aTask('Manual'),
    b: aTask('Nightly', { cronSchedule: '0 4 */1 * ?', catchUp: true, timezone: 'Asia/Tokyo' }),
  })

  await user.click(await button('Manual'))
  const scheduled = await screen.findByRole<HTMLInputElement>('switch', { name: 'Enable schedule' })
  const atFirst = [scheduled.checked, screen.queryByRole('region', { name: 'Schedule' })]
  await user.click(scheduled)
  const offered = expression().textContent
  await user.click(await button('Save'))
  await waitFor(() => expect(getBody(putTask)).toMatchObject({ name: 'Manual', cronSchedule: '0 0 */1 * *' }))

  await user.click(await button('Nightly'))
  await user.click(await screen.findByRole('switch', { name: 'Enable schedule' }))
  await user.click(await button('Save'))

  expect(atFirst).toEqual([false, null])
  expect(offered).toBe('0 0 */1 * *')
  await waitFor(() => expect(getBody(putTask)).toMatchObject({ name: 'Nightly', cronSchedule: null }))
})

test('the time zone is the node’s or any other, and a missed run can be caught up', async () => {
  const { user, getBody } = await openTasks({ a: aTask('Nightly', { cronSchedule: '0 4 */1 * ?' }) })
  await user.click(await button('Nightly'))
  const zone = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Time zone' })
  const before = zone.value

  await user.click(zone)
  await user.clear(zone)
  await user.type(zone, 'Tokyo')
  await user.click(await screen.findByRole('option', { name: 'Asia/Tokyo' }))
  await user.click(screen.getByRole('switch', { name: /Run once if a time was missed/ }))
  const list = await screen.findByRole('list', { name: 'Next (Asia/Tokyo):' })
  await user.click(await button('Save'))

  expect(before).toBe('Node time (Europe/Berlin)')
  expect(within(list).getAllByText(/\b4:00\sAM$/)).toHaveLength(5)
  await waitFor(() => expect(getBody(putTask)).toMatchObject({ timezone: 'Asia/Tokyo', catchUp: true }))
})

test('events and console lines trigger a task, and an error of the node is shown at its pattern', async () => {
  const { user, getBody, panel } = await openTasks({ a: aTask('Look after it') })
  await user.click(await button('Look after it'))
  await user.click(await screen.findByRole('checkbox', { name: 'When the server crashes' }))
  await user.click(await button('Add console trigger'))
  const pattern = await screen.findByRole('textbox', { name: 'Console line that matches' })
  await user.click(pattern)
  await user.paste('(')
  panel.respond(putTask, new Refusal('ErrFieldInvalid', { field: 'triggers.1.pattern', reason: 'missing )' }))

  await user.click(await button('Save'))

  expect(await screen.findByText('Invalid regular expression: missing )')).toBeDefined()
  expect(pattern.getAttribute('aria-invalid')).toBe('true')
  expect(getBody(putTask)).toMatchObject({ triggers: [{ event: 'crashed' }, { event: 'console', pattern: '(' }] })
})

test('edits are saved on top of what another user changed elsewhere in the task', async () => {
  const { user, panel, become, getBody } = await openTasks({ a: aTask('Restart', { cronSchedule: '30 6 */1 * ?' }) })
  await user.click(await button('Restart'))
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), ' soon')
  become('a', { cronSchedule: '30 6 ? * 1,4', version: 'v2' })
  panel.respond(putTask, ({ headers }) =>
    headers.get('if-match') === '"v2"' ? undefined : new Refusal('ErrStaleVersion'),
  )

  await user.click(await button('Save'))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(getBody(putTask)).toMatchObject({ name: 'Restart soon', cronSchedule: '30 6 ? * 1,4' })
})

test('a field that another user changed too is shown with both versions', async () => {
  const { user, panel, become, getBody } = await openTasks({ a: aTask('Restart') })
  await user.click(await button('Restart'))
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), ' soon')
  become('a', { name: 'Reboot', version: 'v2' })
  panel.respond(putTask, ({ headers }) =>
    headers.get('if-match') === '"v2"' ? undefined : new Refusal('ErrStaleVersion'),
  )
  await user.click(await button('Save'))

  await screen.findByText('Restart soon', { selector: 'td' })
  const table = within(await dialog())
  expect(table.getByText('Reboot')).toBeDefined()
  await user.click(await button(/Keep yours/))
  await user.click(await button('Save'))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(getBody(putTask)).toMatchObject({ name: 'Restart soon' })
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
  expect(panel.requests(putTask)).toHaveLength(0)
})

test('a task is run from its dialog, and saved first if it was changed', async () => {
  const { user, panel } = await openTasks({ a: aTask('Hello') })
  await user.click(await button('Hello'))
  const isUnchanged = await button('Run now')

  await user.type(screen.getByRole('textbox', { name: 'Name' }), ' there')
  await user.click(await button('Save and run'))

  expect(isUnchanged).toBeDefined()
  await waitFor(() => expect(panel.requests(runTask)).toHaveLength(1))
  expect(panel.requests(putTask)).toHaveLength(1)
  expect(await button('Cancel the run of Hello there')).toBeDefined()
})

test('edits made during a save stay in the open dialog, and are saved on top', async () => {
  const { user, panel, become, getBody } = await openTasks({ a: aTask('Hello') })
  panel.respond(putTask, ({ body }) => become('a', { ...(body as Partial<TaskView>), version: 'v2' }))
  await user.click(await button('Hello'))
  const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' })
  await user.type(name, ' there')
  const end = panel.pause(putTask)
  await user.click(await button('Save'))
  await user.type(name, ', all')

  end()

  expect(await screen.findByText('Saved')).toBeDefined()
  expect(name.isConnected && name.value).toBe('Hello there, all')
  await user.click(await button('Save'))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(panel.requests(putTask).map(({ headers }) => headers.get('if-match'))).toEqual(['"v1"', '"v2"'])
  expect(getBody(putTask)).toMatchObject({ name: 'Hello there, all' })
})

test('edits made while a new task is created are saved into the same task', async () => {
  const { user, panel, getBody } = await openTasks({})
  await user.click(await button('Add task'))
  const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' })
  await user.type(name, 'Hello')
  const end = panel.pause(createTask)
  await user.click(await button('Save and run'))
  await user.type(name, ' there')

  end()

  await waitFor(() => expect(panel.requests(runTask)).toHaveLength(1))
  expect(name.isConnected && name.value).toBe('Hello there')
  await user.click(await within(await dialog()).findByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(panel.requests(createTask)).toHaveLength(1)
  expect(panel.requests(putTask)).toHaveLength(1)
  expect(getBody(putTask)).toMatchObject({ name: 'Hello there' })
})

test('the draft of an expired session is offered again, and dropped once it is saved', async () => {
  const { user } = await openTasks({})
  await user.click(await button('Add task'))
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Hello')
  await waitFor(() => expect(sessionStorage.getItem('innkeeper.form.1.server-deadbeef-task-new')).toContain('Hello'))
  cleanup()

  const { user: retry, getBody } = await openTasks({})
  await retry.click(await button('Add task'))
  await retry.click(await button('Restore'))

  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('Hello')
  await retry.click(await button('Save'))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(getBody(createTask)).toMatchObject({ name: 'Hello' })
  expect(Object.keys(sessionStorage).filter((key) => key.includes('.form.'))).toEqual([])
})

test('an incomplete step is marked, and the task is not saved', async () => {
  const { user, panel } = await openTasks({
    a: aTask('Move logs', { operations: [{ type: 'move', source: 'logs', target: '' }] }),
  })

  await user.click(await button('Move logs'))
  await user.click(await button('Save'))

  expect(await screen.findByText('Complete the marked steps to save.')).toBeDefined()
  expect(screen.getByRole('img', { name: /Target/ })).toBeDefined()
  expect(panel.requests(putTask)).toEqual([])
})

test('an empty console command is an error, and its step is kept', async () => {
  const { user, panel, getBody } = await openTasks({ b: aTask('Hello') })
  await user.click(await button('Hello'))
  await user.click(await button(/^Add step/))
  const step = within(await screen.findByRole('group', { name: 'Step 2, Send a console command' }))
  await user.type(step.getByRole('textbox', { name: /^Command/ }), '  ')
  await user.click(await button('Save'))

  expect(step.getByText('Command is required')).toBeDefined()
  expect(panel.requests(putTask)).toEqual([])
  await user.type(step.getByRole('textbox', { name: /^Command/ }), 'save')
  await user.click(await button('Save'))

  await waitFor(() => expect(panel.requests(putTask)).toHaveLength(1))
  expect(getBody(putTask)).toMatchObject({ operations: [{ type: 'stdin' }, { type: 'stdin', command: '  save' }] })
})

test('a step creates a backup, with a note', async () => {
  const { user, panel, getBody } = await openTasks({ a: aTask('Hello') })
  await user.click(await button('Hello'))
  await user.click(await button(/^Edit Step 1/))

  await user.click(await screen.findByRole('combobox', { name: 'Type' }))
  await user.click(await screen.findByRole('option', { name: 'Create a backup' }))
  await user.type(await screen.findByRole('textbox', { name: 'Note' }), 'nightly')
  await user.click(await button('Save'))

  await waitFor(() => expect(panel.requests(putTask)).toHaveLength(1))
  expect(getBody(putTask)).toMatchObject({ operations: [{ type: 'backup', name: 'nightly' }] })
})

test('step types without permission are disabled, with the reason', async () => {
  const { user } = await openTasks({ a: aTask('Hello') }, ['viewServer', 'editServerData', 'sendServerConsole'])
  await user.click(await button('Hello'))
  await user.click(await button(/^Edit Step 1/))
  await user.click(await screen.findByRole('combobox', { name: 'Type' }))

  const option = (name: string | RegExp) => screen.getByRole('option', { name }).hasAttribute('data-combobox-disabled')
  expect(await screen.findByRole('option', { name: 'Send a console command' })).toBeDefined()
  expect(option('Run commands (administrators only)')).toBe(true)
  expect(option('Start, stop, restart, or kill (requires permission to start or stop the server)')).toBe(true)
  expect(option('Create a backup (requires permission to create backups)')).toBe(true)
  expect(option('Wait')).toBe(false)
})

test('the history shows time, trigger, result and output of the last 50 runs', async () => {
  const { user, panel } = await openTasks({ a: aTask('Hello') })
  const at = '2026-11-21T03:00:00.000Z'
  panel.respond(listTaskRuns, [
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
    expect.stringMatching(/^FailedServer crashed.*2026.* to .*2026.*Step 2: File not found: world\/level.dat$/),
    expect.stringMatching(/^DoneStarted by you.*2 lines printedone\ntwo$/s),
  ])
})
