import { closeCodes } from '@innkeeper/contract/live'
import type { ServerPermissions } from '@innkeeper/contract/permissions'
import { notifications } from '@mantine/notifications'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { holdAPhone } from '../../testing/open-part.tsx'
import { openServerPage } from './testing/fake-panel.tsx'
// Loaded when it is first opened; here it is there already.
import '../../features/server-admin/definition-editor.tsx'

afterEach(() => {
  // They outlive the page that showed them.
  notifications.clean()
  vi.unstubAllGlobals()
})

const button = (name: string | RegExp) => screen.findByRole('button', { name })

test('a server shows its name, its state and where players find it', async () => {
  const { live } = await openServerPage()

  await live()

  expect(screen.getByRole('heading', { name: 'lobby' })).toBeDefined()
  expect(screen.getByText('Online')).toBeDefined()
  expect(screen.getByText(/^since /)).toBeDefined()
  expect(screen.getByText('play.example:25565')).toBeDefined()
  expect(screen.getByText('Frankfurt 1')).toBeDefined()
})

test('a server that does not exist leads to the page that says so', async () => {
  await openServerPage({ path: '/server/00000000' })

  expect(await screen.findByText('No such page')).toBeDefined()
})

test('a double click on Restart asks once, and the state says so until the node does', async () => {
  const { live, user, sent, reports } = await openServerPage()
  await live()

  await user.dblClick(await button('Restart'))
  const shown = screen.getByText('Restarting')
  await waitFor(() => expect(sent('POST /proxy/daemon/server/deadbeef/restart')).toHaveLength(1))
  reports('stopping')
  const whileStopping = screen.getByText('Restarting')
  reports('online')

  expect(shown).toBeDefined()
  expect(whileStopping).toBeDefined()
  expect(screen.getByText('Online')).toBeDefined()
  expect(sent('POST /proxy/daemon/server/deadbeef/restart')).toHaveLength(1)
})

test('a server that runs and is not ready yet is starting, and can be typed into, restarted, stopped and killed', async () => {
  const { live, user, sent, reports } = await openServerPage({ state: 'offline' })
  await live()
  reports('starting')
  const whileLaunching = (await button('Restart')).getAttribute('aria-disabled')

  reports('starting', { running: true })
  const controls = await Promise.all(['Restart', 'Stop', 'Kill', 'Install'].map(button))
  const command = screen.getByRole('textbox', { name: 'Command' })

  expect(screen.getByText('Starting')).toBeDefined()
  expect(whileLaunching).toBe('true')
  expect(controls.map((control) => control.getAttribute('aria-disabled'))).toEqual([null, null, null, null])
  expect(command.hasAttribute('disabled')).toBe(false)
  await user.click(await button('Restart'))
  await waitFor(() => expect(sent('POST /proxy/daemon/server/deadbeef/restart')).toHaveLength(1))
  reports('online', { since: 'last' })
  expect(screen.getByText('Online')).toBeDefined()
})

test('a server that is down can be started, and says why it cannot be stopped', async () => {
  const { live, user, sent } = await openServerPage({ state: 'offline' })
  await live()

  const stop = await button('Stop')
  const isOff = stop.getAttribute('aria-disabled')
  await user.hover(stop)
  const why = await screen.findByRole('tooltip')
  await user.click(stop)
  await user.click(await button('Start'))

  await waitFor(() => expect(sent('POST /proxy/daemon/server/deadbeef/start')).toHaveLength(1))
  expect(isOff).toBe('true')
  expect(why.textContent).toBe('The server is not running')
  expect(sent('POST /proxy/daemon/server/deadbeef/stop')).toHaveLength(0)
})

test('a server that was killed for its memory says so, with the last that it said', async () => {
  const { live, prints, reports } = await openServerPage()
  await live()
  await prints('\u001b[31mfirst\u001b[0m\nlast words\n[DAEMON] Server was ended by signal SIGKILL\n')

  reports('offline', {
    lastExit: { at: '2026-11-20T20:00:00Z', reason: 'outOfMemory', code: null, signal: 'SIGKILL', gaveUpAfter: 4 },
  })

  const notice = await screen.findByRole('alert')
  expect(notice.textContent).toContain('because it used more than its limit')
  expect(notice.textContent).toContain('It crashed 4 times in a row and was not started again.')
  expect(within(notice).getByLabelText('The last that it said').textContent).toBe('first\nlast words')
})

