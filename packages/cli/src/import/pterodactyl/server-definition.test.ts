import { problemsOfDefinition } from '@innkeeper/contract/definitions/definition-problems'
import { expect, test } from 'vitest'
import { getDefinition } from './server-definition.ts'

const json = {
  meta: { version: 'PTDL_v2' },
  name: 'Game',
  docker_images: { New: 'example.org/game:2', Old: 'example.org/game:1' },
  startup_commands: { Default: './game', Quiet: './game -q' },
  variables: [
    { env_variable: 'QUERY_PORT', name: 'Query', default_value: '27015' },
    { env_variable: 'RCON_PORT', name: 'RCON', default_value: '27020' },
  ],
}

const uuid = '1a2b3c4d-0000-4000-8000-000000000001'

function imported(row: object, { others = [], egg = {} }: { others?: readonly object[]; egg?: object } = {}) {
  return getDefinition(
    { uuid, memory: 2048, cpu: 0, disk: 0, ...row } as never,
    { name: 'Game', template: 'egg-game', json: { ...json, ...egg } },
    { address: { ip: '203.0.113.5', port: 27000 }, others: others as never, values: new Map([['RCON_PORT', '27030']]) },
  )
}

test('a server keeps the image of the list that it had, and users can change it', () => {
  const { environment, data } = imported({ image: '~example.org/game:1' })

  expect(environment?.image).toBe('${image}')
  expect(data.image).toMatchObject({ value: 'example.org/game:1', userEdit: true, options: [{}, {}] })
})

test('an image that is not in the list stays, and only administrators can change it', () => {
  const { data } = imported({ image: 'example.org/own:9' })

  expect(data.image).toMatchObject({
    value: 'example.org/own:9',
    userEdit: false,
    options: [{ value: 'example.org/own:9' }, { value: 'example.org/game:2' }, { value: 'example.org/game:1' }],
  })
})

test('the image of a server wins over the only one of its egg', () => {
  const { environment } = imported({ image: 'example.org/own:9' }, { egg: { docker_images: { One: 'a:1' } } })

  expect(environment?.image).toBe('example.org/own:9')
})

test.each([
  ['./game', 'Default'],
  ['./game -q\r\n', 'Quiet'],
  ['', 'Default'],
])('the start command %j is the one of the egg named %s', (startup, name) => {
  const { run, data } = imported({ startup })

  expect(run.command).toEqual([{ if: 'startup == "Quiet"', command: './game -q' }, { command: './game' }])
  expect(data.startup?.value).toBe(name)
})

test('a start command of its own stays as it is', () => {
  const { run, data } = imported({ startup: './game {{QUERY_PORT}} --own' })

  expect(run.command).toBe('./game {{QUERY_PORT}} --own')
  expect(data).not.toHaveProperty('startup')
})

test('allocations are published, each once, and follow the variable that has their port', () => {
  const others = [
    { ip: '203.0.113.5', port: 27015 },
    { ip: '203.0.113.5', port: 27000 },
    { ip: '203.0.113.5', port: 28000 },
    { ip: '2001:db8::1', port: 27000 },
  ]

  const definition = imported({}, { others })

  expect(definition.environment?.portBindings).toEqual([
    '${ip}:${port}:${port}/tcp',
    '${ip}:${port}:${port}/udp',
    '${ip}:${QUERY_PORT}:${QUERY_PORT}/tcp',
    '${ip}:${QUERY_PORT}:${QUERY_PORT}/udp',
    '203.0.113.5:28000:28000/tcp',
    '203.0.113.5:28000:28000/udp',
    '[2001:db8::1]:27000:27000/tcp',
    '[2001:db8::1]:27000:27000/udp',
  ])
  expect(problemsOfDefinition(definition)).toEqual([])
})

test('plugins find their data by the UUID', () => {
  const { run, environment } = imported({ allocation_limit: 3, threads: '0-1' })

  expect(run.environmentVars).toMatchObject({
    P_SERVER_UUID: uuid,
    P_SERVER_ALLOCATION_LIMIT: '3',
    RCON_PORT: '${RCON_PORT}',
  })
  expect(environment).toMatchObject({ resources: { CpusetCpus: '0-1' } })
})
