import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test } from 'vitest'
import { emulatePhone } from '../../testing/open-part.tsx'
import { openServerPage } from './testing/fake-panel.tsx'

const button = (name: string | RegExp) => screen.findByRole('button', { name })

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

test('an offline server can be started, and a tooltip shows why it cannot be stopped', async () => {
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
  const whileWaiting = [screen.getByText(/^Crashed .*exit code 1/), screen.getByText('Restarting shortly.')]
  reportStatus('online', { lastExit: { ...lastExit, reason: 'crashed' } })

  expect(afterStop).toBeNull()
  expect(whileWaiting).toHaveLength(2)
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
  await user.click(within(notice.parentElement as HTMLElement).getByRole('button', { name: 'Kill: Stopping' }))

  expect(early).toBeNull()
  expect(await screen.findByText('Kill now? Unsaved progress in the game will be lost.')).toBeDefined()
  expect(requestsTo('POST /proxy/daemon/server/deadbeef/kill')).toHaveLength(0)
})

test('a stop whose time is over offers Kill, however short it was', async () => {
  const { waitUntilLive, reportStatus } = await openServerPage()
  await waitUntilLive()

  reportStatus('stopping', { since: new Date().toISOString(), isStopOverdue: true })

  expect(await screen.findByText(/Still stopping/)).toBeDefined()
})

test('the duration of a stop is shown, also during a restart, which offers Kill as well', async () => {
  const { waitUntilLive, user, reportStatus } = await openServerPage()
  await waitUntilLive()
  const shown = () => Number(/^Stopping for (\d+) sec$/.exec(screen.getByText(/^Stopping for/).textContent)?.[1])
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
  expect(screen.getByText('Stopping for 1 min')).toBeDefined()
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
  expect(screen.getByText('Server created. Run Install to download its files.')).toBeDefined()

  await user.click((await screen.findAllByRole('button', { name: 'Install' }))[0] as HTMLElement)
  const dialog = await screen.findByRole('dialog', { name: 'Install lobby?' })
  await user.click(within(dialog).getByRole('button', { name: 'Install' }))

  await waitFor(() => expect(requestsTo('POST /proxy/daemon/server/deadbeef/install')).toHaveLength(1))
  await waitFor(() => expect(router.state.location.search).toBe('?tab=console'))
})

