import { closeCodes } from '@innkeeper/contract/live'
import type { ServerPermissions } from '@innkeeper/contract/permissions'
import { notifications } from '@mantine/notifications'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { emulatePhone } from '../../testing/open-part.tsx'
import { openServerPage } from './testing/fake-panel.tsx'
// Preloaded: the page loads it when it is first opened.
import '../../features/server-admin/definition-editor.tsx'

afterEach(() => {
  // Toasts outlive the page that showed them.
  notifications.clean()
  vi.unstubAllGlobals()
})

const button = (name: string | RegExp) => screen.findByRole('button', { name })

test('the header shows name, status, address and node', async () => {
  const { waitUntilLive } = await openServerPage()

  await waitUntilLive()

  expect(screen.getByRole('heading', { name: 'lobby' })).toBeDefined()
  expect(screen.getByText('Online')).toBeDefined()
  expect(screen.getByText(/^since /)).toBeDefined()
  expect(screen.getByText('play.example:25565')).toBeDefined()
  expect(screen.getByText('Frankfurt 1')).toBeDefined()
})

test('a server that does not exist redirects to the not found page', async () => {
  await openServerPage({ path: '/server/00000000' })

  expect(await screen.findByText('No such page')).toBeDefined()
})

test('a double click on Restart sends one request, and the status is Restarting until the node reports a new one', async () => {
  const { waitUntilLive, user, requestsTo, reportStatus } = await openServerPage()
  await waitUntilLive()

  await user.dblClick(await button('Restart'))
  const shown = screen.getByText('Restarting')
  await waitFor(() => expect(requestsTo('POST /proxy/daemon/server/deadbeef/restart')).toHaveLength(1))
  reportStatus('stopping')
  const whileStopping = screen.getByText('Restarting')
  reportStatus('online')

  expect(shown).toBeDefined()
  expect(whileStopping).toBeDefined()
  expect(screen.getByText('Online')).toBeDefined()
  expect(requestsTo('POST /proxy/daemon/server/deadbeef/restart')).toHaveLength(1)
})

test('a server that runs but is not ready is Starting, takes commands, and can be restarted, stopped and killed', async () => {
  const { waitUntilLive, user, requestsTo, reportStatus } = await openServerPage({ state: 'offline' })
  await waitUntilLive()
  reportStatus('starting')
  const whileLaunching = (await button('Restart')).getAttribute('aria-disabled')

  reportStatus('starting', { running: true })
  const controls = await Promise.all(['Restart', 'Stop', 'Kill', 'Install'].map(button))
  const command = screen.getByRole('textbox', { name: 'Command' })

  expect(screen.getByText('Starting')).toBeDefined()
  expect(whileLaunching).toBe('true')
  expect(controls.map((control) => control.getAttribute('aria-disabled'))).toEqual([null, null, null, null])
  expect(command.hasAttribute('disabled')).toBe(false)
  await user.click(await button('Restart'))
  await waitFor(() => expect(requestsTo('POST /proxy/daemon/server/deadbeef/restart')).toHaveLength(1))
  reportStatus('online', { since: 'last' })
  expect(screen.getByText('Online')).toBeDefined()
})

test('an offline server can be started, and a tooltip says why it cannot be stopped', async () => {
  const { waitUntilLive, user, requestsTo } = await openServerPage({ state: 'offline' })
  await waitUntilLive()

  const stop = await button('Stop')
  const isOff = stop.getAttribute('aria-disabled')
  await user.hover(stop)
  const why = await screen.findByRole('tooltip')
  await user.click(stop)
  await user.click(await button('Start'))

  await waitFor(() => expect(requestsTo('POST /proxy/daemon/server/deadbeef/start')).toHaveLength(1))
  expect(isOff).toBe('true')
  expect(why.textContent).toBe('The server is not running')
  expect(requestsTo('POST /proxy/daemon/server/deadbeef/stop')).toHaveLength(0)
})

test('a server that ran out of memory shows an alert with its last console lines', async () => {
  const { waitUntilLive, printOutput, reportStatus } = await openServerPage()
  await waitUntilLive()
  await printOutput('\u001b[31mfirst\u001b[0m\nlast words\n[DAEMON] Server was ended by signal SIGKILL\n')

  reportStatus('offline', {
    lastExit: { at: '2026-11-20T20:00:00Z', reason: 'outOfMemory', code: null, signal: 'SIGKILL', gaveUpAfter: 4 },
  })

  const notice = await screen.findByRole('alert')
  expect(notice.textContent).toContain('after exceeding its limit')
  expect(notice.textContent).toContain('The server crashed 4 times in a row and was not restarted.')
  expect(within(notice).getByLabelText('Last console lines').textContent).toBe('first\nlast words')
})

