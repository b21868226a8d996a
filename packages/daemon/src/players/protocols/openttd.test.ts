import { expect, test } from 'vitest'
import { askTcpGame } from '../../testing/ask-game.ts'
import { readOpenTtd } from './openttd.ts'

/** As a server of OpenTTD 13.0 has answered. */
const answer = Buffer.from(
  '3400060601ffffffff00006fde0a001fde0a000f0019556e6e616d6564205365727665720031332e300000190000000100010001',
  'hex',
)

/** The answer of another version, with graphics. */
function withGraphics(version: number, parts: Buffer): Buffer {
  const head = Buffer.from([0, 0, 6, version])
  const whole = Buffer.concat([head, parts, answer.subarray(11)])
  whole.writeUInt16LE(whole.length)
  return whole
}
const script = Buffer.from('ffffffff00', 'hex')
const number = Buffer.alloc(20, 1)

test('a server tells its players and version', async () => {
  expect(await askTcpGame(readOpenTtd, answer)).toEqual({ name: 'Unnamed Server', version: '13.0', online: 0, max: 25 })
})

test.for<[string, Buffer]>([
  [
    'version 7, with names',
    withGraphics(
      7,
      Buffer.concat([Buffer.alloc(8), Buffer.from([1]), script, Buffer.from([1]), number, Buffer.from('A\0')]),
    ),
  ],
  [
    'version 6, with numbers',
    withGraphics(6, Buffer.concat([Buffer.from([2]), script, Buffer.from([2]), Buffer.alloc(8)])),
  ],
])('graphics are skipped: %s', async ([, packet]) => {
  expect(await askTcpGame(readOpenTtd, packet)).toMatchObject({ name: 'Unnamed Server', version: '13.0', max: 25 })
})

test.for<[string, Buffer]>([
  ['another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['a newer version', withGraphics(9, Buffer.alloc(30))],
  ['a size that is too small', Buffer.from([1, 0, 6, 6, 0, 0])],
  [
    'more graphics than there are',
    withGraphics(6, Buffer.concat([Buffer.from([0]), script, Buffer.from([255]), number])),
  ],
])('%s is no answer', async ([, packet]) => {
  await expect(askTcpGame(readOpenTtd, packet)).rejects.toThrow()
})