test('a server that was stopped, or runs again, says nothing of an end', async () => {
  const { live, reports } = await openServerPage()
  await live()
  const lastExit = { at: '2026-11-20T20:00:00Z', code: 1, signal: null }

  reports('offline', { lastExit: { ...lastExit, reason: 'stopped' } })
  const afterStop = screen.queryByText(/^Crashed .*exit/)
  reports('waiting', { lastExit: { ...lastExit, reason: 'crashed' } })
  const whileWaiting = screen.getByText(/^Crashed .*exit code 1.*Restarting shortly/)
  reports('online', { lastExit: { ...lastExit, reason: 'crashed' } })

  expect(afterStop).toBeNull()
  expect(whileWaiting).toBeDefined()
  expect(screen.queryByText(/^Crashed .*exit/)).toBeNull()
})

test('a stop that takes long says that it never kills by itself, and offers to', async () => {
  const { live, user, reports, sent } = await openServerPage()
  await live()
  const words = /never killed without being asked/

  reports('stopping', { since: new Date(Date.now() - 5_000).toISOString() })
  const early = screen.queryByText(words)
  reports('stopping', { since: new Date(Date.now() - 60_000).toISOString() })
  const notice = await screen.findByText(words)
  await user.click(within(notice.parentElement as HTMLElement).getByRole('button', { name: 'Kill' }))

  expect(early).toBeNull()
  expect(await screen.findByText('Kill now? Unsaved progress in the game is lost.')).toBeDefined()
  expect(sent('POST /proxy/daemon/server/deadbeef/kill')).toHaveLength(0)
})

test('a stop is counted while it lasts, also that of a restart, which offers to kill as well', async () => {
  const { live, user, reports } = await openServerPage()
  await live()
  const shown = () => Number(/^Stopping for (\d+) s$/.exec(screen.getByText(/^Stopping for/).textContent)?.[1])
  const ago = (ms: number) => ({ since: new Date(Date.now() - ms).toISOString() })

  reports('stopping', ago(5_000))
  const first = shown()
  await waitFor(() => expect(shown()).toBeGreaterThan(first), { timeout: 10_000 })
  reports('online', ago(0))
  const whileOnline = screen.queryByText(/^Stopping for/)
  await user.click(await button('Restart'))
  reports('stopping', ago(60_000))

  expect(first).toBeGreaterThanOrEqual(5)
  expect(whileOnline).toBeNull()
  expect(screen.getByText('Restarting')).toBeDefined()
  expect(shown()).toBeGreaterThanOrEqual(60)
  expect(await screen.findByText(/never killed without being asked/)).toBeDefined()
})

test('a server that its node cannot tell of is unknown, says why, and can still be killed', async () => {
  const { live, reports } = await openServerPage()
  await live()

  reports('online', { isInDoubt: true })

  expect((await screen.findByRole('alert')).textContent).toContain('nobody can tell whether this server runs')
  expect(screen.getByText('Unknown')).toBeDefined()
  expect(screen.queryByText(/^since /)).toBeNull()
  expect((await button('Stop')).getAttribute('aria-disabled')).toBe('true')
  expect((await button('Kill')).getAttribute('aria-disabled')).toBeNull()
})

test('the keys r k ask before they kill', async () => {
  const { live, user, sent } = await openServerPage()
  await live()

  await user.keyboard('rk')
  // Without a layout the popover believes that its button cannot be seen, and hides with it.
  const question = await screen.findByText('Kill now? Unsaved progress in the game is lost.')
  const before = sent('POST /proxy/daemon/server/deadbeef/kill').length
  const popover = question.closest('[role="alertdialog"]') as HTMLElement
  fireEvent.click(within(popover).getByText('Kill'))

  expect(before).toBe(0)
  await waitFor(() => expect(sent('POST /proxy/daemon/server/deadbeef/kill')).toHaveLength(1))
})

test('install asks first and then shows the console', async () => {
  const { live, user, sent, router } = await openServerPage({
    state: 'offline',
    path: '/server/deadbeef?created=1&tab=stats',
  })
  await live()
  expect(screen.getByText('Created. Run Install to download the files.')).toBeDefined()

  await user.click((await screen.findAllByRole('button', { name: 'Install' }))[0] as HTMLElement)
  const dialog = await screen.findByRole('dialog', { name: 'Install this server?' })
  await user.click(within(dialog).getByRole('button', { name: 'Install' }))

  await waitFor(() => expect(sent('POST /proxy/daemon/server/deadbeef/install')).toHaveLength(1))
  await waitFor(() => expect(router.state.location.search).toBe('?tab=console'))
})

