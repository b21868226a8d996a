import { Template } from '@innkeeper/contract/definitions/definition'
import { expect, test } from 'vitest'
import { emptyDraft, type ServerDraft } from './draft.ts'
import { canSuggestPort, nextFreePort, setPortAddress, withoutUserPorts } from './port-suggestion.ts'

const templateWith = (port: string | number) =>
  Template.parse({ name: 'x', type: 'x', run: {}, data: { ip: { value: '0.0.0.0' }, port: { value: port } } })
const template = templateWith(25_565)
const address = { address: '10.0.0.7', port: 7000 }
const withValues = (values: ServerDraft['values']): ServerDraft => ({ ...emptyDraft, values })

test.each([
  ['nothing was entered', emptyDraft, template, true],
  ['a port was entered', withValues({ port: '1' }), template, false],
  ['an address was entered', withValues({ ip: '10.0.0.1' }), template, false],
  ['the template has no port', emptyDraft, Template.parse({ name: 'x', type: 'x', run: {}, data: {} }), false],
  ['the default port of the template is 0', emptyDraft, templateWith(0), false],
  ['one was suggested for this node', setPortAddress(emptyDraft, template, 0, address), template, false],
  ['one was suggested for another node', setPortAddress(emptyDraft, template, 3, address), template, true],
] as const)('when %s, whether a port is suggested: %#', (_, draft, from, expected) => {
  expect(canSuggestPort(draft, from, 0)).toBe(expected)
})

test('a suggestion for another node that was edited stays', () => {
  const draft = setPortAddress(emptyDraft, template, 3, address)

  expect(canSuggestPort({ ...draft, values: { ...draft.values, port: '1' } }, template, 0)).toBe(false)
})

test('the port keeps the type that it has in the template', () => {
  expect(setPortAddress(emptyDraft, template, 0, address).values).toEqual({ ip: '10.0.0.7', port: 7000 })
  expect(setPortAddress(emptyDraft, templateWith('1'), 0, address).values.port).toBe('7000')
})

test('the first free port follows the last', () => {
  const free = [address, { ...address, port: 7001 }]
  const after = (port: number) => nextFreePort(free, { ip: '', port })?.port

  expect([after(1), after(7000), after(7001)]).toEqual([7000, 7001, 7000])
  expect(nextFreePort([], { ip: '', port: 1 })).toBeUndefined()
})

test('further ports get the free ones that follow, unless the user has set them', () => {
  const egg = Template.parse({
    name: 'x',
    type: 'x',
    run: {},
    data: {
      ip: { value: '0.0.0.0' },
      port: { type: 'integer', value: 2456 },
      QUERY_PORT: { value: '2457', userEdit: true },
      RCON_PORT: { type: 'integer', value: 2458 },
      OLD_PORT: { value: '0' },
      SECRET_PORT: { value: '2459', internal: true },
    },
  })
  const free = [7000, 7001, 7002, 7003].map((port) => ({ address: '10.0.0.7', port }))
  const elsewhere = { address: '10.0.0.8', port: 7005 }
  const [first = elsewhere, second = elsewhere] = free
  const suggested = setPortAddress(emptyDraft, egg, 0, first, [elsewhere, ...free])

  const ofUser = { ...suggested, values: { ...suggested.values, QUERY_PORT: '7001' } }
  const edited = { ...suggested, values: { ...suggested.values, QUERY_PORT: '7002' } }
  const moved = setPortAddress(suggested, egg, 0, second, free)
  const kept = setPortAddress(edited, egg, 0, second, free)

  expect(suggested.values).toEqual({ ip: '10.0.0.7', port: 7000, QUERY_PORT: '7001', RCON_PORT: 7002 })
  expect(moved.values).toEqual({ ip: '10.0.0.7', port: 7001, QUERY_PORT: '7002', RCON_PORT: 7003 })
  expect(kept.values).toEqual({ ip: '10.0.0.7', port: 7001, QUERY_PORT: '7002', RCON_PORT: 7003 })
  expect(withoutUserPorts(free, edited, egg).map(({ port }) => port)).toEqual([7000, 7001, 7003])
  expect(withoutUserPorts(free, ofUser, egg)).toEqual(free)
})

test('a further port keeps its value when no free one is left', () => {
  const egg = Template.parse({
    name: 'x',
    type: 'x',
    run: {},
    data: { port: { value: '1' }, QUERY_PORT: { value: '2457' } },
  })

  expect(setPortAddress(emptyDraft, egg, 0, address, [address]).values).toEqual({ port: '7000' })
})