test('a server that was stopped or runs again shows no exit alert', async () => {
  const { waitUntilLive, reportStatus } = await openServerPage()
  await waitUntilLive()
  const lastExit = { at: '2026-11-20T20:00:00Z', code: 1, signal: null }

  reportStatus('offline', { lastExit: { ...lastExit, reason: 'stopped' } })
  const afterStop = screen.queryByText(/^Crashed .*exit/)
  reportStatus('waiting', { lastExit: { ...lastExit, reason: 'crashed' } })
  const whileWaiting = screen.getByText(/^Crashed .*exit code 1.*Restarting shortly/)
  reportStatus('online', { lastExit: { ...lastExit, reason: 'crashed' } })

  expect(afterStop).toBeNull()
  expect(whileWaiting).toBeDefined()
  expect(screen.queryByText(/^Crashed .*exit/)).toBeNull()
})

test('a slow stop offers Kill', async () => {
  const { waitUntilLive, user, reportStatus, requestsTo } = await openServerPage()
  await waitUntilLive()
  const message = /Still stopping/

  reportStatus('stopping', { since: new Date(Date.now() - 5_000).toISOString() })
  const early = screen.queryByText(message)
  reportStatus('stopping', { since: new Date(Date.now() - 60_000).toISOString() })
  const notice = await screen.findByText(message)
  await user.click(within(notice.parentElement as HTMLElement).getByRole('button', { name: 'Kill' }))

  expect(early).toBeNull()
  expect(await screen.findByText('Kill now? Unsaved progress in the game will be lost.')).toBeDefined()
  expect(requestsTo('POST /proxy/daemon/server/deadbeef/kill')).toHaveLength(0)
})

test('the duration of a stop is shown, also during a restart, which offers Kill as well', async () => {
  const { waitUntilLive, user, reportStatus } = await openServerPage()
  await waitUntilLive()
  const shown = () => Number(/^Stopping for (\d+) s$/.exec(screen.getByText(/^Stopping for/).textContent)?.[1])
  const ago = (ms: number) => ({ since: new Date(Date.now() - ms).toISOString() })

  reportStatus('stopping', ago(5_000))
  const first = shown()
  await waitFor(() => expect(shown()).toBeGreaterThan(first), { timeout: 10_000 })
  reportStatus('online', ago(0))
  const whileOnline = screen.queryByText(/^Stopping for/)
  await user.click(await button('Restart'))
  reportStatus('stopping', ago(60_000))

  expect(first).toBeGreaterThanOrEqual(5)
  expect(whileOnline).toBeNull()
  expect(screen.getByText('Restarting')).toBeDefined()
  expect(shown()).toBeGreaterThanOrEqual(60)
  expect(await screen.findByText(/Still stopping/)).toBeDefined()
})

test('a server whose status the node is not sure of is Unknown, with an alert, and can still be killed', async () => {
  const { waitUntilLive, reportStatus } = await openServerPage()
  await waitUntilLive()

  reportStatus('online', { isInDoubt: true })

  expect((await screen.findByRole('alert')).textContent).toContain('the status is unknown')
  expect(screen.getByText('Unknown')).toBeDefined()
  expect(screen.queryByText(/^since /)).toBeNull()
  expect((await button('Stop')).getAttribute('aria-disabled')).toBe('true')
  expect((await button('Kill')).getAttribute('aria-disabled')).toBeNull()
})

test('the shortcut r k asks before it kills', async () => {
  const { waitUntilLive, user, requestsTo } = await openServerPage()
  await waitUntilLive()

  await user.keyboard('rk')
  // Without layout Mantine hides the popover, because its target seems to be out of view.
  const question = await screen.findByText('Kill now? Unsaved progress in the game will be lost.')
  const before = requestsTo('POST /proxy/daemon/server/deadbeef/kill').length
  const popover = question.closest('[role="alertdialog"]') as HTMLElement
  fireEvent.click(within(popover).getByText('Kill'))

  expect(before).toBe(0)
  await waitFor(() => expect(requestsTo('POST /proxy/daemon/server/deadbeef/kill')).toHaveLength(1))
})

test('Install asks first and then opens the console', async () => {
  const { waitUntilLive, user, requestsTo, router } = await openServerPage({
    state: 'offline',
    path: '/server/deadbeef?created=1&tab=stats',
  })
  await waitUntilLive()
  expect(screen.getByText('Created. Run Install to download the files.')).toBeDefined()

  await user.click((await screen.findAllByRole('button', { name: 'Install' }))[0] as HTMLElement)
  const dialog = await screen.findByRole('dialog', { name: 'Install lobby?' })
  await user.click(within(dialog).getByRole('button', { name: 'Install' }))

  await waitFor(() => expect(requestsTo('POST /proxy/daemon/server/deadbeef/install')).toHaveLength(1))
  await waitFor(() => expect(router.state.location.search).toBe('?tab=console'))
})