test('what a new server needs is not said any more once it runs or has run', async () => {
  const created = () => screen.queryByText('Created. Run Install to download the files.')
  const { live, reports, router } = await openServerPage({
    state: 'offline',
    path: '/server/deadbeef?created=1&tab=stats',
  })
  await live()
  const before = created()

  reports('online')
  await waitFor(() => expect(created()).toBeNull())
  expect(router.state.location.search).toBe('?tab=stats')
  reports('offline')

  expect(before).not.toBeNull()
  expect(created()).toBeNull()
})

test('a program that the node lacks is named in the page', async () => {
  const { live, user, refuse } = await openServerPage({ state: 'offline' })
  refuse('POST /proxy/daemon/server/deadbeef/start', 'ErrMissingBinary', 400, { expected: 'java' })
  await live()

  await user.click(await button('Start'))

  expect((await screen.findByRole('alert')).textContent).toContain('Missing binary: java')
  expect(screen.getByText('Offline')).toBeDefined()
})

test('a person sees the tabs they have rights for, and no control they may not use', async () => {
  const { live } = await openServerPage({ permissions: { viewServerStats: true, startServer: true } })
  await live()

  expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Stats', 'Admin'])
  expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Rename server' })).toBeNull()
  expect(await button('Restart')).toBeDefined()
})

test('the keys t i open the statistics, and the address says so', async () => {
  const { live, user, router } = await openServerPage()
  await live()

  await user.keyboard('ti')

  await waitFor(() => expect(router.state.location.search).toBe('?tab=stats'))
  expect(await screen.findByRole('img', { name: /^CPU\. Now/ })).toBeDefined()
})

test('statistics can be read as a table', async () => {
  const { live, user, socket } = await openServerPage({ path: '/server/deadbeef?tab=stats' })
  await live()
  socket().says({ type: 'stat', data: { cpu: 118.02, memory: 4_219.4 * 1024 ** 2 } })

  await user.click(await button('Show as table'))

  expect(await screen.findByRole('cell', { name: '118.02%' })).toBeDefined()
  expect(screen.getByRole('cell', { name: '4,219.40 MiB' })).toBeDefined()
})

