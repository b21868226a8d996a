import { resolve } from 'node:path'
import { tlsParameters } from '../conversions.ts'
import { ImportError } from '../source-files.ts'

/**
 * The URL of a database from a dialect and a connection text of PufferPanel: `file:<path>?cache=shared`, `user:password@tcp(host:port)/database`,
 * or the URL or keywords (`user=… dbname=…`) of PostgreSQL. Relative paths are below `base`.
 * @throws ImportError
 */
export function getDatabaseUrl(dialect: string, text: string, base: string): string {
  if (dialect === 'sqlite3' || dialect === '') {
    const path = (text.startsWith('file:') ? text.slice('file:'.length) : text).split('?')[0] || 'pufferpanel.db'
    return `sqlite:${resolve(base, path)}`
  }
  if (dialect === 'postgresql' || dialect === 'postgres') return getPostgresUrl(text)
  if (dialect !== 'mysql') throw new ImportError(`Databases of the kind ${dialect} cannot be imported.`)
  const connection = text || 'pufferpanel:pufferpanel@/pufferpanel'
  // A password may contain @ and /, so both are searched from the end.
  const path = connection.split('?')[0] ?? ''
  const slash = path.lastIndexOf('/')
  const [server, database] = [path.slice(0, slash), path.slice(slash + 1)]
  const at = server.lastIndexOf('@')
  const [account, address] = [server.slice(0, Math.max(0, at)), server.slice(at + 1)]
  const colon = account.indexOf(':')
  const user = colon < 0 ? account : account.slice(0, colon)
  const password = colon < 0 ? '' : account.slice(colon + 1)
  if (address.startsWith('unix(')) throw new ImportError('Name the database with --database: it is on a Unix socket.')
  const host = address.startsWith('tcp(') ? address.slice('tcp('.length, -1) : address || '127.0.0.1:3306'
  return `mysql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}/${encodeURIComponent(database)}`
}

/** TLS that is only preferred is left out. */
function getPostgresUrl(text: string): string {
  if (/^postgres(ql)?:\/\//.test(text)) return text
  const given = parseKeywords(text)
  const host = given.get('host') ?? '127.0.0.1'
  if (host.startsWith('/')) throw new ImportError('Name the database with --database: it is on a Unix socket.')
  const user = encodeURIComponent(given.get('user') ?? 'pufferpanel')
  const password = encodeURIComponent(given.get('password') ?? '')
  const database = encodeURIComponent(given.get('dbname') ?? given.get('user') ?? 'pufferpanel')
  const tls = tlsParameters(given.get('sslmode'))
  return `postgresql://${user}:${password}@${host}:${given.get('port') ?? 5432}/${database}${tls}`
}

/** Reads `name=value name='a b'`; a backslash keeps the next character. */
function parseKeywords(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  let at = 0
  const skipSpaces = () => {
    while (/\s/.test(text.charAt(at))) at++
  }
  for (;;) {
    skipSpaces()
    const equals = text.indexOf('=', at)
    if (equals < 0) return found
    const name = text.slice(at, equals).trim()
    at = equals + 1
    skipSpaces()
    const isQuoted = text[at] === "'"
    if (isQuoted) at++
    let value = ''
    for (; at < text.length && !(isQuoted ? text[at] === "'" : /\s/.test(text.charAt(at))); at++) {
      if (text[at] === '\\') at++
      value += text.charAt(at)
    }
    if (isQuoted) at++
    found.set(name, value)
  }
}