test('the alert of a new server goes as soon as it runs or has run', async () => {
  const created = () => screen.queryByText('Created. Run Install to download the files.')
  const { waitUntilLive, reportStatus, router } = await openServerPage({
    state: 'offline',
    path: '/server/deadbeef?created=1&tab=stats',
  })
  await waitUntilLive()
  const before = created()

  reportStatus('online')
  await waitFor(() => expect(created()).toBeNull())
  expect(router.state.location.search).toBe('?tab=stats')
  reportStatus('offline')

  expect(before).not.toBeNull()
  expect(created()).toBeNull()
})

test('a missing program of the node is named in an alert', async () => {
  const { waitUntilLive, user, refuse } = await openServerPage({ state: 'offline' })
  refuse('POST /proxy/daemon/server/deadbeef/start', 'ErrMissingBinary', 400, { expected: 'java' })
  await waitUntilLive()

  await user.click(await button('Start'))

  expect((await screen.findByRole('alert')).textContent).toContain('Missing binary: java')
  expect(screen.getByText('Offline')).toBeDefined()
})

test('a user sees the permitted tabs and controls only', async () => {
  const { waitUntilLive } = await openServerPage({ permissions: { viewServerStats: true, startServer: true } })
  await waitUntilLive()

  expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Stats', 'Admin'])
  expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Rename server' })).toBeNull()
  expect(await button('Restart')).toBeDefined()
})

test('the shortcut t i opens the statistics and changes the address', async () => {
  const { waitUntilLive, user, router } = await openServerPage()
  await waitUntilLive()

  await user.keyboard('ti')

  await waitFor(() => expect(router.state.location.search).toBe('?tab=stats'))
  expect(await screen.findByRole('img', { name: /^CPU: now/ })).toBeDefined()
})

test('statistics can be shown as a table', async () => {
  const { waitUntilLive, user, socket } = await openServerPage({ path: '/server/deadbeef?tab=stats' })
  await waitUntilLive()
  socket().says({ type: 'stat', data: { cpu: 118.02, memory: 4_219.4 * 1024 ** 2 } })

  await user.click(await button('Show as table'))

  expect(await screen.findByRole('cell', { name: '118.02%' })).toBeDefined()
  expect(screen.getByRole('cell', { name: '4,219.40 MiB' })).toBeDefined()
})

test('a new name is shown at once; a duplicate one is rolled back with an error at the field', async () => {
  const { waitUntilLive, user, refuse, server } = await openServerPage()
  refuse('PUT /api/servers/deadbeef/name/taken', 'ErrDuplicateServerName', 409)
  await waitUntilLive()

  await user.click(await button('Rename server'))
  const field = await screen.findByRole('textbox', { name: 'Name' })
  await user.clear(field)
  await user.type(field, 'taken{Enter}')
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'))
  expect(screen.getByText('A server with this name already exists')).toBeDefined()
  expect(screen.getByRole('heading', { level: 1, hidden: true }).textContent).toBe('lobby')

  server.name = 'tavern'
  await user.clear(field)
  await user.type(field, 'tavern{Enter}')

  await waitFor(() => expect(screen.getByRole('heading', { level: 1, hidden: true }).textContent).toBe('tavern'))
})

test('output is shown with its colors, and lines of the daemon are marked', async () => {
  const { waitUntilLive, printOutput } = await openServerPage()
  await waitUntilLive()

  await printOutput('[DAEMON] Server is online\r\n\x1b[31mhello\x1b[0m <b>you</b>\n')

  const log = within(screen.getByRole('log', { name: 'Console output' }))
  expect(log.getByText('DAEMON')).toBeDefined()
  expect(log.getByText('hello').style.color).toBe('var(--ik-ansi-red)')
  expect(log.getByText('<b>you</b>', { exact: false })).toBeDefined()
})

test('a command is sent over the socket, shown with its author, and recalled with the arrow key', async () => {
  const { waitUntilLive, user, socket, printOutput } = await openServerPage()
  await waitUntilLive()
  const field = await screen.findByRole('textbox', { name: 'Command' })

  await user.type(field, 'say hello{Enter}')
  await printOutput('[DAEMON] mara> say hello\n')
  await user.type(field, 'sa{ArrowUp}')
  const walked = (field as HTMLInputElement).value
  await user.type(field, '{ArrowDown}')

  expect(socket().sentOf('console')).toEqual([{ type: 'console', command: 'say hello' }])
  expect(await within(screen.getByRole('log')).findByText('say hello')).toBeDefined()
  expect(walked).toBe('say hello')
  expect((field as HTMLInputElement).value).toBe('sa')
})

test('the command field of an offline server is disabled but focusable, and says what to do', async () => {
  const { waitUntilLive, user } = await openServerPage({ state: 'offline' })
  await waitUntilLive()

  const field = await screen.findByPlaceholderText('Start the server to send commands')
  await user.keyboard('ci')
  const focused = document.activeElement
  await user.type(field, 'list')

  expect(focused).toBe(field)
  expect(field.getAttribute('aria-disabled')).toBe('true')
  expect((field as HTMLInputElement).value).toBe('')
})