test('a new name shows at once, and a taken one goes back and says so at the field', async () => {
  const { live, user, refuse, server } = await openServerPage()
  refuse('PUT /api/servers/deadbeef/name/taken', 'ErrDuplicateServerName', 409)
  await live()

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

test('output appears as it is printed, and what the daemon says is marked', async () => {
  const { live, prints } = await openServerPage()
  await live()

  await prints('[DAEMON] Server is online\r\n\x1b[31mhello\x1b[0m <b>you</b>\n')

  const log = within(screen.getByRole('log', { name: 'Console output' }))
  expect(log.getByText('DAEMON')).toBeDefined()
  expect(log.getByText('hello').style.color).toBe('var(--ik-ansi-red)')
  expect(log.getByText('<b>you</b>', { exact: false })).toBeDefined()
})

test('a command goes over the socket, is shown with who sent it, and comes back with the arrow key', async () => {
  const { live, user, socket, prints } = await openServerPage()
  await live()
  const field = await screen.findByRole('textbox', { name: 'Command' })

  await user.type(field, 'say hello{Enter}')
  await prints('[DAEMON] mara> say hello\n')
  await user.type(field, 'sa{ArrowUp}')
  const walked = (field as HTMLInputElement).value
  await user.type(field, '{ArrowDown}')

  expect(socket().sentOf('console')).toEqual([{ type: 'console', command: 'say hello' }])
  expect(await within(screen.getByRole('log')).findByText('say hello')).toBeDefined()
  expect(walked).toBe('say hello')
  expect((field as HTMLInputElement).value).toBe('sa')
})

test('a server that is down takes no commands and says what to do, also to those who come by keyboard', async () => {
  const { live, user } = await openServerPage({ state: 'offline' })
  await live()

  const field = await screen.findByPlaceholderText('Start the server to send commands')
  await user.keyboard('ci')
  const focused = document.activeElement
  await user.type(field, 'list')

  expect(focused).toBe(field)
  expect(field.getAttribute('aria-disabled')).toBe('true')
  expect((field as HTMLInputElement).value).toBe('')
})

test('a person who may not send commands only looks', async () => {
  const { live } = await openServerPage({ permissions: { viewServerConsole: true } })
  await live()

  expect(screen.getByText('View only')).toBeDefined()
  expect(screen.queryByRole('textbox', { name: 'Command' })).toBeNull()
})

test('a paused console stands still and counts what it did not show', async () => {
  const { live, user, prints } = await openServerPage()
  await live()
  await prints('before\n')

  await user.keyboard('cp')
  await prints('one\ntwo\n')
  const resume = await screen.findByRole('button', { name: 'Resume, 2 new lines' })
  const whilePaused = screen.queryByText('two')
  await user.click(resume)

  expect(whilePaused).toBeNull()
  expect(await screen.findByText('two')).toBeDefined()
})

test('Ctrl+F in the console goes to the newest match while typing, and Enter steps back', async () => {
  const { live, user, prints } = await openServerPage()
  await live()
  await prints('Ardwen joined\nnobody\nardwen left\n')

  screen.getByRole('log').focus()
  await user.keyboard('{Control>}f{/Control}')
  await user.keyboard('ardwen')
  const newest = await screen.findByText('2 of 2')
  await user.keyboard('{Enter}')

  expect(newest).toBeDefined()
  expect(await screen.findByText('1 of 2')).toBeDefined()
})

test('access that was taken away ends the page, without another try', async () => {
  const { live, socket } = await openServerPage()
  await live()

  socket().falls(closeCodes.revoked)

  expect((await screen.findByRole('alert')).textContent).toContain('Your access to this server ended')
})

test('a right that is taken away takes what it was for, and the console goes on with the others', async () => {
  const permissions = { viewServerConsole: true, sendServerConsole: true, startServer: true }
  const { live, socket } = await openServerPage({ permissions })
  await live()
  await screen.findByRole('textbox', { name: 'Command' })

  permissions.sendServerConsole = false
  const before = socket()
  socket().falls(closeCodes.revoked)
  await waitFor(() => expect(socket()).not.toBe(before))
  await live()

  expect(screen.queryByRole('textbox', { name: 'Command' })).toBeNull()
  expect(screen.queryByRole('alert')).toBeNull()
  expect(screen.getByText('Online')).toBeDefined()
})

test('a right that is given while somebody watches is there without a reload', async () => {
  const permissions: ServerPermissions = { viewServerConsole: true }
  const { live, socket } = await openServerPage({ permissions })
  await live()
  const before = socket()

  permissions.sendServerConsole = true

  await screen.findByRole('textbox', { name: 'Command' })
  await waitFor(() => expect(socket()).not.toBe(before))
})

test('a connection that is given up says so, and Reconnect opens another', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] })
  const { live, socket, user } = await openServerPage()
  await live()

  for (let tries = 0; tries <= 5; tries++) {
    socket().falls()
    await vi.advanceTimersByTimeAsync(3_000)
  }
  vi.useRealTimers()
  const reconnect = await button('Reconnect')
  const polling = screen.getByText('Polling')
  const given = socket()
  await user.click(reconnect)

  expect(polling).toBeDefined()
  expect(socket()).not.toBe(given)
})

const port = { type: 'integer', value: '25565', display: 'Port', required: true, userEdit: true }
const motd = { value: 'Hello', display: 'Message', userEdit: true }

test('a variable that does not fit says so at its field, and what fits is saved', async () => {
  const { live, user, sent } = await openServerPage({
    path: '/server/deadbeef?tab=settings',
    variables: { port, motd },
  })
  await live()
  const field = await screen.findByRole('textbox', { name: /Port/ })

  await user.clear(field)
  await user.type(field, 'abc')
  await user.tab()
  const objection = await screen.findByText('Port must be a whole number')
  await user.clear(field)
  await user.type(field, '25566')
  const changes = screen.getByText('1 unsaved change. It applies at the next start.')
  await user.click(await button(/^Save/))

  expect(objection).toBeDefined()
  expect(changes).toBeDefined()
  await waitFor(() =>
    expect(sent('POST /proxy/daemon/server/deadbeef/data').map(({ body }) => body)).toEqual([
      { data: { port: { value: '25566' } } },
    ]),
  )
  expect(await screen.findByText('Saved')).toBeDefined()
})

