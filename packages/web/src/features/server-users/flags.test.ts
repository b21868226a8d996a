import { serverFlags } from '@innkeeper/contract/permissions'
import { describe, expect, test } from 'vitest'
import {
  differences,
  editsBetween,
  editsLeft,
  flagsOf,
  presetOf,
  presets,
  shownFlags,
  switched,
  withEdits,
  withPreset,
} from './flags.ts'

const anything = () => true

test('the grid shows every right on a server', () => {
  expect([...shownFlags].sort()).toEqual([...serverFlags].sort())
})

test('sending to the console turns viewing it on, and viewing can be turned off again', () => {
  const sending = switched(new Set(), 'sendServerConsole', true)
  expect([...sending].sort()).toEqual(['sendServerConsole', 'viewServerConsole'])

  expect([...switched(sending, 'viewServerConsole', false)]).toEqual(['sendServerConsole'])
})

test('what a right needs is not given by somebody who does not have it', () => {
  const mayGive = (flag: string) => flag === 'putServerFiles'

  expect([...switched(new Set(), 'putServerFiles', true, mayGive)]).toEqual(['putServerFiles'])
})

describe.each(presets)('the preset %s', (preset) => {
  test('is recognised after it filled a row', () => {
    expect(presetOf(withPreset(new Set(['installServer']), preset, anything))).toBe(preset)
  })

  test('gives only what the person has, and never the deleting of the server', () => {
    const filled = withPreset(new Set(['deleteServer', 'sftpServer']), preset, (flag) => flag === 'viewServerStats')

    expect([...filled].sort()).toEqual(preset === 'CoOwner' ? ['sftpServer', 'viewServerStats'] : ['viewServerStats'])
  })
})

test('changes are counted in both directions', () => {
  expect(differences(new Set(['startServer', 'stopServer']), new Set(['startServer', 'sftpServer']))).toBe(2)
})

test('a flag that is absent or false is not granted', () => {
  expect([...flagsOf({ startServer: true, stopServer: false })]).toEqual(['startServer'])
})

test('what somebody switches stays beside what others switch meanwhile', () => {
  const edits = editsBetween(new Set(['viewServerConsole']), new Set(['startServer']))

  expect(edits).toEqual({ viewServerConsole: false, startServer: true })
  expect([...withEdits(new Set(['viewServerConsole', 'stopServer']), edits)].sort()).toEqual([
    'startServer',
    'stopServer',
  ])
  expect(editsLeft({ viewServerConsole: true, startServer: true }, edits)).toEqual({ viewServerConsole: true })
})
