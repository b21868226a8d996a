import { resolve } from 'node:path'
import type { ImportPlan } from '@innkeeper/panel/import/import-plan'
import {
  type Command,
  type CommandContext,
  isConfirmed,
  type ParsedArgs,
  textOption,
  yesOption,
} from '../command/command.ts'
import { UsageError } from '../command/terminal.ts'
import { textOfReport } from '../import/report.ts'
import { runImport } from '../import/run-import.ts'
import { type FileMode, fileModes } from '../import/server-files.ts'
import type { OpenSource, SourceOptions } from '../import/source-files.ts'

const runOptions = {
  files: { type: 'string', value: fileModes.join('|'), help: 'How files are carried over. Default: copy.' },
  'dry-run': { type: 'boolean', help: 'Prints the full report, and changes nothing.' },
  'task-owner': {
    type: 'string',
    value: 'who',
    help: 'Runs tasks that no user of their server may run. Default: an administrator of the other panel.',
  },
  json: { type: 'boolean', help: 'Prints the report as JSON.' },
  yes: yesOption,
} as const satisfies Command['options']

const databaseForms = 'sqlite:<path>, mysql://<user>@<host>/<name> or postgresql://<user>@<host>/<name>'
const database = { type: 'string', value: 'url', help: `Its database: ${databaseForms}.` } as const
const node = { type: 'string', value: 'name', help: 'Its node that is on this machine.' } as const
const emailDomain = { type: 'string', value: 'domain', help: 'Of the addresses of users without one.' } as const
const sftpHostKey = {
  type: 'string',
  value: 'path',
  help: 'Uses this private key for SFTP, also if Innkeeper has servers and a key.',
} as const
const notes =
  'Nothing at the source is changed, except by --files move and link. Stop the other panel and Innkeeper first. It can be repeated: see docs/moving-in.md.'

interface Panel {
  readonly name: string
  readonly title: string
  readonly operands?: readonly string[]
  readonly options: Command['options']
  read(options: SourceOptions): Promise<ImportPlan>
  /** Prepares what is read, for example unpacks it. */
  open?(options: SourceOptions, context: CommandContext): Promise<OpenSource>
}

/** Pterodactyl, and Pelican that is made from it. */
const laravelPanel = (name: 'pterodactyl' | 'pelican', title: string): Panel => ({
  name,
  title,
  options: {
    config: { type: 'string', value: 'path', help: `Its .env file. Default: /var/www/${name}/.env.` },
    database,
    servers: { type: 'string', value: 'folder', help: `The files of its servers. Default: /var/lib/${name}/volumes.` },
    node,
    'sftp-host-key': sftpHostKey,
    eggs: { type: 'string', value: 'path', help: 'Imports only the eggs in this JSON or YAML file, or in a folder.' },
  },
  read: async (options) => (await import('../import/pterodactyl/pterodactyl.ts')).readPterodactyl(name, options),
})

const panels: readonly Panel[] = [
  {
    name: 'pufferpanel',
    title: 'PufferPanel 2.x or 3.x',
    options: {
      config: { type: 'string', value: 'path', help: 'Its configuration. Default: /etc/pufferpanel/config.json.' },
      database,
      servers: { type: 'string', value: 'folder', help: 'Its definitions and files. Default: as configured.' },
      node,
      'sftp-host-key': sftpHostKey,
    },
    read: async (options) => (await import('../import/pufferpanel/pufferpanel.ts')).readPufferPanel(options),
  },
  laravelPanel('pterodactyl', 'Pterodactyl 1.x'),
  laravelPanel('pelican', 'Pelican'),
  {
    name: 'crafty',
    title: 'Crafty 4',
    operands: ['<folder>'],
    options: {
      database,
      servers: { type: 'string', value: 'folder', help: 'The folders of its servers, if not as in its database.' },
      'email-domain': emailDomain,
    },
    read: async (options) => (await import('../import/crafty/crafty.ts')).readCrafty(options),
  },
  {
    name: 'mcsmanager',
    title: 'MCSManager 10',
    operands: ['<folder>'],
    options: {
      servers: { type: 'string', value: 'folder', help: 'The files of its instances, if not as configured.' },
      'email-domain': emailDomain,
    },
    read: async (options) => (await import('../import/mcsmanager/mcsmanager.ts')).readMcsManager(options),
  },
  {
    name: 'folder',
    title: 'a Minecraft server in a folder or an archive',
    operands: ['<folder>'],
    options: {},
    open: async (options, { config }) => (await import('../import/folder/archive.ts')).openFolder(options, config),
    read: async (options) => (await import('../import/folder/folder.ts')).readFolder(options),
  },
]

/** A command for each panel whose data can be imported. */
export const imports: readonly Command[] = panels.map(({ name, title, operands = [], options, read, open }) => ({
  name: `import ${name}`,
  operands,
  summary: `Imports users, permissions, servers and files of ${title}.`,
  options: { ...options, ...runOptions },
  notes,

  async run(args, context) {
    const sourceOptions = await readSourceOptions(args, context)
    await using source = await open?.(sourceOptions, context)
    const mode = getFileMode(args, source?.options.archive !== undefined)
    const plan = await read(source?.options ?? sourceOptions)
    const dryRun = args.options['dry-run'] === true
    const key = textOption(args, 'sftp-host-key')
    const sftpHostKey = key === undefined ? undefined : resolve(key)
    const settings = { files: mode, taskOwner: textOption(args, 'task-owner'), sftpHostKey }
    if (!dryRun && !args.options.yes) {
      context.terminal.say(textOfReport(await runImport(plan, context, { ...settings, dryRun: true })))
      if (!(await isConfirmed('Import this?', args, context))) return
    }
    const report = await runImport(plan, context, { ...settings, dryRun })
    context.terminal.say(args.options.json ? JSON.stringify(report) : textOfReport(report))
  },
}))

function getFileMode(args: ParsedArgs, isUnpacked: boolean): FileMode {
  const text = textOption(args, 'files') ?? 'copy'
  const mode = fileModes.find((mode) => mode === text)
  if (!mode) throw new UsageError(`--files must be one of ${fileModes.join(', ')}.`)
  if (isUnpacked && mode === 'link') throw new UsageError('--files link needs a folder, not an archive.')
  // The unpacked copy is moved; the archive stays.
  return isUnpacked && mode === 'copy' ? 'move' : mode
}

async function readSourceOptions(args: ParsedArgs, { config, terminal }: CommandContext): Promise<SourceOptions> {
  const path = (name: string) => {
    const text = textOption(args, name)
    return text === undefined ? undefined : resolve(text)
  }
  return {
    hasPanel: config.role !== 'node',
    database: await readDatabase(textOption(args, 'database'), terminal),
    config: path('config'),
    servers: path('servers'),
    node: textOption(args, 'node'),
    eggs: path('eggs'),
    emailDomain: textOption(args, 'email-domain') ?? 'imported.invalid',
    folder: resolve(args.operands[0] ?? '.'),
  }
}

/** A password is never an argument, because every user of the machine can read those. */
async function readDatabase(
  text: string | undefined,
  terminal: CommandContext['terminal'],
): Promise<string | undefined> {
  if (text === undefined) return undefined
  if (text.startsWith('sqlite:')) return `sqlite:${resolve(text.slice('sqlite:'.length))}`
  const url = URL.parse(text)
  if (!url) throw new UsageError(`--database must be ${databaseForms}.`)
  if (url.password !== '') throw new UsageError('Leave out the password of --database: it is asked for.')
  if (url.username !== '') url.password = encodeURIComponent(await terminal.passphrase())
  return url.href
}