test('a variable of several lines is edited as such, and what the node does not take says so at its field', async () => {
  const rules = { value: 'be kind', display: 'Rules', multiline: true, userEdit: true }
  const { live, user, sent, refuse } = await openServerPage({
    path: '/server/deadbeef?tab=settings',
    variables: { rules, motd },
  })
  await live()

  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Rules' })
  await user.type(field, '{Enter}be fair')
  expect(screen.getByRole('textbox', { name: 'Message' }).tagName).toBe('INPUT')
  refuse('POST /proxy/daemon/server/deadbeef/data', 'ErrFieldLikeOption', 400, { field: 'rules' })
  await user.click(await button(/^Save/))

  expect(sent('POST /proxy/daemon/server/deadbeef/data').map(({ body }) => body)).toEqual([
    { data: { rules: { value: 'be kind\nbe fair' } } },
  ])
  expect(await screen.findByText('Rules must not begin with - or +')).toBeDefined()
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

test('settings stand under the headings of their groups, the others before them', async () => {
  const { live } = await openServerPage(grouped)
  await live()

  const shown = await screen.findByRole('region', { name: 'Backups' })
  expect(within(shown).getByText('night').tagName).toBe('STRONG')
  expect(within(shown).getByRole('textbox', { name: /Interval/ })).toBeDefined()
  expect(within(screen.getByRole('region', { name: 'Network' })).getByRole('textbox', { name: /Port/ })).toBeDefined()
  const fields = screen.getAllByRole('textbox').map((field) => field.dataset.path)
  expect(fields).toEqual(['motd', 'port', 'interval'])
})

test('a group is folded away while its condition does not hold, and what was typed in it is saved', async () => {
  const { live, user, sent } = await openServerPage(grouped)
  await live()
  const backUp = await screen.findByRole('switch', { name: 'Back up' })
  const interval = await screen.findByRole('textbox', { name: /Interval/ })
  await user.clear(interval)
  await user.type(interval, '90')

  await user.click(backUp)
  expect(screen.queryByRole('region', { name: 'Backups' })).toBeNull()
  expect(screen.getByText('3 variables')).toBeDefined()
  await user.click(await button(/^Save/))

  await waitFor(() =>
    expect(sent('POST /proxy/daemon/server/deadbeef/data').map(({ body }) => body)).toEqual([
      { data: { backup: { value: 'false' }, interval: { value: '90' } } },
    ]),
  )
})

test('a group comes back where something in it has to be put right', async () => {
  const { live, user, sent } = await openServerPage(grouped)
  await live()
  const interval = await screen.findByRole('textbox', { name: /Interval/ })
  await user.clear(interval)
  await user.click(screen.getByRole('textbox', { name: /Message/ }))
  expect(screen.getByText('Interval is required')).toBeDefined()

  await user.keyboard('{Control>}a{/Control}no')
  await user.click(await button(/^Save/))

  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: /Interval/ }))
  expect(sent('POST /proxy/daemon/server/deadbeef/data')).toEqual([])
})

test('settings that were typed are not left behind unasked', async () => {
  const { live, user, router } = await openServerPage(grouped)
  await live()
  await user.type(await screen.findByRole('textbox', { name: /Message/ }), '!')

  act(() => void router.navigate('/server'))
  const asking = await screen.findByRole('dialog', { name: 'Leave without saving?' })
  await user.click(within(asking).getByRole('button', { name: 'Cancel' }))

  expect(screen.getByRole<HTMLInputElement>('textbox', { name: /Message/ }).value).toBe('Hello!')
})

test('a server without variables says so', async () => {
  const { live } = await openServerPage({ path: '/server/deadbeef?tab=settings' })
  await live()

  expect(await screen.findByText('This server has no editable variables.')).toBeDefined()
})

const admin = { scopes: ['servers.admin'], path: '/server/deadbeef?tab=admin' }

