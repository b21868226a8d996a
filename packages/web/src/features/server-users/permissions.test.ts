import { serverPermissionNames } from '@innkeeper/contract/api/permissions'
import { describe, expect, test } from 'vitest'
import { shownPermissions } from '../../ui/names/server-permissions.ts'
import { applyPreset, estimateHeadingsWidth, findPreset, presets, setPermission } from './permissions.ts'

const anything = () => true

test('the grid shows every server permission', () => {
  expect([...shownPermissions].sort()).toEqual([...serverPermissionNames].sort())
})

test('sending to the console turns viewing it on, and viewing can be turned off again', () => {
  const sending = setPermission(new Set(), 'sendServerConsole', true)
  expect([...sending].sort()).toEqual(['sendServerConsole', 'viewServerConsole'])

  expect([...setPermission(sending, 'viewServerConsole', false)]).toEqual(['sendServerConsole'])
})

test('a required permission is not granted by a user who does not have it', () => {
  const canGrant = (permission: string) => permission === 'putServerFiles'

  expect([...setPermission(new Set(), 'putServerFiles', true, canGrant)]).toEqual(['putServerFiles'])
})

describe.each(presets)('the preset %s', (preset) => {
  test('is recognized after it was applied', () => {
    expect(findPreset(applyPreset(new Set(['installServer']), preset, anything))).toBe(preset)
  })

  test('grants only what the user has, and never deleting the server', () => {
    const filled = applyPreset(
      new Set(['deleteServer', 'sftpServer']),
      preset,
      (permission) => permission === 'viewServerStats',
    )

    expect([...filled].sort()).toEqual(preset === 'CoOwner' ? ['sftpServer', 'viewServerStats'] : ['viewServerStats'])
  })
})

test('the width of headings follows their longest words, and is at least that of a switch', () => {
  expect(estimateHeadingsWidth(['View', 'SFTP'])).toBe(2 * 48)
  expect(estimateHeadingsWidth(['Wiederherstellen'])).toBe(6 + 16 * 7)
  expect(estimateHeadingsWidth(['Khởi động'])).toBe(48)
})
