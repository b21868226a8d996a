import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import { dirname, isAbsolute, join } from 'node:path'
import { parseEnv } from 'node:util'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import { z } from 'zod'
import { tlsParameters } from '../conversions.ts'
import { lostSettings } from '../layout.ts'
import { ImportError, readSource } from '../source-files.ts'

/** What an import needs of the `.env` of a panel that is made with Laravel. */
export interface LaravelSettings {
  readonly database: string | undefined
  /** The encryption key of 32 bytes. */
  readonly key: Buffer | undefined
  readonly timezone: string
  /** Settings that are not carried over. */
  readonly notes: readonly string[]
}

/** Settings of its own installation. */
const technical =
  /^(APP_(KEY|ENV|DEBUG|THEME|TIMEZONE|URL|ENVIRONMENT_ONLY|INSTALLED)|DB_|REDIS_|CACHE_|QUEUE_|SESSION_|LOG_|HASHIDS_)/

const maxBytes = 1_048_576

/** @throws ImportError */
export async function readLaravelSettings(path: string): Promise<LaravelSettings> {
  const text = await readSource(path, maxBytes)
  const values = text === undefined ? {} : parseEnv(text)
  const lost = Object.keys(values).filter((name) => values[name] !== '' && !technical.test(name))
  return {
    database: findDatabaseUrl(values, path),
    key: findKey(values.APP_KEY),
    timezone: values.APP_TIMEZONE || 'UTC',
    notes: lostSettings(path, lost),
  }
}

/** Database servers by the name that Laravel has for them. Pterodactyl supports the first two, Pelican all. */
const servers: Readonly<Record<string, { readonly scheme: string; readonly port: number }>> = {
  mysql: { scheme: 'mysql', port: 3306 },
  mariadb: { scheme: 'mysql', port: 3306 },
  pgsql: { scheme: 'postgresql', port: 5432 },
}

function findDatabaseUrl(values: Readonly<Record<string, string | undefined>>, path: string): string | undefined {
  const { DB_CONNECTION: kind, DB_HOST, DB_PORT, DB_DATABASE, DB_USERNAME, DB_PASSWORD, DB_SSLMODE } = values
  if (kind === undefined) return undefined
  if (kind === 'sqlite') {
    const file = DB_DATABASE || 'database.sqlite'
    return `sqlite:${isAbsolute(file) ? file : join(dirname(path), 'database', file)}`
  }
  const server = Object.hasOwn(servers, kind) ? servers[kind] : undefined
  if (!server) throw new ImportError(`Databases of the kind ${kind} cannot be imported.`)
  const account = `${encodeURIComponent(DB_USERNAME ?? '')}:${encodeURIComponent(DB_PASSWORD ?? '')}`
  const address = `${DB_HOST || '127.0.0.1'}:${DB_PORT || server.port}`
  const tls = server.scheme === 'postgresql' ? tlsParameters(DB_SSLMODE) : ''
  return `${server.scheme}://${account}@${address}/${encodeURIComponent(DB_DATABASE || 'panel')}${tls}`
}

/** Base64 after `base64:`, else the characters themselves. */
function findKey(text: string | undefined): Buffer | undefined {
  if (!text) return undefined
  const key = text.startsWith('base64:') ? Buffer.from(text.slice('base64:'.length), 'base64') : Buffer.from(text)
  return key.length === 32 ? key : undefined
}

const Envelope = z.object({ iv: z.string().max(100), value: z.string().max(100_000), mac: z.string().max(100) })

/** Decrypts a column (AES-256-CBC with HMAC); `undefined` when the key is another one. */
export function decrypt(text: string, key: Buffer | undefined): string | undefined {
  if (!key || text.length > 200_000) return undefined
  const envelope = Envelope.safeParse(parseJsonOrUndefined(Buffer.from(text, 'base64').toString('utf8')))
  if (!envelope.success) return undefined
  const { iv, value, mac } = envelope.data
  const expected = Buffer.from(
    createHmac('sha256', key)
      .update(iv + value)
      .digest('hex'),
  )
  const given = Buffer.from(mac)
  const vector = Buffer.from(iv, 'base64')
  if (given.length !== expected.length || !timingSafeEqual(given, expected) || vector.length !== 16) return undefined
  try {
    const cipher = createDecipheriv('aes-256-cbc', key, vector)
    return unserialized(Buffer.concat([cipher.update(value, 'base64'), cipher.final()]).toString('utf8'))
  } catch {
    // The padding is wrong: the text was not encrypted with this key.
    return undefined
  }
}

/** Pterodactyl encrypts text as PHP serializes it, Pelican as it is. */
function unserialized(text: string): string {
  const match = /^s:\d{1,9}:"/.exec(text)
  return match && text.endsWith('";') ? text.slice(match[0].length, -2) : text
}
