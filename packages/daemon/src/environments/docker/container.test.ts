import { getContainerConfig } from '@innkeeper/contract/definitions/container'
import { Environment, type ServerLimits } from '@innkeeper/contract/definitions/definition'
import { Variables } from '@innkeeper/contract/definitions/variables'
import { expect, test } from 'vitest'
import { createOptions } from './container.ts'

function shaped(fields: object, data: object = {}) {
  const variables = Variables.parse(data)
  const values = new Map(Object.entries(variables).map(([name, { value }]) => [name, String(value ?? '')]))
  return getContainerConfig(Environment.parse({ type: 'docker', ...fields }), variables, values)
}

test("labels are substituted, and Innkeeper's own labels cannot be overridden", () => {
  const labels = { team: '${team}', 'innkeeper.server': 'somebody' }
  const options = optionsFor({ labels }, { team: { value: 'red' } })

  expect(options.Labels).toEqual({ team: 'red', 'innkeeper.server': '0a0a0a0a' })
})

test("resources are translated for the engine; the server's limits take precedence", () => {
  const resources = { Memory: 1, PidsLimit: 10, CpuShares: 512 }

  expect(optionsFor({ resources }).HostConfig).toMatchObject({ Memory: 1, PidsLimit: 10, CpuShares: 512 })
  expect(optionsFor({ resources }, {}, { memory: 64, processes: 20 }).HostConfig).toMatchObject({
    Memory: 64 * 1024 ** 2,
    PidsLimit: 20,
    CpuShares: 512,
    CapDrop: ['ALL'],
  })
})

test.each([
  [1000, 1150],
  [3000, 3300],
  [8000, 8400],
])('a start command in STARTUP gets %d MiB for its heap, and the container %d MiB', (memory, limit) => {
  const options = optionsFor({ commandAs: 'variable' }, {}, { memory })

  expect(options.HostConfig).toMatchObject({ Memory: limit * 1024 ** 2, MemorySwap: limit * 1024 ** 2 })
})

function optionsFor(fields: object, data: object = {}, limits: Partial<ServerLimits> = {}) {
  return createOptions({
    name: 'innkeeper-0a0a0a0a',
    plan: { key: '0a0a0a0a/main', file: 'game', args: [], cwd: '/srv', env: {}, limits },
    spec: shaped(fields, data),
    rootDir: '/srv',
    user: { uid: 1, gid: 1 },
    labels: { 'innkeeper.server': '0a0a0a0a' },
    hasInit: true,
  })
}