test('a switch changes one flag of the whole definition, guarded by its version, and reloads it', async () => {
  const { live, user, sent } = await openServerPage(admin)
  await live()
  const toggle = await screen.findByRole('switch', { name: 'Recover after a crash' })
  await waitFor(() => expect((toggle as HTMLInputElement).disabled).toBe(false))

  await user.click(toggle)

  await waitFor(() => expect(sent('POST /proxy/daemon/server/deadbeef/reload')).toHaveLength(1))
  const [written] = sent('POST /proxy/daemon/server/deadbeef')
  expect(written?.body).toMatchObject({ kept: 7, run: { command: 'run it', autostart: true, autorecover: true } })
  expect(written?.headers.get('if-match')).toBe('"1"')
})

test('the switches can be used when the definition is there, and not while it is written and loaded again', async () => {
  const { live, user, hold } = await openServerPage({ scopes: ['servers.admin'] })
  await live()
  const areDisabled = () => screen.getAllByRole<HTMLInputElement>('switch').map(({ disabled }) => disabled)
  const [all, none] = [
    [true, true, true],
    [false, false, false],
  ]

  const read = hold('GET /proxy/daemon/server/deadbeef')
  await user.click(screen.getByRole('tab', { name: 'Admin' }))
  const recover = await screen.findByRole<HTMLInputElement>('switch', { name: 'Recover after a crash' })
  const whileRead = areDisabled()
  read()
  await waitFor(() => expect(areDisabled()).toEqual(none))
  const reload = hold('POST /proxy/daemon/server/deadbeef/reload')
  await user.click(recover)
  const whileLoaded = areDisabled()
  const isShown = recover.checked
  reload()

  expect(whileRead).toEqual(all)
  expect(whileLoaded).toEqual(all)
  expect(isShown).toBe(true)
  await waitFor(() => expect(areDisabled()).toEqual(none))
})

test('limits are part of the definition, guarded by its version', async () => {
  const { live, user, sent } = await openServerPage(admin)
  await live()
  const memory = await screen.findByRole('textbox', { name: 'Memory' })
  await waitFor(() => expect((memory as HTMLInputElement).disabled).toBe(false))

  await user.type(memory, '512')
  await user.click(await button('Save limits'))

  await waitFor(() => expect(sent('POST /proxy/daemon/server/deadbeef/reload')).toHaveLength(1))
  const [written] = sent('POST /proxy/daemon/server/deadbeef')
  expect(written?.body).toMatchObject({ kept: 7, environment: { limits: { memory: 512 } } })
  expect(written?.headers.get('if-match')).toBe('"1"')
})

/** The limits in the Admin tab, while somebody else saves other ones. */
async function openLimits() {
  const page = await openServerPage(admin)
  await page.live()
  const { server, sent } = page
  await screen.findByRole('textbox', { name: 'Memory' })
  return {
    ...page,
    limit: (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name }),
    savedByAnother: (limits: object) => {
      Object.assign(server.definition, { environment: { type: 'standard', limits } })
      server.version += 1
    },
    written: () =>
      sent('POST /proxy/daemon/server/deadbeef').map(({ body, headers }) => ({
        limits: (body as { environment: { limits: object } }).environment.limits,
        version: headers.get('if-match'),
      })),
  }
}

test('a limit that somebody else saved meanwhile stays when another one is saved', async () => {
  const { user, sent, limit, savedByAnother, written } = await openLimits()
  await user.type(limit('Memory'), '512')
  savedByAnother({ processes: 99 })

  await user.click(await button('Save limits'))

  await waitFor(() => expect(sent('POST /proxy/daemon/server/deadbeef/reload')).toHaveLength(1))
  expect(written()).toEqual([
    { limits: { memory: 512 }, version: '"1"' },
    { limits: { memory: 512, processes: 99 }, version: '"2"' },
  ])
  expect(limit('Processes and threads').value).toBe('99')
})

test('a limit that somebody else changed too is shown with both values before it is saved', async () => {
  const { user, limit, savedByAnother, written } = await openLimits()
  await user.type(limit('Memory'), '512')
  savedByAnother({ memory: 256 })

  await user.click(await button('Save limits'))

  const notice = await within(screen.getByRole('form', { name: 'Limits' })).findByRole('alert')
  expect(within(notice).getByText('512 MiB')).toBeDefined()
  expect(within(notice).getByText('256 MiB')).toBeDefined()
  expect(written()).toHaveLength(1)
  await user.click(within(notice).getByRole('button', { name: 'Keep yours' }))
  await user.click(await button('Save limits'))
  await waitFor(() => expect(written().at(-1)).toEqual({ limits: { memory: 512 }, version: '"2"' }))
})