test('without permission to send commands the console is view-only', async () => {
  const { waitUntilLive } = await openServerPage({ permissions: { viewServerConsole: true } })
  await waitUntilLive()

  expect(screen.getByText('View only')).toBeDefined()
  expect(screen.queryByRole('textbox', { name: 'Command' })).toBeNull()
})

test('a paused console keeps its lines and counts new ones', async () => {
  const { waitUntilLive, user, printOutput } = await openServerPage()
  await waitUntilLive()
  await printOutput('before\n')

  await user.keyboard('cp')
  await printOutput('one\ntwo\n')
  const resume = await screen.findByRole('button', { name: 'Resume, 2 new lines' })
  const whilePaused = screen.queryByText('two')
  await user.click(resume)

  expect(whilePaused).toBeNull()
  expect(await screen.findByText('two')).toBeDefined()
})

test('Ctrl+F in the console goes to the newest match while typing, and Enter steps back', async () => {
  const { waitUntilLive, user, printOutput } = await openServerPage()
  await waitUntilLive()
  await printOutput('Ardwen joined\nnobody\nardwen left\n')

  screen.getByRole('log').focus()
  await user.keyboard('{Control>}f{/Control}')
  await user.keyboard('ardwen')
  const newest = await screen.findByText('2 of 2')
  await user.keyboard('{Enter}')

  expect(newest).toBeDefined()
  expect(await screen.findByText('1 of 2')).toBeDefined()
})

test('revoked access ends the connection without a retry', async () => {
  const { waitUntilLive, socket } = await openServerPage()
  await waitUntilLive()

  socket().falls(closeCodes.revoked)

  expect((await screen.findByRole('alert')).textContent).toContain('You no longer have access to this server')
})

test('a revoked permission removes its controls, and the console reconnects with the others', async () => {
  const permissions = { viewServerConsole: true, sendServerConsole: true, startServer: true }
  const { waitUntilLive, socket } = await openServerPage({ permissions })
  await waitUntilLive()
  await screen.findByRole('textbox', { name: 'Command' })

  permissions.sendServerConsole = false
  const before = socket()
  socket().falls(closeCodes.revoked)
  await waitFor(() => expect(socket()).not.toBe(before))
  await waitUntilLive()

  expect(screen.queryByRole('textbox', { name: 'Command' })).toBeNull()
  expect(screen.queryByRole('alert')).toBeNull()
  expect(screen.getByText('Online')).toBeDefined()
})

test('a permission that is granted while the page is open takes effect without a reload', async () => {
  const permissions: ServerPermissions = { viewServerConsole: true }
  const { waitUntilLive, socket } = await openServerPage({ permissions })
  await waitUntilLive()
  const before = socket()

  permissions.sendServerConsole = true

  await screen.findByRole('textbox', { name: 'Command' })
  await waitFor(() => expect(socket()).not.toBe(before))
})

test('a connection that is given up shows an alert, and Reconnect opens another one', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] })
  const { waitUntilLive, socket, user } = await openServerPage()
  await waitUntilLive()

  for (let tries = 0; tries <= 5; tries++) {
    socket().falls()
    await vi.advanceTimersByTimeAsync(3_000)
  }
  vi.useRealTimers()
  const reconnect = await button('Reconnect')
  const polling = screen.getByText('Polling')
  const before = socket()
  await user.click(reconnect)

  expect(polling).toBeDefined()
  expect(socket()).not.toBe(before)
})

const port = { type: 'integer', value: '25565', display: 'Port', required: true, userEdit: true }
const motd = { value: 'Hello', display: 'Message', userEdit: true }

test('an invalid variable has an error at its field, and a valid one is saved', async () => {
  const { waitUntilLive, user, requestsTo } = await openServerPage({
    path: '/server/deadbeef?tab=settings',
    variables: { port, motd },
  })
  await waitUntilLive()
  const field = await screen.findByRole('textbox', { name: /Port/ })

  await user.clear(field)
  await user.type(field, 'abc')
  await user.tab()
  const fieldError = await screen.findByText('Port must be a whole number')
  await user.clear(field)
  await user.type(field, '25566')
  const changes = screen.getByText('1 unsaved change. It applies at the next start.')
  await user.click(await button(/^Save/))

  expect(fieldError).toBeDefined()
  expect(changes).toBeDefined()
  await waitFor(() =>
    expect(requestsTo('POST /proxy/daemon/server/deadbeef/data').map(({ body }) => body)).toEqual([
      { data: { port: { value: '25566' } } },
    ]),
  )
  expect(await screen.findByText('Saved')).toBeDefined()
})

