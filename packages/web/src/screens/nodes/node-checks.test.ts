import type { Node, NodeState } from '@innkeeper/contract/nodes/nodes'
import { expect, test } from 'vitest'
import { addChecks, maxChecks, type NodeChecks } from './node-checks.ts'

const aNode = (id: number, state?: NodeState): Node => ({
  id,
  name: `node ${id}`,
  publicHost: 'node.example.org',
  privateHost: 'node.example.org',
  publicPort: 8080,
  privatePort: 5656,
  sftpPort: 5657,
  isLocal: false,
  ...(state && { health: { state, problems: [] } }),
})

test('each check is added at the end, and those of other nodes stay', () => {
  const first = addChecks(new Map(), [aNode(1, 'online'), aNode(2)])

  const second = addChecks(first, [aNode(1, 'offline')])

  expect([...second]).toEqual([
    [1, ['online', 'offline']],
    [2, ['waiting']],
  ])
})

test('only the latest checks are kept', () => {
  let checks: NodeChecks = new Map()

  for (let count = 0; count < maxChecks; count++) checks = addChecks(checks, [aNode(1, 'online')])
  checks = addChecks(checks, [aNode(1, 'offline')])

  expect(checks.get(1)).toHaveLength(maxChecks)
  expect(checks.get(1)?.at(-1)).toBe('offline')
})
