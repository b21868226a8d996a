import { endpoint } from '@innkeeper/contract/api/endpoint'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { listNodes } from '@innkeeper/contract/nodes/nodes'
import { renameServer } from '@innkeeper/contract/servers/servers'
import { describe, expectTypeOf, test } from 'vitest'
import { z } from 'zod/mini'
import type {
  AuthorizedServer,
  Principal,
  PrincipalWithScope,
  RecentLogin,
  Server,
  UserPrincipal,
} from '../access/principal.ts'
import type { NodeClient } from '../nodes/client/node-client.ts'
import type { AccessProof, RegisterRoute, RouteContext } from './route-context.ts'

const registerRoute: RegisterRoute = () => {}

// The compiler checks this file; at run time these tests do nothing.
describe('authorization proves', () => {
  test('nothing for a public endpoint, and a node or a principal otherwise', () => {
    expectTypeOf<AccessProof<'public'>>().toBeUnknown()
    expectTypeOf<AccessProof<'node'>>().toEqualTypeOf<{ readonly nodeId: number }>()
    expectTypeOf<AccessProof<'session'>['principal']>().toEqualTypeOf<Principal>()
    expectTypeOf<AccessProof<'session'>>().not.toHaveProperty('server')
    expectTypeOf<AccessProof<'session'>>().not.toHaveProperty('recentLogin')
  })

  test('a user who is no OAuth2 client, and a recent login, only where the rule requires them', () => {
    expectTypeOf<AccessProof<'user'>['principal']>().toEqualTypeOf<UserPrincipal>()
    expectTypeOf<AccessProof<'user'>>().not.toHaveProperty('recentLogin')
    expectTypeOf<AccessProof<'recentUser'>['recentLogin']>().toEqualTypeOf<RecentLogin>()
    type Both = AccessProof<{ readonly scope: 'users.edit'; readonly by: 'recentUser' }>
    expectTypeOf<Both['principal']>().toExtend<UserPrincipal & PrincipalWithScope<'users.edit'>>()
    expectTypeOf<Both['recentLogin']>().toEqualTypeOf<RecentLogin>()
  })

  test('the scope of the rule and no other', () => {
    type Proven = AccessProof<{ readonly scope: 'panel.settings' }>['principal']
    expectTypeOf<Proven>().toExtend<PrincipalWithScope<'panel.settings'>>()
    expectTypeOf<Proven>().not.toExtend<PrincipalWithScope<'users.edit'>>()
    expectTypeOf<Principal>().not.toExtend<PrincipalWithScope<'panel.settings'>>()
  })

  test('the permission of the rule on the server and no other', () => {
    type Proven = AccessProof<{ readonly onServer: 'viewServer' }>['server']
    expectTypeOf<Proven>().toEqualTypeOf<AuthorizedServer<'viewServer'>>()
    expectTypeOf<Proven>().not.toExtend<AuthorizedServer<'deleteServer'>>()
    expectTypeOf<Server>().not.toExtend<AuthorizedServer<'viewServer'>>()
  })

  test('nothing that a handler could have, for an endpoint that nodes serve to the panel', () => {
    expectTypeOf<AccessProof<'panel'>>().toBeNever()
  })
})

describe('a handler', () => {
  test('gets the validated parts that its endpoint declares', () => {
    const count = z.object({ count: z.coerce.number() })
    type Context = RouteContext<undefined, typeof count, undefined, 'public'>
    expectTypeOf<Context['query']>().toEqualTypeOf<{ count: number }>()
    expectTypeOf<Context['params']>().toBeUndefined()
    expectTypeOf<Context['body']>().toBeUndefined()
    expectTypeOf<Context>().not.toHaveProperty('principal')
  })

  test('gets the server that the rule of its endpoint proves', () => {
    registerRoute(renameServer, (context) => {
      expectTypeOf(context.server).toEqualTypeOf<AuthorizedServer<'editServerData'>>()
      expectTypeOf(context.params).toEqualTypeOf<{ id: string; name: string }>()
    })
  })

  test('must return what the response schema takes', () => {
    const counted = endpoint('GET', '/count', { access: 'public', response: z.object({ n: z.number() }) })
    registerRoute(counted, () => ({ n: 1 }))
    // @ts-expect-error: the response has no `n`
    registerRoute(counted, () => ({}))
  })
})

test('the panel calls only endpoints of nodes, with all parts that they declare', () => {
  const calls = (client: NodeClient) => [
    client.call(panelEndpoints.deleteServer, { params: { id: '0a0a0a0a' } }),
    // @ts-expect-error: the parameter is missing
    client.call(panelEndpoints.deleteServer, {}),
    // @ts-expect-error: a scope of the panel says nothing to a node
    client.call(listNodes, {}),
  ]
  expectTypeOf(calls).toBeFunction()
})
