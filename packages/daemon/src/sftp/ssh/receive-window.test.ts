import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

/** The version of ssh2 whose internals `receive-window.ts` was written for. */
const examinedVersion = '1.17.0'

test('the installed ssh2 is the version whose flow control was examined', () => {
  const { version } = createRequire(import.meta.url)('ssh2/package.json') as { version: string }

  expect(
    version,
    `receive-window.ts and disconnect.ts use internals of ssh2 ${examinedVersion}. Compare them with those of ssh2 ${version}, then change ` +
      'examinedVersion: Channel.js still keeps incoming.window, outgoing.id and outgoing.state, lowers incoming.window by ' +
      'the bytes received, and extends the window itself only when half of it is used up; Protocol.js still has ' +
      'channelWindowAdjust(channel, bytes), and _cipher with allocPacket(bytes) and encrypt(packet), whose payload ' +
      'begins at 5; disconnect() still sends no text. If ssh2 has an option for the window now, use that instead',
  ).toBe(examinedVersion)
})
