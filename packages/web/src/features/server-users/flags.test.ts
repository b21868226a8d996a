import { serverFlags } from '@innkeeper/contract/permissions'
import { describe, expect, test } from 'vitest'
import { differences, flagsOf, presetOf, presets, shownFlags, switched, withPreset } from './flags.ts'

const anything = () => true

test('the grid shows every right on a server but deleting it', () => {
  expect([...shownFlags].sort()).toEqual(serverFlags.filter((flag) => flag !== 'deleteServer').sort())
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

  test('leaves alone what is not on screen, and gives only what the person has', () => {
    const filled = withPreset(new Set(['deleteServer', 'sftpServer']), preset, (flag) => flag === 'viewServerStats')

    expect([...filled].sort()).toEqual(
      preset === 'CoOwner' ? ['deleteServer', 'sftpServer', 'viewServerStats'] : ['deleteServer', 'viewServerStats'],
    )
  })
})

test('changes are counted in both directions', () => {
  expect(differences(new Set(['startServer', 'stopServer']), new Set(['startServer', 'sftpServer']))).toBe(2)
})

test('a flag that is absent or false is not granted', () => {
  expect([...flagsOf({ startServer: true, stopServer: false })]).toEqual(['startServer'])
})
