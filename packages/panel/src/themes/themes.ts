import { createHash } from 'node:crypto'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { maxThemes, type ThemeInfo } from '@innkeeper/contract/settings/themes'
import { readTar, type TarFile, writeTar } from '@innkeeper/contract/theme/tar'
import { ThemeError } from '@innkeeper/contract/theme/theme-error'
import { readTheme } from '@innkeeper/contract/theme/theme-file'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { cachedValue } from '../caching/cached-value.ts'
import { affectsRows, lock, upsert } from '../database/rows.ts'
import type { Database, Tables, Transaction } from '../database/schema.ts'
import { bundledThemes } from './bundled.ts'
import { cleanCssInThread } from './clean-css-thread.ts'

/** Every page of the web app requests the names. */
const namesCacheMs = 1_000

const defaultThemeSetting = 'panel.settings.defaultTheme'

interface Deps {
  readonly db: Database
  readonly now: () => number
}

export interface ThemeArchive {
  readonly bytes: Uint8Array
  /** Changes with the content. */
  readonly version: string
}

export interface ThemesService {
  /** The names of all themes: those that come with Innkeeper first. */
  names(): Promise<readonly string[]>
  list(): Promise<ThemeInfo[]>
  /** Returns undefined when there is no such theme. */
  archive(name: string): Promise<ThemeArchive | undefined>
  /** @throws Refusal ErrThemeInvalid, ErrDuplicateTheme for the name of a bundled one, ErrTooMany */
  put(name: string, archive: string, audit: AuditContext): Promise<ThemeInfo>
  rename(name: string, newName: string, audit: AuditContext): Promise<void>
  remove(name: string, audit: AuditContext): Promise<void>
}

/** Themes are rows, so that all panels of a cluster have the same. */
export function themesService({ db, now }: Deps): ThemesService {
  const names = async (on: Database) => {
    const rows = await on.selectFrom('themes').select('name').orderBy('name').execute()
    return [...bundledThemes.keys(), ...rows.map(({ name }) => name)]
  }
  const cachedNames = cachedValue(() => names(db), { maxAgeMs: namesCacheMs, now })

  async function change<T>(audit: AuditContext, run: (transaction: Transaction) => Promise<T>): Promise<T> {
    const result = await auditedTransaction(audit, db, run)
    cachedNames.forget()
    return result
  }

  return {
    names: () => cachedNames.get(),

    async list() {
      const rows = await db
        .selectFrom('themes')
        .select(['name', 'bytes', 'left_out', 'updated_at'])
        .orderBy('name')
        .execute()
      return [...[...bundledThemes].map(toBundledInfo), ...rows.map(toInfo)]
    },

    async archive(name) {
      const bundled = bundledThemes.get(name)
      if (bundled) return toArchive(bundled)
      const row = await db.selectFrom('themes').select('archive').where('name', '=', name).executeTakeFirst()
      return row && toArchive(Buffer.from(row.archive, 'base64'))
    },

    async put(name, archive, audit) {
      audit.setSubject({ target: name })
      if (bundledThemes.has(name)) throw new Refusal('ErrDuplicateTheme', { field: 'name' })
      // Before the transaction, which others wait for.
      const { bytes, leftOut } = await readUpload(Buffer.from(archive, 'base64'))
      return await change(audit, async (transaction) => {
        await lock(transaction, 'themes')
        const others = (await names(transaction)).filter((other) => !bundledThemes.has(other) && other !== name)
        if (others.length >= maxThemes) throw new Refusal('ErrTooMany', { max: maxThemes })
        const row = {
          name,
          archive: Buffer.from(bytes).toString('base64'),
          bytes: bytes.length,
          left_out: JSON.stringify(leftOut),
          updated_at: now(),
        }
        await upsert(transaction, 'themes', ['name'], row)
        return toInfo(row)
      })
    },

    rename: (name, newName, audit) =>
      change(audit, async (transaction) => {
        audit.setSubject({ target: `${name} -> ${newName}` })
        await lock(transaction, 'themes')
        if (name !== newName && (await names(transaction)).includes(newName)) {
          throw new Refusal('ErrDuplicateTheme', { field: 'newName' })
        }
        const renamed = transaction.updateTable('themes').set({ name: newName }).where('name', '=', name)
        if (!(await affectsRows(renamed))) throw new Refusal('ErrThemeNotFound')
        await changeDefault(transaction, name, newName)
      }),

    remove: (name, audit) =>
      change(audit, async (transaction) => {
        audit.setSubject({ target: name })
        const deletion = transaction.deleteFrom('themes').where('name', '=', name)
        if (!(await affectsRows(deletion))) throw new Refusal('ErrThemeNotFound')
        await changeDefault(transaction, name, undefined)
      }),
  }
}

/** Checks an uploaded archive and returns it with the CSS that may be used. */
async function readUpload(
  upload: Uint8Array,
): Promise<{ readonly bytes: Uint8Array; readonly leftOut: readonly string[] }> {
  try {
    const { css, assets } = readTheme(upload)
    const clean = await cleanCssInThread(
      css,
      assets.map(({ name }) => name),
    )
    const cssFile: TarFile[] = clean.css === '' ? [] : [{ name: 'theme.css', bytes: Buffer.from(clean.css) }]
    const files = readTar(upload).filter(({ name }) => name !== 'theme.css')
    return { bytes: writeTar([...files, ...cssFile]), leftOut: clean.leftOut }
  } catch (error) {
    if (!(error instanceof ThemeError)) throw error
    throw new Refusal('ErrThemeInvalid', { reason: error.problem, detail: error.detail }, { cause: error })
  }
}

async function changeDefault(transaction: Transaction, name: string, newName: string | undefined): Promise<void> {
  const isDefault = { key: defaultThemeSetting, value: name }
  if (newName === undefined) {
    await transaction.deleteFrom('settings').where('key', '=', isDefault.key).where('value', '=', name).execute()
    return
  }
  const setting = transaction.updateTable('settings').set({ value: newName })
  await setting.where('key', '=', isDefault.key).where('value', '=', name).execute()
}

function toArchive(bytes: Uint8Array): ThemeArchive {
  return { bytes, version: createHash('sha256').update(bytes).digest('base64url').slice(0, 16) }
}

function toBundledInfo([name, archive]: readonly [string, Uint8Array]): ThemeInfo {
  return { name, isBundled: true, bytes: archive.length, leftOut: [] }
}

function toInfo(row: Omit<Tables['themes'], 'archive'>): ThemeInfo {
  return {
    name: row.name,
    isBundled: false,
    bytes: Number(row.bytes),
    updatedAt: new Date(Number(row.updated_at)).toISOString(),
    leftOut: JSON.parse(row.left_out) as string[],
  }
}
