import { expect, test } from 'vitest'
import { askUdpGame } from '../../testing/ask-game.ts'
import { readMumble } from './mumble.ts'

/** As a server of Mumble 1.3.4 has answered, with three users. */
const answer = Buffer.from('00010304696e6e6b65657072000000030000003200011940', 'hex')

test('a server tells its users and version', async () => {
  expect(await askUdpGame(readMumble, () => [answer])).toEqual({ version: '1.3.4', online: 3, max: 50 })
})

test.for<[string, Buffer]>([
  ['is cut off', answer.subarray(0, 18)],
  ['repeats another number', Buffer.from(answer).fill(0, 4, 12)],
])('a packet that %s is no answer', async ([, packet]) => {
  await expect(askUdpGame(readMumble, () => [packet])).rejects.toThrow()
})
