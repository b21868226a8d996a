import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod/mini'
import { killServer, startServer, WaitQuery } from '../servers/node-servers.ts'
import { renameServer } from '../servers/servers.ts'
import { getAddress } from '../text/address.ts'
import { endpoint, getPanelUrl, getUrl, parseVersion, type RequestOf, type ResponseOf } from './endpoint.ts'
import { hasScope, requiredPermissions, scopeOfPermission } from './permissions.ts'

test('a URL has escaped parameters and omits missing ones', () => {
  expect(getUrl(renameServer, { params: { id: '1a2b3c4d', name: 'My inn' } })).toBe(
    '/api/servers/1a2b3c4d/name/My%20inn',
  )
  expect(getPanelUrl(startServer, { params: { id: 'x' }, query: { wait: 'true' } })).toBe(
    '/proxy/daemon/server/x/start?wait=true',
  )
  expect(getPanelUrl(killServer, { params: { id: 'x' }, query: { wait: undefined } })).toBe(
    '/proxy/daemon/server/x/kill',
  )
})

test.each([
  [{ wait: 'true' }, true],
  [{ wait: '' }, true],
  [{ wait: 'false' }, false],
  [{}, false],
])('%j waits: %s', (query, waits) => {
  expect(WaitQuery.parse(query).wait).toBe(waits)
})

test('an administrator has every scope, other users the granted ones', () => {
  expect(hasScope(['servers.admin'], 'panel.settings')).toBe(true)
  expect(hasScope(['servers.view'], 'servers.view')).toBe(true)
  expect(hasScope(['servers.view'], 'users.edit')).toBe(false)
})

test('every server permission has its own scope in the API', () => {
  expect(new Set(requiredPermissions.map((permission) => scopeOfPermission[permission])).size).toBe(
    requiredPermissions.length,
  )
})

test('the address of a server is its own IP, or the host of its node', () => {
  const node = { id: 0, name: 'n', publicHost: 'play.test', publicPort: 1, sftpPort: 2, isLocal: true }

  expect(getAddress({ ip: '203.0.113.7', port: 25565, node })).toBe('203.0.113.7:25565')
  expect(getAddress({ ip: '0.0.0.0', port: 25565, node })).toBe('play.test:25565')
  expect(getAddress({ ip: '', port: 0, node })).toBe('play.test')
  expect(getAddress({ ip: '::', port: 7, node })).toBe('play.test:7')
  expect(getAddress({ ip: '2001:db8::7', port: 7, node })).toBe('[2001:db8::7]:7')
  expect(getAddress({ ip: '', port: 7, node: { ...node, publicHost: '2001:db8::1' } })).toBe('[2001:db8::1]:7')
})

// The compiler checks these; at run time they do nothing.
describe('the types of a call', () => {
  test('have the parts that the endpoint declares, and no others', () => {
    expectTypeOf<RequestOf<typeof renameServer>['params']>().toEqualTypeOf<{ id: string; name: string }>()
    expectTypeOf<RequestOf<typeof renameServer>>().not.toHaveProperty('query')
    expectTypeOf<RequestOf<typeof renameServer>>().not.toHaveProperty('body')
    // @ts-expect-error: `name` is missing
    urlIn<typeof renameServer>({ params: { id: '1a2b3c4d' } })
  })

  test('have what a client sends, and the response after its validation', () => {
    const count = endpoint('GET', '/count', {
      access: 'public',
      query: z.object({ from: z.pipe(z.string(), z.transform(Number)) }),
      response: z.object({ n: z.number() }),
    })
    expectTypeOf<RequestOf<typeof count>['query']>().toEqualTypeOf<{ from: string }>()
    expectTypeOf<ResponseOf<typeof count>>().toEqualTypeOf<{ n: number }>()
    expectTypeOf<ResponseOf<typeof renameServer>>().toBeUndefined()
  })

  test('require a decision on the audit log for what changes something', () => {
    endpoint('PUT', '/x', { access: 'session', audit: false })
    // @ts-expect-error: `audit` is missing
    endpoint('PUT', '/x', { access: 'session' })
  })
})

function urlIn<C extends typeof renameServer>(_request: RequestOf<C>): void {}

test.each([
  ['"7"', '7'],
  ['W/"7"', '7'],
  ['7', '7'],
  ['*', undefined],
  [undefined, undefined],
])('the version in %j is %j', (header, version) => {
  expect(parseVersion(header)).toBe(version)
})
