import { writeFileAtomic } from '@innkeeper/daemon/fs/atomic-write'
import { type Command, textOption } from '../command/command.ts'

export const exportCommand: Command = {
  name: 'export',
  operands: ['[file]'],
  summary: 'Writes templates, servers, users, permissions and tasks as YAML.',
  options: {
    as: { type: 'string', value: 'who', help: 'The administrator who reads them. Default: the first one.' },
    secrets: { type: 'boolean', help: 'Includes passwords and tokens in variables and definitions.' },
  },
  notes:
    'Without a file it prints them. Innkeeper must run. Passwords of users are never included. See docs/servers-as-code.md.',

  async run(args, context) {
    const { getManifest, textOfManifest } = await import('../manifest/export-manifest.ts')
    const { readPanelState } = await import('../manifest/panel-state.ts')
    const { withPanel } = await import('../manifest/panel-client.ts')
    const state = await withPanel(context, { who: textOption(args, 'as'), agent: 'innkeeper export' }, ({ client }) =>
      readPanelState(client),
    )
    const text = textOfManifest(getManifest(state), { secrets: args.options.secrets === true })
    const [file] = args.operands
    if (file === undefined) context.terminal.say(text.trimEnd())
    else {
      await writeFileAtomic(file, text)
      context.terminal.say(`Exported templates, servers, users and tasks to ${file}.`)
    }
  },
}
