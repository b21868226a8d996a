import * as auth from '@innkeeper/contract/auth'
import { type Call, panelUrlOf } from '@innkeeper/contract/call'
import * as nodeServers from '@innkeeper/contract/node-servers'
import * as nodes from '@innkeeper/contract/nodes'
import * as panel from '@innkeeper/contract/panel'
import { scopeOfRight } from '@innkeeper/contract/permissions'
import * as servers from '@innkeeper/contract/servers'
import * as templates from '@innkeeper/contract/templates'
import { describe, expect } from 'vitest'
import { type House, test } from '../testing/house.ts'

/** Every call that the contract declares for the panel, by its name. */
const every = Object.entries<unknown>({ ...auth, ...nodeServers, ...nodes, ...panel, ...servers, ...templates }).filter(
  (entry): entry is [string, Call] => typeof entry[1] === 'object' && entry[1] !== null && 'via' in entry[1],
)
const guarded = every.filter(([, { access }]) => access !== 'public')
const scoped = every.filter(([, { access }]) => typeof access === 'object' && 'scope' in access)
const onServer = every.filter(([, { access }]) => typeof access === 'object' && 'onServer' in access)

const definition = { type: 'test', run: {}, data: {} }
const bodies: Readonly<Record<string, unknown>> = {
  createServer: definition,
  putDefinition: definition,
  putData: { data: {} },
  putTemplate: definition,
  putUserSetting: { value: 'x' },
  sendCommand: 'help',
}

function asking([name, call]: [string, Call], id: string): [Call['method'], string, unknown] {
  const params = { id, name: 'a-name', key: 'dark' }
  const query = name === 'getUsage' ? { ids: id } : {}
  return [call.method, panelUrlOf(call, { params, query }), bodies[name]]
}

test('the walk meets every call', () => {
  expect(every.length).toBeGreaterThan(30)
  expect(onServer.length).toBeGreaterThan(15)
})

describe('without a credential', () => {
  test.for(guarded)('%s is refused', async (named, { house }) => {
    const id = await house.server()

    const { status, refusal, headers } = await house.ask(...asking(named, id))

    expect([status, refusal]).toEqual([401, 'ErrSessionTimedOut'])
    expect(headers['www-authenticate']).toBe('Bearer realm=""')
    expect(house.node.taken).toEqual([])
  })
})

describe('for a person without rights', () => {
  test.for(scoped)('%s names the scope that is missing', async (named, { house }) => {
    const person = await house.person()

    const { status, refusal, metadata } = await house.ask(...asking(named, '00000000'), person)

    expect([status, refusal]).toEqual([403, 'ErrMissingScope'])
    expect(metadata).toEqual({ scope: (named[1].access as { scope: string }).scope })
  })

  test.for(onServer)('%s on a server of others answers as if there were none', async (named, { house }) => {
    const [person, id] = [await house.person(), await house.server()]

    const hidden = await house.ask(...asking(named, id), person)
    const absent = await house.ask(...asking(named, '00000000'), person)

    expect([hidden.status, hidden.refusal]).toEqual([404, 'ErrServerNotFound'])
    expect(hidden.answer).toEqual(absent.answer)
    await expectUntouched(house, id)
  })

  test.for(onServer)(
    '%s on a server that they may only see names the scope that is missing',
    async (named, { house }) => {
      const id = await house.server()
      const person = await house.person({ on: { [id]: [] } })
      const { onServer: right } = named[1].access as { onServer: keyof typeof scopeOfRight }

      const { status, refusal, metadata } = await house.ask(...asking(named, id), person)

      if (right === 'viewServer') expect(status).toBe(200)
      else {
        expect([status, refusal, metadata]).toEqual([403, 'ErrMissingScope', { scope: scopeOfRight[right] }])
        await expectUntouched(house, id)
      }
    },
  )
})

describe('for an administrator', () => {
  const works = guarded.filter(([name]) => !['getTemplate', 'deleteTemplate'].includes(name))

  test.for(works)('%s works', async (named, { house }) => {
    const [admin, id] = [await house.admin(), await house.server()]

    const { status } = await house.ask(...asking(named, id), admin)

    // A node says itself whether it began or is done.
    if (named[1].via === 'node') expect([200, 202, 204]).toContain(status)
    else expect(status).toBe(named[1].status)
  })

  test.for(onServer)('%s on a server that does not exist is not found', async (named, { house }) => {
    const admin = await house.admin()

    expect((await house.ask(...asking(named, '00000000'), admin)).refusal).toBe('ErrServerNotFound')
    expect((await house.ask(...asking(named, 'not-an-id'), admin)).status).toBe(404)
  })
})

async function expectUntouched(house: House, id: string): Promise<void> {
  expect(house.node.taken).toEqual([])
  expect(house.node.definitions.has(id)).toBe(true)
  const row = await house.db.selectFrom('servers').select('name').where('id', '=', id).executeTakeFirst()
  expect(row?.name).toBe(id)
}
