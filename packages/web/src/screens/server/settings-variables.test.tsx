import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openServerPage } from './testing/fake-panel.tsx'

const button = (name: string | RegExp) => screen.findByRole('button', { name })

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

test('numbers, switches and texts keep the limits and forms of the template', async () => {
  const { waitUntilLive, user, requestsTo } = await openServerPage({
    path: '/server/deadbeef?tab=settings',
    variables: {
      rate: { type: 'number', value: '1', min: 0.1, max: 64, display: 'Rate', userEdit: true },
      query: { type: 'boolean', value: '1', trueValue: '1', falseValue: '0', display: 'Query', userEdit: true },
      jar: { value: 'a.jar', pattern: '\\.jar$', display: 'Jar', userEdit: true },
    },
  })
  await waitUntilLive()
  const [rate, jar] = [
    await screen.findByRole('textbox', { name: 'Rate' }),
    screen.getByRole('textbox', { name: 'Jar' }),
  ]

  await user.clear(rate)
  await user.type(rate, '0')
  await user.type(jar, 'x')
  await user.tab()
  const errors = [await screen.findByText('Rate must be between 0.1 and 64'), screen.getByText(/Jar must match/)]
  await user.type(rate, '.5')
  await user.type(jar, '{Backspace}')
  await user.click(screen.getByRole('switch', { name: 'Query' }))
  await user.click(await button(/^Save/))

  expect(errors).toHaveLength(2)
  await waitFor(() =>
    expect(requestsTo('POST /proxy/daemon/server/deadbeef/data').map(({ body }) => body)).toEqual([
      { data: { rate: { value: '0.5' }, query: { value: '0' } } },
    ]),
  )
})

test.for([
  ['read-only for users', [], true],
  ['changed by administrators', ['servers.admin'], false],
] as const)('a variable that users may only see is %s', async ([, scopes, isReadOnly]) => {
  const variables = { slots: { value: '8', display: 'Slots', userView: true } }
  const { waitUntilLive } = await openServerPage({ path: '/server/deadbeef?tab=settings', variables, scopes })
  await waitUntilLive()

  expect((await screen.findByRole<HTMLInputElement>('textbox', { name: 'Slots' })).readOnly).toBe(isReadOnly)
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
  expect(screen.getByText(/3 settings$/)).toBeDefined()
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

  expect(await screen.findByText('This server has no editable settings.')).toBeDefined()
})
