import type { NewPlacement } from '@innkeeper/contract/nodes/placement'
import { expect, test } from 'vitest'
import { type Candidate, chooseNode } from './choose-node.ts'

const gibibyte = 1024 ** 3
const room = (memory: number, disk = 100) => ({
  memory: { total: 32 * gibibyte, free: memory * gibibyte },
  disk: { total: 200 * gibibyte, free: disk * gibibyte },
})

function candidate(name: string, more: Partial<Candidate> = {}): Candidate {
  return { id: 1, name, hasLabels: true, state: 'active', runsTemplate: true, room: room(8), ports: [], ...more }
}

const request: NewPlacement = { labels: ['eu'], ports: 0 }

test.each([
  ['the largest share of free memory', [candidate('a'), candidate('b', { room: room(12) })], 'b'],
  ['then the most free disk space', [candidate('a'), candidate('b', { room: room(8, 150) })], 'b'],
  ['then the first name', [candidate('b'), candidate('a')], 'a'],
  [
    'a node that fits before a preferred one that does not',
    [candidate('a'), candidate('b', { state: 'draining' })],
    'a',
  ],
] as const)('chooses %s', (_, candidates, name) => {
  expect(chooseNode(request, candidates).node.name).toBe(name)
})

test('says why a node was chosen', () => {
  const candidates = [candidate('a'), candidate('b', { room: room(12) })]

  expect(chooseNode(request, candidates).reason).toBe(
    'It has the largest share of free memory of the 2 nodes that fit: 12 GiB of 32 GiB',
  )
  expect(chooseNode(request, candidates.slice(0, 1)).reason).toBe('It is the only node that fits')
})

test.each([
  ['labels', {}, [candidate('a', { hasLabels: false })], 'no node has the label eu'],
  [
    'node',
    {},
    [candidate('a', { state: 'maintenance' }), candidate('b', { state: 'offline', room: undefined })],
    'no node with the label eu takes new servers now. a is in maintenance, b is offline',
  ],
  ['template', { template: 'paper' }, [candidate('a', { runsTemplate: false })], 'can run the template paper'],
  [
    'memory',
    { memory: 10 * 1024 },
    [candidate('a', { room: room(3) }), candidate('b', { room: room(1.5) })],
    'no node with the label eu has 10 GiB of free memory. The most is 3 GiB on a',
  ],
  [
    'disk',
    { disk: 150 * 1024 },
    [candidate('a')],
    'no node with the label eu has 150 GiB of free disk space and the memory. The most is 100 GiB on a',
  ],
  [
    'ports',
    { ports: 2 },
    [candidate('a', { ports: [{ address: '', port: 1 }] })],
    'no node with the label eu has 2 free ports and the room. The most is 1 on a',
  ],
] satisfies [string, Partial<NewPlacement>, Candidate[], string][])(
  'says what is missing: %s',
  (missing, more, candidates, reason) => {
    expect(() => chooseNode({ ...request, ...more }, candidates)).toThrow(
      expect.objectContaining({
        code: 'ErrNoNodeFits',
        metadata: { missing, reason: expect.stringContaining(reason) },
      }),
    )
  },
)
