import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import {
  addPasskey,
  type NewPasskey,
  type PasskeyAssertion,
  startPasskey,
  type startPasskeyLogin,
} from '@innkeeper/contract/accounts/passkeys'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import type { TestPanel, TestUser } from './test-panel.ts'

interface Options {
  /** The address of the page in the browser. */
  readonly origin?: string
  /** Whether the user enters the PIN. */
  readonly isVerified?: boolean
  /** The number of uses that it signs; by default one more each time. */
  readonly counter?: number
}

/** Adds the passkey to the account of a signed-in user, on a panel with the master URL of the authenticator. */
export async function addTestPasskey(
  testPanel: TestPanel,
  user: TestUser,
  authenticator = new TestAuthenticator(),
): Promise<{ readonly id: string; readonly authenticator: TestAuthenticator }> {
  const { answer } = await testPanel.send(startPasskey, {}, user)
  const body = { name: 'laptop', passkey: authenticator.create(answer) }
  return { id: (await testPanel.send(addPasskey, { body }, user)).answer.passkey.id, authenticator }
}

const base64Url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()

/** An authenticator with one passkey, and the browser that it is plugged in. */
export class TestAuthenticator {
  readonly #origin: string
  readonly #id = randomBytes(32)
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject }
  #userHandle = ''
  #counter = 0

  constructor(origin = 'https://panel.example.org') {
    this.#origin = origin
    this.#keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  }

  /** `navigator.credentials.create` */
  create({ challenge, user, rp }: ResponseOf<typeof startPasskey>, options: Options = {}): NewPasskey {
    this.#userHandle = user.id
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.#id.length)
    const credential = Buffer.concat([Buffer.alloc(16), length, this.#id, this.#coseKey()])
    const authData = Buffer.concat([this.#authenticatorData(rp.id ?? '', 0x40, options), credential])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ])
    return {
      id: base64Url(this.#id),
      rawId: base64Url(this.#id),
      type: 'public-key',
      response: {
        attestationObject: base64Url(isoCBOR.encode(attestation as never)),
        clientDataJSON: base64Url(this.#clientData('webauthn.create', challenge, options)),
        transports: ['usb'],
      },
    }
  }

  /** `navigator.credentials.get` */
  get({ challenge, rpId = '' }: ResponseOf<typeof startPasskeyLogin>, options: Options = {}): PasskeyAssertion {
    const authData = this.#authenticatorData(rpId, 0, options)
    const clientData = this.#clientData('webauthn.get', challenge, options)
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.#keys.privateKey)
    return {
      id: base64Url(this.#id),
      rawId: base64Url(this.#id),
      type: 'public-key',
      response: {
        authenticatorData: base64Url(authData),
        clientDataJSON: base64Url(clientData),
        signature: base64Url(signature),
        userHandle: this.#userHandle,
      },
    }
  }

  #clientData(type: string, challenge: string, { origin = this.#origin }: Options): string {
    return JSON.stringify({ type, challenge, origin, crossOrigin: false })
  }

  #authenticatorData(rpId: string, flags: number, { isVerified = true, counter = ++this.#counter }: Options): Buffer {
    const [isPresent, hasPin] = [0x01, isVerified ? 0x04 : 0]
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags | isPresent | hasPin]), count])
  }

  #coseKey(): Uint8Array {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const key = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ])
    return isoCBOR.encode(key as never)
  }
}