test('a limit that is typed while another one is saved stays', async () => {
  const { user, hold, limit, written } = await openLimits()
  await user.type(limit('Memory'), '512')
  const end = hold('POST /proxy/daemon/server/deadbeef')
  await user.click(await button('Save limits'))
  await user.type(limit('Processes and threads'), '99')

  end()

  await waitFor(() => expect(screen.getByText('1 unsaved change')).toBeDefined())
  expect(limit('Processes and threads').value).toBe('99')
  expect(written()).toHaveLength(1)
})

test('what is typed right after Edit never reaches the shortcuts of the page, and Esc keeps the editor closed', async () => {
  const { live, user, sent, hold } = await openServerPage(admin)
  await live()
  const definition = 'GET /proxy/daemon/server/deadbeef'

  const first = hold(definition)
  await user.click(await button('Edit'))
  await user.keyboard('rr{Escape}')
  first()
  await waitFor(async () => expect((await button('Edit')).hasAttribute('data-loading')).toBe(false))
  const afterEscape = screen.queryByRole('dialog')
  const second = hold(definition)
  await user.click(await button('Edit'))
  await user.keyboard('rr')
  second()

  await screen.findByRole('dialog', { name: /lobby/ })
  expect(afterEscape).toBeNull()
  expect(sent('POST /proxy/daemon/server/deadbeef/restart')).toHaveLength(0)
})

test('an edited definition is written whole, and an outdated one asks what to do', async () => {
  const { live, user, sent, refuse } = await openServerPage(admin)
  await live()

  await user.click(await button('Edit'))
  const command = await screen.findByLabelText('Command', { selector: 'textarea' })
  await user.clear(command)
  await user.type(command, 'run that')
  refuse('POST /proxy/daemon/server/deadbeef', 'ErrStaleVersion', 412)
  await user.click(await button('Save'))

  expect(await screen.findByText(/changed by someone else meanwhile/)).toBeDefined()
  expect(await button('Overwrite')).toBeDefined()
  expect(sent('POST /proxy/daemon/server/deadbeef')[0]?.body).toMatchObject({ kept: 7, run: { command: 'run that' } })
})

test('closing an edited definition asks first', async () => {
  const { live, user } = await openServerPage(admin)
  await live()

  await user.click(await button('Edit'))
  await user.type(await screen.findByLabelText('Working directory'), 'world')
  await user.click(await button('Close'))

  expect(await screen.findByRole('dialog', { name: 'Save changes to the definition?' })).toBeDefined()
})

test('a server is deleted only when its name is typed, and then the list opens', async () => {
  const { live, user, sent } = await openServerPage(admin)
  await live()

  await user.click(await button('Delete'))
  const dialog = await screen.findByRole('dialog', { name: 'Delete lobby?' })
  const confirm = within(dialog).getByRole('button', { name: 'Delete server' })
  const field = within(dialog).getByRole('textbox')
  await user.type(field, 'lobb')
  const early = (confirm as HTMLButtonElement).disabled
  await user.type(field, 'y')
  await user.click(confirm)

  expect(early).toBe(true)
  await waitFor(() => expect(sent('DELETE /api/servers/deadbeef')).toHaveLength(1))
  expect(await screen.findByText('All servers')).toBeDefined()
})

test('a server whose node does not answer is deleted without it only after a second question', async () => {
  const { live, user, asked, refuse, accept } = await openServerPage(admin)
  await live()
  const removal = 'DELETE /api/servers/deadbeef'
  refuse(removal, 'ErrServiceNotAvailable', 502)
  await user.click(await button('Delete'))
  const first = within(await screen.findByRole('dialog', { name: 'Delete lobby?' }))
  await user.type(first.getByRole('textbox'), 'lobby')
  await user.click(first.getByRole('button', { name: 'Delete server' }))

  const second = within(await screen.findByRole('dialog', { name: /does not answer. Delete lobby anyway/ }))
  accept(removal)
  await user.type(second.getByRole('textbox'), 'lobby')
  await user.click(second.getByRole('button', { name: 'Delete without the node' }))

  await waitFor(() => {
    const queries = asked.filter(({ what }) => what === removal).map(({ query }) => query)
    expect(queries).toEqual(['', 'force=true'])
  })
  expect(await screen.findByText('All servers')).toBeDefined()
})