test('a multiline variable has a textarea, and an error of the node is shown at its field', async () => {
  const rules = { value: 'be kind', display: 'Rules', multiline: true, userEdit: true }
  const { waitUntilLive, user, requestsTo, refuse } = await openServerPage({
    path: '/server/deadbeef?tab=settings',
    variables: { rules, motd },
  })
  await waitUntilLive()

  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Rules' })
  await user.type(field, '{Enter}be fair')
  expect(screen.getByRole('textbox', { name: 'Message' }).tagName).toBe('INPUT')
  refuse('POST /proxy/daemon/server/deadbeef/data', 'ErrFieldLikeOption', 400, { field: 'rules' })
  await user.click(await button(/^Save/))

  expect(requestsTo('POST /proxy/daemon/server/deadbeef/data').map(({ body }) => body)).toEqual([
    { data: { rules: { value: 'be kind\nbe fair' } } },
  ])
  expect(await screen.findByText('Rules must not start with - or +')).toBeDefined()
})

const backups = {
  display: 'Backups',
  description: 'Every <b>night</b>',
  if: "backup && motd != 'no'",
  variables: ['interval'],
  order: 1,
}
const grouped = {
  path: '/server/deadbeef?tab=settings',
  variables: {
    motd,
    backup: { type: 'boolean', value: 'true', display: 'Back up', userEdit: true },
    interval: { type: 'integer', value: '60', display: 'Interval', required: true, userEdit: true },
    port,
  },
  groups: [{ display: 'Network', variables: ['port'], if: 'unseen == "x"', order: 0 }, backups],
}

test('settings are grouped under headings, after those without a group', async () => {
  const { waitUntilLive } = await openServerPage(grouped)
  await waitUntilLive()

  const shown = await screen.findByRole('region', { name: 'Backups' })
  expect(within(shown).getByText('night').tagName).toBe('STRONG')
  expect(within(shown).getByRole('textbox', { name: /Interval/ })).toBeDefined()
  expect(within(screen.getByRole('region', { name: 'Network' })).getByRole('textbox', { name: /Port/ })).toBeDefined()
  const fields = screen.getAllByRole('textbox').map((field) => field.dataset.path)
  expect(fields).toEqual(['motd', 'port', 'interval'])
})

test('a group is hidden while its condition is false, and edits in it are still saved', async () => {
  const { waitUntilLive, user, requestsTo } = await openServerPage(grouped)
  await waitUntilLive()
  const backUp = await screen.findByRole('switch', { name: 'Back up' })
  const interval = await screen.findByRole('textbox', { name: /Interval/ })
  await user.clear(interval)
  await user.type(interval, '90')

  await user.click(backUp)
  expect(screen.queryByRole('region', { name: 'Backups' })).toBeNull()
  expect(screen.getByText('3 variables')).toBeDefined()
  await user.click(await button(/^Save/))

  await waitFor(() =>
    expect(requestsTo('POST /proxy/daemon/server/deadbeef/data').map(({ body }) => body)).toEqual([
      { data: { backup: { value: 'false' }, interval: { value: '90' } } },
    ]),
  )
})

test('a hidden group with an error is shown', async () => {
  const { waitUntilLive, user, requestsTo } = await openServerPage(grouped)
  await waitUntilLive()
  const interval = await screen.findByRole('textbox', { name: /Interval/ })
  await user.clear(interval)
  await user.click(screen.getByRole('textbox', { name: /Message/ }))
  expect(screen.getByText('Interval is required')).toBeDefined()

  await user.keyboard('{Control>}a{/Control}no')
  await user.click(await button(/^Save/))

  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: /Interval/ }))
  expect(requestsTo('POST /proxy/daemon/server/deadbeef/data')).toEqual([])
})

test('leaving with unsaved settings asks first', async () => {
  const { waitUntilLive, user, router } = await openServerPage(grouped)
  await waitUntilLive()
  await user.type(await screen.findByRole('textbox', { name: /Message/ }), '!')

  act(() => void router.navigate('/server'))
  const asking = await screen.findByRole('dialog', { name: 'Leave without saving?' })
  await user.click(within(asking).getByRole('button', { name: 'Cancel' }))

  expect(screen.getByRole<HTMLInputElement>('textbox', { name: /Message/ }).value).toBe('Hello!')
})

test('a server without variables shows an empty state', async () => {
  const { waitUntilLive } = await openServerPage({ path: '/server/deadbeef?tab=settings' })
  await waitUntilLive()

  expect(await screen.findByText('This server has no editable variables.')).toBeDefined()
})

const admin = { scopes: ['servers.admin'], path: '/server/deadbeef?tab=admin' }

