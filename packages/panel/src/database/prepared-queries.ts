import type { Compilable, CompiledQuery } from 'kysely'
import type { Database } from './schema.ts'

/** The place of a value in a compiled query. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Returns what stands for a value while a query is built. Of no type, so that it fits everywhere. */
type GetPlaceholder = (name: string) => never

type Values = Readonly<Record<string, string | number>>

/** Queries that are kept, and the values of a query that is kept. */
const [maxQueries, maxValues] = [200, 200]

/**
 * Frequent queries, each compiled once: building a statement takes several times as long as SQLite needs to run it.
 */
export class PreparedQueries {
  readonly db: Database
  readonly #compiled = new Map<string, CompiledQuery<unknown>>()

  constructor(db: Database) {
    this.db = db
  }

  /** `build` must return the same statement for the same key; what differs are the values of its placeholders. */
  async execute<Row>(key: string, build: (value: GetPlaceholder) => Compilable<Row>, values: Values): Promise<Row[]> {
    const compiled = (this.#compiled.get(key) as CompiledQuery<Row> | undefined) ?? this.#compile(key, build)
    const parameters = compiled.parameters.map((value) => (value instanceof Placeholder ? values[value.name] : value))
    return (await this.db.executeQuery<Row>({ ...compiled, parameters })).rows
  }

  #compile<Row>(key: string, build: (value: GetPlaceholder) => Compilable<Row>): CompiledQuery<Row> {
    const compiled = build((name) => new Placeholder(name) as never).compile()
    if (this.#compiled.size < maxQueries && compiled.parameters.length <= maxValues) this.#compiled.set(key, compiled)
    return compiled
  }
}

/** The names of placeholders for a list, for `in`. */
export const getListNames = (items: readonly unknown[]): string[] => items.map((_, at) => `item${at}`)

export const getListValues = (items: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(items.map((item, at) => [`item${at}`, item]))