test('on a phone four tabs stand in the bar, and the others are behind More', async () => {
  onTestFinished(holdAPhone())
  const { live, user, router } = await openServerPage({ scopes: ['servers.admin'] })
  await live()

  expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Console', 'Stats', 'Files', 'Settings'])
  await user.click(await button('More'))
  await user.click(await screen.findByRole('menuitem', { name: 'Users' }))

  await waitFor(() => expect(router.state.location.search).toBe('?tab=users'))
  expect((await button('More')).getAttribute('aria-current')).toBe('true')
})

test('on a phone the usage of a server is shown once it was measured', async () => {
  onTestFinished(holdAPhone())
  const { live, socket } = await openServerPage()
  await live()

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

test('while the panel is down the page says so, and says nothing about the node', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const { live, socket, panelAnswers } = await openServerPage()
  await live()

  panelAnswers(false)
  await loseSocket(socket)

  expect(await screen.findByText(/^The panel has not answered since/)).toBeDefined()
  expect(screen.queryByText(/Frankfurt 1 has not answered/)).toBeNull()
})

test('a live connection that is given up is said in a warning once, whatever the language becomes', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const { live, socket, texts } = await openServerPage()
  await live()
  await loseSocket(socket)
  const toasts = () => [...document.querySelectorAll('.mantine-Notification-root')]
  await waitFor(() => expect(toasts()).toHaveLength(1))

  texts.addResourceBundle('de_DE', 'translation', {})
  await act(() => texts.changeLanguage('de_DE'))

  expect(toasts()).toHaveLength(1)
  expect(toasts()[0]?.className).toContain('warning')
})

test('a server that crashed says so in red, and its state is Crashed', async () => {
  const { live, reports } = await openServerPage()
  await live()

  reports('offline', { lastExit: { at: '2026-11-20T20:00:00Z', reason: 'crashed', code: 3, signal: null } })

  expect(screen.getByText('Crashed')).toBeDefined()
  expect((await screen.findByRole('alert')).className).toContain('error')
  expect((await button('Start')).getAttribute('aria-disabled')).toBeNull()
  expect((await button('Kill')).getAttribute('aria-disabled')).toBe('true')
})

test('while a server installs, one button cancels that in the place of Stop and Kill', async () => {
  const { live, user, reports, sent } = await openServerPage({ state: 'offline' })
  await live()

  reports('installing')
  const labels = (await screen.findAllByRole('button')).map((one) => one.textContent)
  await user.click(await button('Cancel install'))

  expect(labels).not.toContain('Stop')
  expect(labels).not.toContain('Kill')
  await waitFor(() => expect(sent('POST /proxy/daemon/server/deadbeef/kill')).toHaveLength(1))
})

test('a busy button keeps its words, and stays in reach of the keyboard', async () => {
  const { live, reports } = await openServerPage({ state: 'offline' })
  await live()

  reports('installing')

  const install = await button('Install')
  expect(install.textContent).toBe('Install')
  expect(install.getAttribute('aria-busy')).toBe('true')
  expect(install.hasAttribute('disabled')).toBe(false)
})

test('the statistics of a page that was just opened show what was measured before', async () => {
  const cpu = [20, 40]
  const past = { fromMs: Date.now() - 6_000, stepMs: 3_000, cpu, cpuPeak: cpu, memory: [1, 1], memoryPeak: [1, 1] }
  const { live } = await openServerPage({ path: '/server/deadbeef?tab=stats', past })
  await live()

  expect(await screen.findByRole('img', { name: 'CPU. Now 40.00%, Average 30.00%, Peak 40.00%' })).toBeDefined()
  expect(screen.queryByText('Polling')).toBeNull()
})

test('while a server installs nobody is told to start it', async () => {
  const { live } = await openServerPage({ state: 'installing' })
  await live()

  expect(await screen.findByPlaceholderText('Commands can be sent once the server runs')).toBeDefined()
})

test('the time of a line is written as the language writes times', async () => {
  const { live, prints } = await openServerPage()
  await live()
  await prints('hello\n')

  const time = (await screen.findByText('hello')).closest('[data-line]')?.querySelector('time')

  expect(time?.textContent).toMatch(/^\d{1,2}:\d{2}:\d{2}\s[AP]M$/)
})