test('a switch saves the definition with its version and reloads it', async () => {
  const { waitUntilLive, user, requestsTo } = await openServerPage(admin)
  await waitUntilLive()
  const toggle = await screen.findByRole('switch', { name: 'Recover after a crash' })
  await waitFor(() => expect((toggle as HTMLInputElement).disabled).toBe(false))

  await user.click(toggle)

  await waitFor(() => expect(requestsTo('POST /proxy/daemon/server/deadbeef/reload')).toHaveLength(1))
  const [written] = requestsTo('POST /proxy/daemon/server/deadbeef')
  expect(written?.body).toMatchObject({ kept: 7, run: { command: 'run it', autostart: true, autorecover: true } })
  expect(written?.headers.get('if-match')).toBe('"1"')
})

test('the switches are disabled while the definition is loaded, saved and reloaded', async () => {
  const { waitUntilLive, user, holdRequest } = await openServerPage({ scopes: ['servers.admin'] })
  await waitUntilLive()
  const areDisabled = () => screen.getAllByRole<HTMLInputElement>('switch').map(({ disabled }) => disabled)
  const [all, none] = [
    [true, true, true],
    [false, false, false],
  ]

  const read = holdRequest('GET /proxy/daemon/server/deadbeef')
  await user.click(screen.getByRole('tab', { name: 'Admin' }))
  const recover = await screen.findByRole<HTMLInputElement>('switch', { name: 'Recover after a crash' })
  const whileRead = areDisabled()
  read()
  await waitFor(() => expect(areDisabled()).toEqual(none))
  const reload = holdRequest('POST /proxy/daemon/server/deadbeef/reload')
  await user.click(recover)
  const whileLoaded = areDisabled()
  const isShown = recover.checked
  reload()

  expect(whileRead).toEqual(all)
  expect(whileLoaded).toEqual(all)
  expect(isShown).toBe(true)
  await waitFor(() => expect(areDisabled()).toEqual(none))
})

test('limits are saved in the definition with its version', async () => {
  const { waitUntilLive, user, requestsTo } = await openServerPage(admin)
  await waitUntilLive()
  const memory = await screen.findByRole('textbox', { name: 'Memory (MiB)' })
  await waitFor(() => expect((memory as HTMLInputElement).disabled).toBe(false))

  await user.type(memory, '512')
  await user.click(await button('Save limits'))

  await waitFor(() => expect(requestsTo('POST /proxy/daemon/server/deadbeef/reload')).toHaveLength(1))
  const [written] = requestsTo('POST /proxy/daemon/server/deadbeef')
  expect(written?.body).toMatchObject({ kept: 7, environment: { limits: { memory: 512 } } })
  expect(written?.headers.get('if-match')).toBe('"1"')
})

/** Opens the limits in the Admin tab; `savedByAnother` changes them on the node. */
async function openLimits() {
  const page = await openServerPage(admin)
  await page.waitUntilLive()
  const { server, requestsTo } = page
  await screen.findByRole('textbox', { name: 'Memory (MiB)' })
  return {
    ...page,
    limit: (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name }),
    savedByAnother: (limits: object) => {
      Object.assign(server.definition, { environment: { type: 'standard', limits } })
      server.version += 1
    },
    written: () =>
      requestsTo('POST /proxy/daemon/server/deadbeef').map(({ body, headers }) => ({
        limits: (body as { environment: { limits: object } }).environment.limits,
        version: headers.get('if-match'),
      })),
  }
}

test('saving a limit keeps another one that someone else changed', async () => {
  const { user, requestsTo, limit, savedByAnother, written } = await openLimits()
  await user.type(limit('Memory (MiB)'), '512')
  savedByAnother({ processes: 99 })

  await user.click(await button('Save limits'))

  await waitFor(() => expect(requestsTo('POST /proxy/daemon/server/deadbeef/reload')).toHaveLength(1))
  expect(written()).toEqual([
    { limits: { memory: 512 }, version: '"1"' },
    { limits: { memory: 512, processes: 99 }, version: '"2"' },
  ])
  expect(limit('Processes and threads').value).toBe('99')
})

test('a conflicting limit is shown with both values before it is saved', async () => {
  const { user, limit, savedByAnother, written } = await openLimits()
  await user.type(limit('Memory (MiB)'), '512')
  savedByAnother({ memory: 256 })

  await user.click(await button('Save limits'))

  const notice = await within(screen.getByRole('form', { name: 'Limits' })).findByRole('alert')
  expect(within(notice).getByText('512')).toBeDefined()
  expect(within(notice).getByText('256')).toBeDefined()
  expect(written()).toHaveLength(1)
  await user.click(within(notice).getByRole('button', { name: 'Keep mine' }))
  await user.click(await button('Save limits'))
  await waitFor(() => expect(written().at(-1)).toEqual({ limits: { memory: 512 }, version: '"2"' }))
})

