import { execFile } from 'node:child_process'
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Gcm, type GcmName } from './gcm.ts'
import { whyNoOpenSsl } from './openssl.ts'

const ciphers = [
  ['aes-128-gcm', 16],
  ['aes-256-gcm', 32],
] as const

function gcmWith(...of: Parameters<typeof Gcm.with>): Gcm {
  const gcm = Gcm.with(...of)
  if (!gcm) throw whyNoOpenSsl() ?? new Error('no reason is told')
  return gcm
}

/** What Node.js makes of the same packet. */
function sealedByNode(name: GcmName, key: Buffer, nonce: Buffer, open: Buffer, body: Buffer) {
  const cipher = createCipheriv(name, key, nonce).setAAD(open)
  return { sealed: Buffer.concat([cipher.update(body), cipher.final()]), tag: cipher.getAuthTag() }
}

describe.each(ciphers)('%s', (name, bytes) => {
  const key = randomBytes(bytes)
  const open = randomBytes(4)

  test.each([1, 16, 4_111, 40_000])('seals packets of %i bytes as Node.js does, one after the other', (length) => {
    const gcm = gcmWith(name, 'seal', key)
    for (let packet = 0; packet < 3; packet++) {
      const [nonce, body] = [randomBytes(12), randomBytes(length)]
      const [sealed, tag] = [Buffer.alloc(length), Buffer.alloc(16)]

      gcm.begin(nonce, open)
      gcm.turn(body, sealed)
      gcm.seal(tag)

      expect({ sealed, tag }).toEqual(sealedByNode(name, key, nonce, open, body))
    }
    gcm.free()
  })

  test('opens packets that come in pieces', () => {
    const [nonce, body] = [randomBytes(12), randomBytes(1_000)]
    const { sealed, tag } = sealedByNode(name, key, nonce, open, body)
    const gcm = gcmWith(name, 'open', key)
    const opened = Buffer.alloc(body.length)

    gcm.begin(nonce, open)
    for (let at = 0; at < sealed.length; at += 37) gcm.turn(sealed.subarray(at, at + 37), opened.subarray(at))

    expect([gcm.isWhole(tag), opened.equals(body)]).toEqual([true, true])
    gcm.free()
  })

  test.each(['sealed', 'tag', 'open', 'nonce'] as const)('notices a change of %s, and goes on', (what) => {
    const [nonce, body] = [randomBytes(12), randomBytes(100)]
    const good = { ...sealedByNode(name, key, nonce, open, body), open: Buffer.from(open), nonce }
    const changed = { ...good, [what]: Buffer.from(good[what]) }
    changed[what][3] = (changed[what][3] ?? 0) ^ 1
    const gcm = gcmWith(name, 'open', key)
    const isWhole = (packet: typeof good) => {
      gcm.begin(packet.nonce, packet.open)
      gcm.turn(packet.sealed, Buffer.alloc(100))
      return gcm.isWhole(packet.tag)
    }

    expect([isWhole(good), isWhole(changed), isWhole(good)]).toEqual([true, false, true])
    gcm.free()
  })

  test('what it seals Node.js opens', () => {
    const gcm = gcmWith(name, 'seal', key)
    const [nonce, sealed, tag] = [randomBytes(12), Buffer.alloc(5), Buffer.alloc(16)]
    gcm.begin(nonce, open)
    gcm.turn(Buffer.from('hello'), sealed)
    gcm.seal(tag)
    gcm.free()

    const decipher = createDecipheriv(name, key, nonce).setAAD(open)
    decipher.setAuthTag(tag)
    expect(decipher.update(sealed, undefined, 'latin1') + decipher.final('latin1')).toBe('hello')
  })
})

describe('what would lead OpenSSL beyond its memory is refused before', () => {
  const gcm = gcmWith('aes-128-gcm', 'seal', Buffer.alloc(16))

  test.each([
    ['a key', () => Gcm.with('aes-256-gcm', 'seal', Buffer.alloc(31))],
    ['a nonce', () => gcm.begin(Buffer.alloc(11), Buffer.alloc(4))],
    ['room', () => gcm.turn(Buffer.alloc(10), Buffer.alloc(9))],
    ['a tag', () => gcm.seal(Buffer.alloc(15))],
  ])('%s that is too short', (_what, ask) => {
    expect(ask).toThrow(RangeError)
  })

  test('the other direction', () => {
    const opening = gcmWith('aes-128-gcm', 'open', Buffer.alloc(16))
    expect(() => gcm.isWhole(Buffer.alloc(16))).toThrow('cannot open')
    expect(() => opening.seal(Buffer.alloc(16))).toThrow('cannot seal')
    opening.free()
  })

  test('a cipher that was freed, once or twice', () => {
    const freed = gcmWith('aes-128-gcm', 'seal', Buffer.alloc(16))
    freed.free()
    freed.free()

    expect(() => freed.begin(Buffer.alloc(12), Buffer.alloc(4))).toThrow('no more')
    expect(() => freed.turn(Buffer.alloc(1), Buffer.alloc(1))).toThrow('no more')
    expect(() => freed.seal(Buffer.alloc(16))).toThrow('no more')
  })
})

test('where no library may be loaded there is none, and why is told', async () => {
  const program = `
    const { Gcm } = await import(${JSON.stringify(new URL('gcm.ts', import.meta.url).href)})
    const { whyNoOpenSsl } = await import(${JSON.stringify(new URL('openssl.ts', import.meta.url).href)})
    console.log(Gcm.with('aes-128-gcm', 'seal', Buffer.alloc(16)), whyNoOpenSsl() instanceof Error)`
  const ran = promisify(execFile)(process.execPath, ['--no-addons', '--input-type=module', '-e', program])

  expect((await ran).stdout.trim()).toBe('undefined true')
})
