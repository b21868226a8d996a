import { serverPermissionNames } from '@innkeeper/contract/api/permissions'
import { expect, test } from 'vitest'
import { withTaskOwners } from './task-owners.ts'

const editor = { key: 'editor', permissions: ['editServerData', 'startServer'] as const }
const owner = { key: 'owner', permissions: serverPermissionNames }
const player = { key: 'player', permissions: ['startServer'] as const }
const userIds = new Map([
  ['editor', 1],
  ['owner', 2],
  ['player', 3],
])

test.each([
  ['the first user who may do its steps', { type: 'power', action: 'start' }, [player, editor, owner], 9, 1],
  ['another one, if the first lacks a permission', { type: 'backup' }, [editor, owner], 9, 2],
  ['an administrator for a step that only they may do', { type: 'command', commands: 'ls' }, [owner], 9, 9],
  ['an administrator, if there are no users', { type: 'stdin', command: 'stop' }, [], 9, 9],
  ['nobody without an administrator', { type: 'power', action: 'start' }, [player], undefined, undefined],
])('a task belongs to %s', (_, step, users, taskOwner, expected) => {
  const server = {
    id: '1a2b3c4d',
    name: 'One',
    node: undefined,
    definition: { tasks: { t1: { name: 'Night', operations: [step] } } },
    type: 'game',
    ip: '0.0.0.0',
    port: 1,
    users,
    files: undefined,
  }

  const { definition, withoutOwner } = withTaskOwners(server, { userIds, taskOwner })

  const { t1 } = definition.tasks as { t1: { savedBy?: number } }
  expect(t1.savedBy).toBe(expected)
  expect(withoutOwner).toEqual(expected === undefined ? ['Night'] : [])
})
