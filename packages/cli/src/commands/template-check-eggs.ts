import { type Command, jsonOption } from '../command/command.ts'
import type { EggReport } from '../import/pterodactyl/egg-report.ts'

export const templateCheckEggs: Command = {
  name: 'template check-eggs',
  operands: ['<path>'],
  summary: 'Reports what the eggs in a file or folder become as templates.',
  options: {
    json: jsonOption,
    all: { type: 'boolean', help: 'Lists eggs without notes, and notes without weight, too.' },
  },
  notes:
    'Reads JSON and YAML files of Pterodactyl and Pelican, and changes nothing. Exits with 1 when an egg cannot be imported, installed or run: see docs/compatibility.md.',

  async run({ operands, options }, { terminal, exit }) {
    const { findEggs } = await import('../import/pterodactyl/egg-files.ts')
    const { reportEgg } = await import('../import/pterodactyl/egg-report.ts')
    const notes: string[] = []
    const found = await findEggs(operands[0] ?? '', notes)
    const eggs = found.map(({ file, json }): NamedReport => ({ file, name: getName(json), ...reportEgg(json) }))
    const totals = getTotals(eggs)
    if (options.json) terminal.say(JSON.stringify({ totals, eggs, notes }))
    else {
      for (const egg of eggs) for (const line of getLines(egg, options.all === true)) terminal.say(line)
      for (const note of notes) terminal.say(note)
      terminal.say(getText(totals))
    }
    exit(eggs.length > 0 && eggs.every(isFine) ? 0 : 1)
  },
}

interface NamedReport extends EggReport {
  readonly file: string
  readonly name: string
}

const isFine = ({ imported, installable, runnable }: EggReport): boolean => imported && installable && runnable

function getLines(egg: NamedReport, isAll: boolean): string[] {
  const notes = isAll ? [...egg.notes, ...egg.minorNotes] : egg.notes
  const missing = (['imported', 'installable', 'runnable'] as const).filter((part) => !egg[part])
  if (notes.length === 0 && missing.length === 0 && !isAll) return []
  const state = missing.length === 0 ? 'ok' : `not ${missing.join(', not ')}`
  return [`${egg.name}: ${state} (${egg.file})`, ...notes.map((note) => `  ${note}`)]
}

function getTotals(eggs: readonly EggReport[]) {
  const count = (matches: (egg: EggReport) => boolean) => eggs.filter(matches).length
  return {
    eggs: eggs.length,
    imported: count(({ imported }) => imported),
    installable: count(({ installable }) => installable),
    runnable: count(({ runnable }) => runnable),
    withoutNotes: count((egg) => isFine(egg) && egg.notes.length === 0),
  }
}

const getText = ({ eggs, imported, installable, runnable, withoutNotes }: ReturnType<typeof getTotals>): string =>
  `${eggs} eggs: ${imported} imported, ${installable} installable, ${runnable} runnable, ${withoutNotes} without a note of weight`

const getName = ({ name }: Readonly<Record<string, unknown>>): string =>
  typeof name === 'string' ? name.slice(0, 200) : 'without a name'