test('a limit edited during a save is kept', async () => {
  const { user, holdRequest, limit, written } = await openLimits()
  await user.type(limit('Memory (MiB)'), '512')
  const end = holdRequest('POST /proxy/daemon/server/deadbeef')
  await user.click(await button('Save limits'))
  await user.type(limit('Processes and threads'), '99')

  end()

  await waitFor(() => expect(screen.getByText('1 unsaved change')).toBeDefined())
  expect(limit('Processes and threads').value).toBe('99')
  expect(written()).toHaveLength(1)
})

test('keys typed right after Edit do not reach the shortcuts of the page, and Esc cancels the loading editor', async () => {
  const { waitUntilLive, user, requestsTo, holdRequest } = await openServerPage(admin)
  await waitUntilLive()
  const definition = 'GET /proxy/daemon/server/deadbeef'

  const first = holdRequest(definition)
  await user.click(await button('Edit'))
  await user.keyboard('rr{Escape}')
  first()
  await waitFor(async () => expect((await button('Edit')).hasAttribute('data-loading')).toBe(false))
  const afterEscape = screen.queryByRole('dialog')
  const second = holdRequest(definition)
  await user.click(await button('Edit'))
  await user.keyboard('rr')
  second()

  await screen.findByRole('dialog', { name: /lobby/ })
  expect(afterEscape).toBeNull()
  expect(requestsTo('POST /proxy/daemon/server/deadbeef/restart')).toHaveLength(0)
})

test('an edited definition is saved completely, and a version conflict offers to overwrite', async () => {
  const { waitUntilLive, user, requestsTo, refuse } = await openServerPage(admin)
  await waitUntilLive()

  await user.click(await button('Edit'))
  const command = await screen.findByLabelText('Command', { selector: 'textarea' })
  await user.clear(command)
  await user.type(command, 'run that')
  refuse('POST /proxy/daemon/server/deadbeef', 'ErrStaleVersion', 412)
  await user.click(await button('Save'))

  expect(await screen.findByText(/Someone else changed this definition/)).toBeDefined()
  expect(await button('Overwrite')).toBeDefined()
  expect(requestsTo('POST /proxy/daemon/server/deadbeef')[0]?.body).toMatchObject({
    kept: 7,
    run: { command: 'run that' },
  })
})

test('closing an edited definition asks first', async () => {
  const { waitUntilLive, user } = await openServerPage(admin)
  await waitUntilLive()

  await user.click(await button('Edit'))
  await user.type(await screen.findByLabelText('Working directory'), 'world')
  await user.click(await button('Close'))

  expect(await screen.findByRole('dialog', { name: 'Save changes to the definition?' })).toBeDefined()
})

test('a server is deleted after its name was typed, and the list opens', async () => {
  const { waitUntilLive, user, requestsTo } = await openServerPage(admin)
  await waitUntilLive()

  await user.click(await button('Delete'))
  const dialog = await screen.findByRole('dialog', { name: 'Delete lobby?' })
  const confirm = within(dialog).getByRole('button', { name: 'Delete server' })
  const field = within(dialog).getByRole('textbox')
  await user.type(field, 'lobb')
  const early = (confirm as HTMLButtonElement).disabled
  await user.type(field, 'y')
  await user.click(confirm)

  expect(early).toBe(true)
  await waitFor(() => expect(requestsTo('DELETE /api/servers/deadbeef')).toHaveLength(1))
  expect(await screen.findByText('All servers')).toBeDefined()
})

test('a server of an unreachable node is deleted from the panel after a second confirmation', async () => {
  const { waitUntilLive, user, requests, refuse, clearRefusal } = await openServerPage(admin)
  await waitUntilLive()
  const removal = 'DELETE /api/servers/deadbeef'
  refuse(removal, 'ErrServiceNotAvailable', 502)
  await user.click(await button('Delete'))
  const first = within(await screen.findByRole('dialog', { name: 'Delete lobby?' }))
  await user.type(first.getByRole('textbox'), 'lobby')
  await user.click(first.getByRole('button', { name: 'Delete server' }))

  const second = within(await screen.findByRole('dialog', { name: /is not responding. Delete lobby anyway/ }))
  clearRefusal(removal)
  await user.type(second.getByRole('textbox'), 'lobby')
  await user.click(second.getByRole('button', { name: 'Delete without the node' }))

  await waitFor(() => {
    const queries = requests.filter(({ endpoint }) => endpoint === removal).map(({ query }) => query)
    expect(queries).toEqual(['', 'force=true'])
  })
  expect(await screen.findByText('All servers')).toBeDefined()
})

test('on a phone four tabs are in the bar and the others in the menu More', async () => {
  onTestFinished(emulatePhone())
  const { waitUntilLive, user, router } = await openServerPage({ scopes: ['servers.admin'] })
  await waitUntilLive()

  expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Console', 'Stats', 'Files', 'Settings'])
  await user.click(await button('More'))
  await user.click(await screen.findByRole('menuitem', { name: 'Users' }))

  await waitFor(() => expect(router.state.location.search).toBe('?tab=users'))
  expect((await button('More')).getAttribute('aria-current')).toBe('true')
})

