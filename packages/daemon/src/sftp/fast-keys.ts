import { createSecretKey } from 'node:crypto'
import type { Connection } from 'ssh2'

/** Where ssh2 keeps the keys that it uses anew for each packet. */
const places = { _cipher: ['_encKey', '_macKey'], _decipher: ['_decipherKey', '_macKey'] } as const

/**
 * Keeps the keys of a connection as objects. Given bytes, Node finds out for every packet, by throwing twice, that they
 * are no object, which takes a quarter of the time of a transfer. Nothing else changes, and where ssh2 keeps them
 * elsewhere nothing happens.
 */
export function keepKeysAsObjects(client: Connection): void {
  const protocol: unknown = Reflect.get(client, '_protocol')
  for (const [side, names] of Object.entries(places)) {
    const crypt = fieldOf(protocol, side)
    for (const name of names) {
      const key = fieldOf(crypt, name)
      if (isObject(crypt) && Buffer.isBuffer(key)) Reflect.set(crypt, name, createSecretKey(key))
    }
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const fieldOf = (of: unknown, name: string): unknown => (isObject(of) ? Reflect.get(of, name) : undefined)