test('Install does not ask while the folder of the server is empty', async () => {
  const { waitUntilLive, user, requestsTo } = await openServerPage({ state: 'offline', files: [] })
  await waitUntilLive()

  await user.click(await button('Install'))

  await waitFor(() => expect(requestsTo('POST /proxy/daemon/server/deadbeef/install')).toHaveLength(1))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('the alert of a new server goes as soon as it runs or has run', async () => {
  const created = () => screen.queryByText('Server created. Run Install to download its files.')
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

test('on a phone the last lines of a crash are hidden until the alert is opened', async () => {
  onTestFinished(emulatePhone())
  const { waitUntilLive, reportStatus, printOutput, user } = await openServerPage({ state: 'offline' })
  await waitUntilLive()
  await printOutput('cannot bind port\n')

  reportStatus('offline', { lastExit: { at: '2026-11-20T20:00:00Z', reason: 'crashed', code: 3, signal: null } })
  const details = (await screen.findByText(/with exit code 3/)).closest('details')
  const wasOpen = details?.open
  await user.click(screen.getByText(/with exit code 3/))

  expect(wasOpen).toBe(false)
  expect(details?.open).toBe(true)
  expect(details?.textContent).toContain('cannot bind port')
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

test('a server that does not respond shows why, the report about it, and can be restarted and killed', async () => {
  const { waitUntilLive, user, reportStatus, respond, requestsTo } = await openServerPage()
  await waitUntilLive()
  const report = { id: '7', at: '2026-11-20T20:01:00Z', since: '2026-11-20T20:00:00Z', reason: 'query', action: 'none' }
  respond('GET /proxy/daemon/server/deadbeef/liveness', [report])
  respond('GET /proxy/daemon/server/deadbeef/liveness/7', {
    ...report,
    checks: [{ type: 'query', detail: 'The game did not answer a query' }],
    usage: { cpu: 99.5, memory: 1024 ** 3, memoryMax: 2 * 1024 ** 3 },
    processes: [{ pid: 42, name: 'java', threads: { R: 1, S: 30, D: 2 } }],
    lines: 'Saving the world',
    threadDump: 'Full thread dump',
  })

  reportStatus('online', { notResponding: { since: report.since, reason: 'query' } })
  const alert = within(await screen.findByRole('alert'))
  expect(alert.getByText(/its game has not answered queries since/)).toBeDefined()
  expect(screen.getByText('Not responding')).toBeDefined()
  await user.click(alert.getByRole('button', { name: 'Show report' }))

  const dialog = within(await screen.findByRole('dialog', { name: 'When this server did not respond' }))
  expect(await dialog.findByText('The game did not answer a query')).toBeDefined()
  expect(dialog.getByText('1 thread runs, 30 threads sleep, 2 threads wait for a disk')).toBeDefined()
  expect(dialog.getByText('Saving the world')).toBeDefined()
  expect(dialog.getByText('Full thread dump')).toBeDefined()
  await user.keyboard('{Escape}')
  await user.click(alert.getByRole('button', { name: 'Restart: Not responding' }))
  expect(requestsTo('POST /proxy/daemon/server/deadbeef/restart')).toHaveLength(1)
})

test('a server that sleeps shows since when and what that saves, can be woken and stopped, and is online then', async () => {
  const { waitUntilLive, user, reportStatus, requestsTo } = await openServerPage()
  await waitUntilLive()
  const since = '2026-11-20T20:00:00Z'

  reportStatus('online', { since, sleeping: { since, isFrozen: true, cpu: 30, memory: 1024 ** 3 } })
  expect(screen.getByText('Sleeping')).toBeDefined()
  expect(screen.getByText(/saves about 30% of a CPU core. Its memory stays in use/)).toBeDefined()
  expect((await button('Stop')).getAttribute('aria-disabled')).toBeNull()
  await user.click(await button('Wake'))
  expect(await screen.findByText('Starting')).toBeDefined()
  reportStatus('online')

  expect(requestsTo('POST /proxy/daemon/server/deadbeef/start')).toHaveLength(1)
  expect(await screen.findByText('Online')).toBeDefined()
  const later = '2026-11-20T21:00:00Z'
  reportStatus('offline', { since: later, sleeping: { since: later, isFrozen: false, cpu: 30, memory: 1024 ** 3 } })
  expect(screen.getByText(/saves about 30% of a CPU core and 1.* GiB of memory/)).toBeDefined()
})

test('the alert of a crash opens the console, and stays closed until the next crash', async () => {
  onTestFinished(() => sessionStorage.clear())
  const { waitUntilLive, user, reportStatus } = await openServerPage({ path: '/server/deadbeef?tab=files' })
  await waitUntilLive()
  const crash = { reason: 'crashed', code: 3, signal: null } as const
  reportStatus('offline', { lastExit: { at: '2026-11-20T20:00:00Z', ...crash } })

  const alert = within(await screen.findByRole('alert'))
  await user.click(alert.getByRole('button', { name: 'Open console' }))
  expect(await screen.findByRole('tab', { name: 'Console', selected: true })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Open console' })).toBeNull()
  await user.click(within(await screen.findByRole('alert')).getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('alert')).toBeNull()

  reportStatus('offline', { lastExit: { at: '2026-11-20T21:00:00Z', ...crash } })
  expect(await screen.findByRole('alert')).toBeDefined()
})

test('during an install, Cancel install replaces Stop and Kill', async () => {
  const { waitUntilLive, user, reportStatus, requestsTo } = await openServerPage({ state: 'offline' })
  await waitUntilLive()

  reportStatus('installing')
  const labels = (await screen.findAllByRole('button')).map((one) => one.textContent)
  await user.click(await button('Cancel installation'))

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

test('a restart with a countdown is started from the menu, shown to everyone, and can be canceled', async () => {
  const permissions = { startServer: true, messagePlayers: true }
  const { waitUntilLive, user, requestsTo, reportStatus, refuse, clearRefusal } = await openServerPage({
    permissions,
    playerActions: ['broadcast'],
  })
  const endpoint = 'POST /proxy/daemon/server/deadbeef/countdown'
  await waitUntilLive()

  await user.click(await button('More ways to restart'))
  await user.click(await screen.findByRole('menuitem', { name: 'Restart with a countdown…' }))
  const dialog = within(await screen.findByRole('dialog'))
  const minutes = await dialog.findByRole('textbox', { name: 'Minutes before the restart' })
  await user.clear(minutes)
  await user.type(minutes, 'soon{Enter}')
  await dialog.findByText(/^Enter up to 20 whole numbers/)
  const withoutNumbers = requestsTo(endpoint)
  refuse(endpoint, 'ErrFieldCharacters', 400, { field: 'message', characters: ';' })
  await user.clear(minutes)
  await user.type(minutes, '1, 15{Enter}')
  await dialog.findByText(/contain/)
  clearRefusal(endpoint)
  await user.type(minutes, '{Enter}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  reportStatus('online', { restartAt: new Date(Date.now() + 14.5 * 60_000).toISOString() })
  await screen.findByText('The server restarts in 14 min.')
  await user.click(await button('Cancel the restart'))

  expect(withoutNumbers).toHaveLength(0)
  expect(requestsTo(endpoint).at(-1)?.body).toEqual({
    minutes: [15, 1],
    message: 'The server restarts in {minutes} min',
  })
  await waitFor(() => expect(requestsTo('DELETE /proxy/daemon/server/deadbeef/countdown')).toHaveLength(1))
  expect(screen.queryByRole('button', { name: 'More ways to restart' })).toBeNull()
})