test('on a phone the usage is shown once it is measured', async () => {
  onTestFinished(emulatePhone())
  const { waitUntilLive, socket } = await openServerPage()
  await waitUntilLive()

  const before = [screen.queryByText('Frankfurt 1'), screen.queryByText(/ · 0 B$/)]
  act(() => socket().says({ type: 'stat', data: { cpu: 12, memory: 4 * 1024 ** 2 } }))

  expect(before).toEqual([expect.anything(), null])
  expect(screen.getByText('12% · 4 MiB')).toBeDefined()
})

/** Lets the socket fail as often as it is tried. */
async function loseSocket(socket: () => { falls: () => void }) {
  for (let failures = 0; failures <= 5; failures++) {
    await act(async () => {
      socket().falls()
      await vi.advanceTimersByTimeAsync(500 + failures * 500)
    })
  }
}

test('an unreachable panel is reported, and not as an unreachable node', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const { waitUntilLive, socket, setPanelReachable } = await openServerPage()
  await waitUntilLive()

  setPanelReachable(false)
  await loseSocket(socket)

  expect(await screen.findByText(/^The panel has not responded since/)).toBeDefined()
  expect(screen.queryByText(/Frankfurt 1 has not responded/)).toBeNull()
})

test('a live connection that is given up shows one warning toast, also after the language changes', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const { waitUntilLive, socket, i18n } = await openServerPage()
  await waitUntilLive()
  await loseSocket(socket)
  const toasts = () => [...document.querySelectorAll('.mantine-Notification-root')]
  await waitFor(() => expect(toasts()).toHaveLength(1))

  i18n.addResourceBundle('de_DE', 'translation', {})
  await act(() => i18n.changeLanguage('de_DE'))

  expect(toasts()).toHaveLength(1)
  expect(toasts()[0]?.getAttribute('style')).toContain('--ik-warning')
})

test('a crashed server shows an error alert and the status Crashed', async () => {
  const { waitUntilLive, reportStatus } = await openServerPage()
  await waitUntilLive()

  reportStatus('offline', { lastExit: { at: '2026-11-20T20:00:00Z', reason: 'crashed', code: 3, signal: null } })

  expect(screen.getByText('Crashed')).toBeDefined()
  expect((await screen.findByRole('alert')).getAttribute('style')).toContain('--ik-offline')
  expect((await button('Start')).getAttribute('aria-disabled')).toBeNull()
  expect((await button('Kill')).getAttribute('aria-disabled')).toBe('true')
})

test('during an install, Cancel install replaces Stop and Kill', async () => {
  const { waitUntilLive, user, reportStatus, requestsTo } = await openServerPage({ state: 'offline' })
  await waitUntilLive()

  reportStatus('installing')
  const labels = (await screen.findAllByRole('button')).map((one) => one.textContent)
  await user.click(await button('Cancel install'))

  expect(labels).not.toContain('Stop')
  expect(labels).not.toContain('Kill')
  await waitFor(() => expect(requestsTo('POST /proxy/daemon/server/deadbeef/kill')).toHaveLength(1))
})

test('a busy button keeps its label and stays focusable', async () => {
  const { waitUntilLive, reportStatus } = await openServerPage({ state: 'offline' })
  await waitUntilLive()

  reportStatus('installing')

  const install = await button('Install')
  expect(install.textContent).toBe('Install')
  expect(install.getAttribute('aria-busy')).toBe('true')
  expect(install.hasAttribute('disabled')).toBe(false)
})

test('the statistics start with the history of the node', async () => {
  const cpu = [20, 40]
  const statsHistory = {
    fromMs: Date.now() - 6_000,
    stepMs: 3_000,
    cpu,
    cpuPeak: cpu,
    memory: [1, 1],
    memoryPeak: [1, 1],
  }
  const { waitUntilLive } = await openServerPage({ path: '/server/deadbeef?tab=stats', statsHistory })
  await waitUntilLive()

  expect(await screen.findByRole('img', { name: 'CPU: now 40.00%, average 30.00%, peak 40.00%' })).toBeDefined()
  expect(screen.queryByText('Polling')).toBeNull()
})

test('during an install the command field does not ask to start the server', async () => {
  const { waitUntilLive } = await openServerPage({ state: 'installing' })
  await waitUntilLive()

  expect(await screen.findByPlaceholderText('Commands can be sent once the server is running')).toBeDefined()
})

test('times in the console follow the locale', async () => {
  const { waitUntilLive, printOutput } = await openServerPage()
  await waitUntilLive()
  await printOutput('hello\n')

  const time = (await screen.findByText('hello')).closest('[data-line]')?.querySelector('time')

  expect(time?.textContent).toMatch(/^\d{1,2}:\d{2}:\d{2}\s[AP]M$/)
})
