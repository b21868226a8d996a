import { type ImportKind, type ImportPlan, importKinds } from '@innkeeper/panel/import/import-plan'
import type { ImportCount } from '@innkeeper/panel/import/import-service'
import { table } from '../command/terminal.ts'

/** What an import did, or would do. */
export interface ImportReport {
  readonly source: string
  readonly isDryRun: boolean
  readonly counts: Readonly<Record<string, ImportCount & { readonly found: number }>>
  /** Servers whose files were carried over. */
  readonly files: number
  readonly notes: readonly string[]
}

export function getReport(
  plan: ImportPlan,
  counts: Readonly<Partial<Record<ImportKind, ImportCount>>>,
  { isDryRun, files, notes }: Pick<ImportReport, 'isDryRun' | 'files' | 'notes'>,
): ImportReport {
  const tasks = plan.servers.flatMap(({ definition }) => Object.keys(definition?.tasks ?? {})).length
  const foundBySource: ImportPlan['found'] = { tasks, ...plan.found }
  const rows = importKinds.flatMap((kind) => {
    const count = counts[kind] ?? { added: 0, existing: 0 }
    const found = foundBySource[kind] ?? count.added + count.existing
    return found + count.added + count.existing === 0 ? [] : [[kind, { found, ...count }] as const]
  })
  return { source: plan.source, isDryRun, counts: Object.fromEntries(rows), files, notes: [...plan.notes, ...notes] }
}

const titles: Readonly<Record<string, string>> = { clients: 'OAuth2 clients', permissions: 'permissions of users' }

export function textOfReport({ source, isDryRun, counts, files, notes }: ImportReport): string {
  const rows = Object.entries(counts).map(([kind, { found, added, existing }]) =>
    [titles[kind] ?? kind, found, added, existing].map(String),
  )
  const list = notes.map((note) => `  ${note}`).join('\n')
  return [
    `Source: ${source}`,
    '',
    table(['WHAT', 'FOUND', isDryRun ? 'TO ADD' : 'ADDED', 'EXISTS'], rows),
    '',
    isDryRun ? `Files of ${files} servers would be carried over.` : `Carried over the files of ${files} servers.`,
    '',
    notes.length === 0 ? 'Everything is carried over unchanged.' : `Not carried over, or changed:\n${list}`,
    ...(isDryRun ? ['', 'This was a dry run: nothing was changed.'] : []),
  ].join('\n')
}
