import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connect, openDatabase } from '@innkeeper/panel/database/database'
import type { Database } from '@innkeeper/panel/database/schema'
import type { ImportReport } from '../import/report.ts'
import { runCommand } from './run-command.ts'
import type { SourceSchema } from './source-schema.ts'
import { getEnvironment } from './test-installation.ts'

/** Folders of another panel and of an Innkeeper that does not run, for one test. */
export class ImportFixture implements AsyncDisposable {
  readonly folder: string
  readonly #env: Record<string, string>

  private constructor(folder: string, env: Record<string, string>) {
    this.folder = folder
    this.#env = env
  }

  static async create(ports: readonly [number, number] = [1, 2]): Promise<ImportFixture> {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-import-test-'))
    // The users of servers must be able to traverse it.
    await chmod(folder, 0o711)
    await writeFile(join(folder, 'config.json'), '{}')
    await mkdir(join(folder, 'data'), { mode: 0o711 })
    const fixture = new ImportFixture(folder, getEnvironment(folder, ...ports))
    await (await openDatabase(fixture.databaseUrl)).destroy()
    return fixture
  }

  get env(): Record<string, string> {
    return this.#env
  }

  get databaseUrl(): string {
    return `sqlite:${join(this.folder, 'data', 'panel.db')}`
  }

  path(...names: string[]): string {
    return join(this.folder, ...names)
  }

  async write(path: string, content: string | object): Promise<void> {
    const file = this.path(path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  }

  /** Creates a SQLite database with rows. Tables that the schema does not have get the columns of their rows. */
  sqlite(
    path: string,
    tables: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>,
    schema?: SourceSchema,
  ): void {
    const db = new DatabaseSync(this.path(path))
    if (schema) db.exec(schema.sql)
    for (const [name, rows] of Object.entries(tables)) {
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
      if (!schema?.tables.has(name))
        db.exec(`create table "${name}" (${columns.map((column) => `"${column}"`).join(', ')})`)
      for (const row of rows) {
        const names = Object.keys(row)
        const places = names.map(() => '?').join(', ')
        const insert = db.prepare(
          `insert into "${name}" (${names.map((one) => `"${one}"`).join(', ')}) values (${places})`,
        )
        insert.run(...(Object.values(row) as (string | number | null)[]))
      }
    }
    db.close()
  }

  /** Runs an import and returns its report. */
  import(panel: string, ...args: string[]): Promise<ImportReport> {
    return this.importAs({}, panel, ...args)
  }

  /** Runs an import with further settings of Innkeeper. */
  async importAs(settings: Readonly<Record<string, string>>, panel: string, ...args: string[]): Promise<ImportReport> {
    const env = { ...this.#env, ...settings }
    const { code, out, err } = await runCommand(['import', panel, ...args, '--json', '--yes'], env, 'secret\n')
    if (code !== 0) throw new Error(`${code}: ${err}${out}`)
    return JSON.parse(out) as ImportReport
  }

  /** Reads the database of Innkeeper. */
  async read<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const db = await connect(this.databaseUrl)
    try {
      return await work(db)
    } finally {
      await db.destroy()
    }
  }

  async definition(id: string): Promise<Record<string, unknown>> {
    return JSON.parse(await readFile(this.path('data', 'servers', `${id}.json`), 'utf8')) as Record<string, unknown>
  }

  /** Paths, sizes and times of everything in a folder. */
  async snapshot(path: string): Promise<readonly string[]> {
    const names = await readdir(this.path(path), { recursive: true })
    const lines = names.map(async (name) => {
      const { size, mtimeMs, uid, mode } = await stat(this.path(path, name))
      return [name, size, mtimeMs, uid, mode].join(' ')
    })
    return (await Promise.all(lines)).toSorted()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }
}
