import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openServerPage } from './testing/fake-panel.tsx'
// Preloaded: the page loads them when they are first opened.
import '../../features/server-admin/admin-panel.tsx'
import '../../features/server-admin/server-definition-editor.tsx'

const button = (name: string | RegExp) => screen.findByRole('button', { name })

const admin = { scopes: ['servers.admin'], path: '/server/deadbeef?tab=admin' }

test('a switch saves the definition with its version and reloads it', async () => {
  const { waitUntilLive, user, requestsTo } = await openServerPage(admin)
  await waitUntilLive()
  const toggle = await screen.findByRole('switch', { name: 'Restart after a crash' })
  await waitFor(() => expect((toggle as HTMLInputElement).disabled).toBe(false))

  await user.click(toggle)

  await waitFor(() => expect(requestsTo('POST /proxy/daemon/server/deadbeef/reload')).toHaveLength(1))
  const [written] = requestsTo('POST /proxy/daemon/server/deadbeef')
  expect(written?.body).toMatchObject({ kept: 7, run: { command: 'run it', autostart: true, autorecover: true } })
  expect(written?.headers.get('if-match')).toBe('"1"')
})

test('the switches are shown when the definition is loaded, and disabled while it is saved and reloaded', async () => {
  const { waitUntilLive, user, holdRequest } = await openServerPage({ scopes: ['servers.admin'] })
  await waitUntilLive()
  const areDisabled = () => screen.getAllByRole<HTMLInputElement>('switch').map(({ disabled }) => disabled)
  const [all, none] = [
    [true, true, true, true],
    // The definition does not say how to find out whether the server responds.
    [false, false, false, true],
  ]

  const read = holdRequest('GET /proxy/daemon/server/deadbeef')
  await user.click(screen.getByRole('tab', { name: 'Admin' }))
  await screen.findAllByRole('status', { name: 'Loading' })
  const whileRead = screen.queryAllByRole('switch')
  read()
  const recover = await screen.findByRole<HTMLInputElement>('switch', { name: 'Restart after a crash' })
  const afterRead = areDisabled()
  const reload = holdRequest('POST /proxy/daemon/server/deadbeef/reload')
  await user.click(recover)
  const whileLoaded = areDisabled()
  const isShown = recover.checked
  reload()

  expect(whileRead).toEqual([])
  expect(afterRead).toEqual(none)
  expect(whileLoaded).toEqual(all)
  expect(isShown).toBe(true)
  await waitFor(() => expect(areDisabled()).toEqual(none))
})

test('a server whose game is not asked cannot sleep, and its settings say why', async () => {
  const { waitUntilLive } = await openServerPage(admin)
  await waitUntilLive()
  const select = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Sleep when nobody plays' })

  expect(select.disabled).toBe(true)
  expect(screen.getByText(/Needs the field query in the definition/)).toBeDefined()
})

test('the time after which a server sleeps is saved at once, and removed with Never', async () => {
  const { waitUntilLive, user, requestsTo, server } = await openServerPage(admin)
  Object.assign(server.definition, { query: { type: 'openttd', port: 3979 } })
  await waitUntilLive()
  const getSelect = () => screen.findByRole<HTMLSelectElement>('combobox', { name: 'Sleep when nobody plays' })
  await waitFor(async () => expect((await getSelect()).disabled).toBe(false))

  await user.selectOptions(await getSelect(), '30 min')
  await waitFor(() => expect(requestsTo('POST /proxy/daemon/server/deadbeef/reload')).toHaveLength(1))

  expect(requestsTo('POST /proxy/daemon/server/deadbeef')[0]?.body).toMatchObject({ run: { sleepAfterMinutes: 30 } })
})

test('the switches stay when the definition could not be refreshed, which is marked', async () => {
  const { waitUntilLive, user, requestsTo, refuse, holdRequest } = await openServerPage(admin)
  await waitUntilLive()
  const getSwitch = () => screen.findByRole<HTMLInputElement>('switch', { name: 'Restart after a crash' })
  await waitFor(async () => expect((await getSwitch()).disabled).toBe(false))
  const reload = holdRequest('POST /proxy/daemon/server/deadbeef/reload')
  await user.click(await getSwitch())
  await waitFor(() => expect(requestsTo('POST /proxy/daemon/server/deadbeef')).toHaveLength(1))
  refuse('GET /proxy/daemon/server/deadbeef', 'ErrUnknownError', 500)

  reload()

  expect(await screen.findByText(/^Could not refresh/)).toBeDefined()
  expect(await getSwitch()).toBeDefined()
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
  await user.click(within(notice).getByRole('button', { name: 'Keep yours' }))
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

  // The first one to render the editor, which takes seconds on a busy machine.
  await screen.findByRole('dialog', { name: /lobby/ }, { timeout: 30_000 })
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

test('the dialog that deletes a server leads to its files', async () => {
  const { waitUntilLive, user } = await openServerPage(admin)
  await waitUntilLive()
  await user.click(await button('Delete'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete lobby?' }))

  await user.click(dialog.getByRole('button', { name: 'Open files' }))

  expect((await screen.findByRole('tab', { name: 'Files' })).getAttribute('aria-selected')).toBe('true')
})

test('the dialog that deletes a server does not offer its files to a user who may not see them', async () => {
  const { waitUntilLive, user } = await openServerPage({
    permissions: { deleteServer: true, viewServerStats: true },
    path: '/server/deadbeef?tab=admin',
  })
  await waitUntilLive()

  await user.click(await button('Delete'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete lobby?' }))

  expect(dialog.queryByRole('button', { name: 'Open files' })).toBeNull()
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
