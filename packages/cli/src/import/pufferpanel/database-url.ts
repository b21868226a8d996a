import { resolve } from 'node:path'
import { ImportError } from '../source-files.ts'

/**
 * The URL of a database from a dialect and a connection text of PufferPanel: `file:<path>?cache=shared`, or
 * `user:password@tcp(host:port)/database`. Relative paths are below `base`.
 * @throws ImportError
 */
export function databaseUrlOf(dialect: string, text: string, base: string): string {
  if (dialect === 'sqlite3' || dialect === '') {
    const path = (text.startsWith('file:') ? text.slice('file:'.length) : text).split('?')[0] || 'pufferpanel.db'
    return `sqlite:${resolve(base, path)}`
  }
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
