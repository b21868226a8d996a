import { Template } from '@innkeeper/contract/definitions/definition'
import type { NodeAvailability } from '@innkeeper/contract/nodes/node-availability'
import type { NodeChoice } from '@innkeeper/contract/nodes/nodes'
import { expect, test } from 'vitest'
import { aNodeChoice } from '../../testing/samples.ts'
import { emptyDraft } from './draft.ts'
import { completeTarget, getUnsuitableReason, getUnsupportedReason } from './target.ts'

const template = Template.parse({
  name: 'x',
  type: 'x',
  run: {},
  data: {},
  environment: { type: 'tty' },
  supportedEnvironments: [{ type: 'standard' }, { type: 'tty' }],
})
const features = { features: [], environments: ['standard', 'tty'], os: 'linux', arch: 'amd64', version: '1' }
const first: NodeChoice = aNodeChoice({ id: 1, features })
const second: NodeChoice = aNodeChoice({ id: 2, features: { ...features, environments: ['standard'] } })
const room = (free: number) => ({ memory: { total: 32, free }, disk: { total: 1, free: 1 } })
const small: NodeChoice = aNodeChoice({ id: 4, features, room: room(8) })
const large: NodeChoice = aNodeChoice({ id: 5, features, room: room(12) })
const offline: NodeChoice = aNodeChoice({ id: 3, features, online: false })

test.each([
  ['the only online node and the default environment', {}, [first, offline], { node: 1, environment: 'tty' }],
  ['no node when several are online and their room is unknown', {}, [first, second], {}],
  ['the node with the largest share of free memory', {}, [first, small, large], { node: 5, environment: 'tty' }],
  [
    'another environment when the node does not support the default',
    { node: 2 },
    [first, second],
    { environment: 'standard' },
  ],
  [
    'no node when the selected one is offline',
    { node: 3, environment: 'tty' },
    [first, second, offline],
    { node: undefined, environment: undefined },
  ],
] as const)('selects %s', (_, selected, nodes, expected) => {
  const draft = { ...emptyDraft, ...selected }

  const completed = completeTarget(draft, template, nodes)

  expect({ ...completed }).toEqual({ ...draft, ...expected })
})

test('returns the same draft when the selections are available', () => {
  const draft = { ...emptyDraft, node: 1, environment: 'standard' }

  expect(completeTarget(draft, template, [first, second])).toBe(draft)
})

test.each([
  [{ state: 'draining' }, 'nodes.TakesNoServers'],
  [{ state: 'maintenance', reason: 'New disks' }, 'nodes.MaintenanceOf'],
  [{ state: 'maintenance', reason: 'New disks', until: '2020-01-01T00:00:00Z' }, undefined],
] satisfies [NodeAvailability, string | undefined][])('a node that is %j: %s', (availability, reason) => {
  const node = aNodeChoice({ features, availability })
  const formatters = { anyOf: String, dateTime: String } as never

  expect(getUnsuitableReason(String as never, formatters, template, node)).toBe(reason)
  expect(completeTarget(emptyDraft, template, [first, node]).node).toBe(reason === undefined ? undefined : first.id)
})

test('a template with a script for a container needs a node that has containers', () => {
  const scripted = { ...template, install: [{ type: 'dockerrun', image: 'a', script: 'true' }] }
  const withDocker = aNodeChoice({ id: 4, features: { ...features, environments: ['standard', 'tty', 'docker'] } })
  const reasonOn = (node: NodeChoice) => getUnsupportedReason(String as never, scripted, 'tty', node)

  expect([reasonOn(first), reasonOn(withDocker)]).toEqual(['errors.ErrDockerNotSupported', undefined])
  expect(completeTarget({ ...emptyDraft, node: 1 }, scripted, [first]).environment).toBeUndefined()
  expect(completeTarget({ ...emptyDraft, node: 4 }, scripted, [withDocker]).environment).toBe('tty')
})
